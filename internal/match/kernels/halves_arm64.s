//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// func listWithin16Vectors(dst *uint32, xs *uint16, n int, q, k uint16, base uint32, ahead *uint16, bytes int) int
//
// Two vectors have sixteen values. CNT counts the bits of each byte of their XOR with q, and adding neighbours leaves a byte for each
// value. Few values are within k, so that their indices are written one by one. The last block overlaps the one before; the values
// that it has again are masked. This takes 15 instructions for sixteen values, and 8 for each index; Go takes 256.
//
// Registers: R0 = dst, R1 = xs, R2 = n, R3 = base, R4 = i, R5 = n - 16, R6 = the mask, with a bit for each value, R7 = dst at the
// beginning, V0 = q, V1 = k.
TEXT ·listWithin16Vectors(SB), NOSPLIT, $0-56
	MOVD ahead+32(FP), R8
	MOVD bytes+40(FP), R9
	ADD  R8, R9, R9
	B    more

read:
	PRFM (R8), PLDL1KEEP
	ADD  $64, R8

more:
	CMP  R9, R8
	BLO  read

	MOVD dst+0(FP), R0
	MOVD xs+8(FP), R1
	MOVD n+16(FP), R2
	MOVHU q+24(FP), R8
	MOVHU k+26(FP), R9
	MOVWU base+28(FP), R3
	VDUP R8, V0.H8
	VDUP R9, V1.B16
	MOVD $0, R4
	SUB  $16, R2, R5
	MOVD $0x1111111111111111, R6
	MOVD R0, R7

sixteen:
	VLD1.P 32(R1), [V4.B16, V5.B16]
	VEOR V0.B16, V4.B16, V4.B16
	VEOR V0.B16, V5.B16, V5.B16
	VCNT V4.B16, V4.B16
	VCNT V5.B16, V5.B16
	VADDP V5.B16, V4.B16, V4.B16
	ATLEAST(4, 1, 4)
	NIBBLES(4, 4)
	VMOV V4.D[0], R8
	ANDS R6, R8
	BNE  some

next:
	ADD  $16, R4
	CMP  R5, R4
	BLE  sixteen
	CMP  R2, R4
	BGE  done
	SUB  R5, R4, R8 // the values that have been seen, 1 to 15
	SUB  R8<<1, R1, R1
	LSL  $2, R8, R8
	LSL  R8, R6, R6
	MOVD R5, R4
	B    sixteen

some:
	ADD  R3, R4, R9

each:
	RBIT R8, R10
	CLZ  R10, R10
	ADD  R10>>2, R9, R10
	MOVW.P R10, 4(R0)
	SUB  $1, R8, R10
	ANDS R10, R8
	BNE  each
	B    next

done:
	SUB  R7, R0, R0
	LSR  $2, R0, R0
	MOVD R0, ret+48(FP)
	RET
