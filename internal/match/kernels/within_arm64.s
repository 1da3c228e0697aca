//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// func nextWithinVectors(xs *uint64, n int, q uint64, k int) int
//
// Eight values are in four vectors. CNT counts the bits of each byte of their XOR with q, and adding neighbours thrice leaves a byte
// for each value, in order. This takes 18 instructions for eight values; Go takes 94.
//
// Registers: R0 = the next values, R1 = how many are left, R2 = n, V0 = q, V1 = k.
TEXT ·nextWithinVectors(SB), NOSPLIT, $0-40
	MOVD xs+0(FP), R0
	MOVD n+8(FP), R1
	MOVD q+16(FP), R3
	MOVD k+24(FP), R4
	MOVD R1, R2
	VDUP R3, V0.D2
	VDUP R4, V1.B16
	SUBS $8, R1
	BLT  four

eight:
	VLD1.P 64(R0), [V4.B16, V5.B16, V6.B16, V7.B16]
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
	VADDP V4.B16, V4.B16, V4.B16
	ATLEAST(4, 1, 4)
	VMOV V4.D[0], R3
	CBNZ R3, found
	SUBS $8, R1
	BGE  eight

four: // and there are eight less left than R1 says
	ADDS $8, R1
	BEQ  none
	VLD1 (R0), [V4.B16, V5.B16]
	VEOR V0.B16, V4.B16, V4.B16
	VEOR V0.B16, V5.B16, V5.B16
	VCNT V4.B16, V4.B16
	VCNT V5.B16, V5.B16
	VADDP V5.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	ATLEAST(4, 1, 4)
	VMOV V4.S[0], R3
	SUB  $8, R1
	CBNZ R3, found

none:
	MOVD R2, ret+32(FP)
	RET

found: // the first byte that is set, of the values before the R1+8 that are left
	RBIT R3, R3
	CLZ  R3, R3
	ADD  $8, R1
	SUB  R1, R2, R2
	ADD  R3>>3, R2, R2
	MOVD R2, ret+32(FP)
	RET
