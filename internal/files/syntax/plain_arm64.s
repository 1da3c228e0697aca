//go:build !purego

#include "textflag.h"

// NIBBLES puts four bits of each byte of Vn, of which all or none are set, into the lower half of Vd, in order. Go's assembler does not know
// this instruction: SHRN Vd.8B, Vn.8H, #4.
#define NIBBLES(n, d) WORD $(0x0f0c8400 | (n)<<5 | (d))

// func plainNEON(s *byte, n int) int
//
// The last block overlaps the one before, which has nothing special. This takes 13 instructions for sixteen bytes; Go takes 56.
//
// Registers: R0 = the next block, R1 = the number of bytes left, R2 = s, V4 = 31, V5 = 34, a quotation mark, V6 = 92, a backslash.
TEXT ·plainNEON(SB), NOSPLIT, $0-24
	MOVD s+0(FP), R0
	MOVD n+8(FP), R1
	MOVD R0, R2
	VMOVI $31, V4.B16
	VMOVI $34, V5.B16
	VMOVI $92, V6.B16

sixteen:
	VLD1.P 16(R0), [V0.B16]
	VUMIN V4.B16, V0.B16, V1.B16
	VCMEQ V0.B16, V1.B16, V1.B16 // control characters
	VCMEQ V5.B16, V0.B16, V2.B16
	VCMEQ V6.B16, V0.B16, V3.B16
	VORR V2.B16, V1.B16, V1.B16
	VORR V3.B16, V1.B16, V1.B16
	NIBBLES(1, 1)
	VMOV V1.D[0], R3
	CBNZ R3, found
	SUB  $16, R1
	CMP  $16, R1
	BGE  sixteen
	ADD  R1, R0
	CBZ  R1, none
	SUB  $16, R0
	MOVD $16, R1
	B    sixteen

found:
	RBIT R3, R3
	CLZ  R3, R3
	SUB  $16, R0
	ADD  R3>>2, R0

none:
	SUB  R2, R0
	MOVD R0, ret+16(FP)
	RET
