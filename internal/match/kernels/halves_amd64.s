//go:build !purego

#include "textflag.h"

DATA ·ones8+0(SB)/8, $0x0101010101010101
GLOBL ·ones8(SB), RODATA|NOPTR, $8

// func listWithin16Vectors(dst *uint32, xs *uint16, n int, q, k uint16, base uint32, ahead *uint16, bytes int) int
//
// A vector has sixteen values. The bits of their XOR with q are counted as in nextWithinVectors, and VPMADDUBSW adds the two bytes
// of each value. Few values are within k, so that their indices are written one by one. The last vector overlaps the one before;
// the values that it has again are masked.
//
// Registers: DI = dst, SI = xs, CX = n, AX = i, R8 = base, R9 = n - 16, R11 = dst at the beginning, R12 = the mask.
TEXT ·listWithin16Vectors(SB), NOSPLIT, $0-56
	MOVQ ahead+32(FP), AX
	MOVQ bytes+40(FP), DX
	ADDQ AX, DX
	JMP  more

read:
	PREFETCHT0 (AX)
	ADDQ $64, AX

more:
	CMPQ AX, DX
	JB   read

	MOVQ dst+0(FP), DI
	MOVQ xs+8(FP), SI
	MOVQ n+16(FP), CX
	VPBROADCASTW q+24(FP), Y1
	VPBROADCASTW k+26(FP), Y2
	MOVL base+28(FP), R8
	VMOVDQU ·nibbles(SB), Y5
	VPBROADCASTQ ·lowNibbles(SB), Y6
	VPBROADCASTQ ·ones8(SB), Y7
	XORQ AX, AX
	MOVQ DI, R11
	MOVL $0x55555555, R12 // a bit for each value
	LEAQ -16(CX), R9

loop16:
	CMPQ AX, R9
	JGT  last
	VPXOR (SI)(AX*2), Y1, Y3
	VPSRLW $4, Y3, Y4
	VPAND Y6, Y3, Y3
	VPAND Y6, Y4, Y4
	VPSHUFB Y3, Y5, Y3
	VPSHUFB Y4, Y5, Y4
	VPADDB Y3, Y4, Y3
	VPMADDUBSW Y7, Y3, Y3
	VPCMPGTW Y2, Y3, Y3 // all ones where the count is above k
	VPMOVMSKB Y3, BX
	NOTL BX
	ANDL R12, BX
	JNZ  some

next:
	ADDQ $16, AX
	JMP  loop16

some:
	LEAL (R8)(AX*1), R13

each:
	BSFL BX, DX
	SHRL $1, DX
	ADDL R13, DX
	MOVL DX, (DI)
	ADDQ $4, DI
	LEAL -1(BX), DX
	ANDL DX, BX
	JNZ  each
	JMP  next

last:
	CMPQ AX, CX
	JGE  done
	MOVQ CX, R10
	MOVQ AX, CX
	SUBQ R9, CX // the values that have been seen, 1 to 15
	ADDL CX, CX
	SHLL CX, R12
	MOVQ R10, CX
	MOVQ R9, AX
	JMP  loop16

done:
	SUBQ R11, DI
	SHRQ $2, DI
	MOVQ DI, ret+48(FP)
	VZEROUPPER
	RET
