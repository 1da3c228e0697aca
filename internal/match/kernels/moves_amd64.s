//go:build !purego

#include "textflag.h"

// func applyAVX512(dst, xs *uint64, n int, moves *Move, m int)
//
// A step takes sixteen values, in two registers. Each move is broadcast, and applied to the values under its
// mask: they are rotated and added to the results by bitwise or.
//
// Registers: DI = dst, SI = xs, CX = n, DX = moves, R8 = m, R9 = the move, R10 = the number of moves left.
TEXT ·applyAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ xs+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ moves+24(FP), DX
	MOVQ m+32(FP), R8

block:
	VMOVDQU64 (SI), Z1
	VMOVDQU64 64(SI), Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	MOVQ DX, R9
	MOVQ R8, R10

move:
	VPBROADCASTQ (R9), Z5
	VPBROADCASTQ 8(R9), Z6
	VPANDQ Z1, Z5, Z7
	VPANDQ Z2, Z5, Z8
	VPROLVQ Z6, Z7, Z7
	VPROLVQ Z6, Z8, Z8
	VPORQ Z7, Z3, Z3
	VPORQ Z8, Z4, Z4
	ADDQ $16, R9
	DECQ R10
	JNZ  move
	VMOVDQU64 Z3, (DI)
	VMOVDQU64 Z4, 64(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JNZ  block
	VZEROUPPER
	RET

// func matchAVX512(dst, xs *uint64, n int, moves *Move, m int, shift, top uint64) int
//
// A step takes eight values. They are moved as above, and compared by their highest bits. The matching values
// are compressed and stored as a whole vector. The next store overwrites the rest of the vector.
//
// Registers: DI = dst, SI = xs, CX = n, DX = moves, R8 = m, R9 = the move, R10 = the number of moves left,
// AX = the number of values written.
TEXT ·matchAVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ xs+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ moves+24(FP), DX
	MOVQ m+32(FP), R8
	VPBROADCASTQ shift+40(FP), Z10
	VPBROADCASTQ top+48(FP), Z11
	XORL AX, AX

matchBlock:
	VMOVDQU64 (SI), Z1
	VPXORQ Z3, Z3, Z3
	MOVQ DX, R9
	MOVQ R8, R10

matchMove:
	VPBROADCASTQ (R9), Z5
	VPBROADCASTQ 8(R9), Z6
	VPANDQ Z1, Z5, Z7
	VPROLVQ Z6, Z7, Z7
	VPORQ Z7, Z3, Z3
	ADDQ $16, R9
	DECQ R10
	JNZ  matchMove
	VPSRLVQ Z10, Z3, Z4
	VPCMPEQQ Z11, Z4, K1
	VPCOMPRESSQ.Z Z3, K1, Z4
	VMOVDQU64 Z4, (DI)(AX*8)
	KMOVB K1, BX
	POPCNTL BX, BX
	ADDQ BX, AX
	ADDQ $64, SI
	SUBQ $8, CX
	JNZ  matchBlock
	MOVQ AX, ret+56(FP)
	VZEROUPPER
	RET
