//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The functions do not check the requirements of their declarations.

// func maskWithin32Vectors(xs *uint32, n int, q, k uint32) uint64
//
// Four vectors have sixteen values. CNT counts the bits of each byte of their XOR with q. Adding neighbours twice leaves a byte
// for each value, in order. Those that are at most k keep their bit of bitOf, and adding neighbours thrice brings eight bits to
// a byte. This takes 22 instructions for 16 values; Go takes 15 for each.
//
// Registers: R0 = the end of the values left, R1 = their number, R5 = the mask of those behind, V0 = q, V1 = k, V2 = the bits.
TEXT ·maskWithin32Vectors(SB), NOSPLIT, $0-32
	MOVD xs+0(FP), R0
	MOVD n+8(FP), R1
	MOVWU q+16(FP), R2
	MOVWU k+20(FP), R3
	MOVD $0x8040201008040201, R4
	VDUP R2, V0.S4
	VDUP R3, V1.B16
	VDUP R4, V2.D2
	ADD  R1<<2, R0, R0
	MOVD $0, R5
	TBZ  $3, R1, sixteen

	// the last eight values
	SUB  $32, R0
	VLD1 (R0), [V4.B16, V5.B16]
	VEOR V0.B16, V4.B16, V4.B16
	VEOR V0.B16, V5.B16, V5.B16
	VCNT V4.B16, V4.B16
	VCNT V5.B16, V5.B16
	VADDP V5.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	ATLEAST(4, 1, 4)
	VAND V2.B16, V4.B16, V4.B16
	VADDV V4.B8, V4
	VMOV V4.B[0], R5
	SUBS $8, R1
	BEQ  done

sixteen: // from the last block to the first, so that the mask is shifted up
	SUB  $64, R0
	VLD1 (R0), [V4.B16, V5.B16, V6.B16, V7.B16]
	VEOR V0.B16, V4.B16, V4.B16
	VEOR V0.B16, V5.B16, V5.B16
	VEOR V0.B16, V6.B16, V6.B16
	VEOR V0.B16, V7.B16, V7.B16
	VCNT V4.B16, V4.B16
	VCNT V5.B16, V5.B16
	VCNT V6.B16, V6.B16
	VCNT V7.B16, V7.B16
	VADDP V5.B16, V4.B16, V4.B16
	VADDP V7.B16, V6.B16, V6.B16
	VADDP V6.B16, V4.B16, V4.B16
	ATLEAST(4, 1, 4)
	VAND V2.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	VMOV V4.H[0], R4
	ORR  R5<<16, R4, R5
	SUBS $16, R1
	BNE  sixteen

done:
	MOVD R5, ret+24(FP)
	RET
