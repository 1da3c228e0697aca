//go:build !purego

#include "textflag.h"

// func plainAVX512(s *byte, n int) int
//
// Registers: SI = the next block, CX = the number of bytes left, DI = s, K7 = the bytes of this block. The last
// block is loaded under a mask; its missing bytes are zeros, which the comparisons leave out.
TEXT ·plainAVX512(SB), NOSPLIT, $0-24
	MOVQ s+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI
	MOVL $0x20, AX
	VPBROADCASTB AX, Z1
	MOVL $0x22, AX // "
	VPBROADCASTB AX, Z2
	MOVL $0x5c, AX // \
	VPBROADCASTB AX, Z3
	MOVQ $-1, AX
	KMOVQ AX, K7

next:
	CMPQ CX, $64
	JGE  whole
	MOVQ $-1, AX
	BZHIQ CX, AX, AX
	KMOVQ AX, K7

whole:
	VMOVDQU8.Z (SI), K7, Z0
	VPCMPUB $1, Z1, Z0, K7, K1 // $1 is <: Z0 < Z1
	VPCMPEQB Z2, Z0, K7, K2
	VPCMPEQB Z3, Z0, K7, K3
	KORQ K1, K2, K1
	KORQ K1, K3, K1
	KMOVQ K1, AX
	TESTQ AX, AX
	JNZ  found
	ADDQ $64, SI
	SUBQ $64, CX
	JG   next
	MOVQ n+8(FP), AX
	MOVQ AX, ret+16(FP)
	VZEROUPPER
	RET

found:
	TZCNTQ AX, AX
	ADDQ SI, AX
	SUBQ DI, AX
	MOVQ AX, ret+16(FP)
	VZEROUPPER
	RET
