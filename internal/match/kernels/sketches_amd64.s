//go:build !purego

#include "textflag.h"

// Both functions go through the blocks, and for each through the words of the sketches, and add up the bits that differ
// to the number of each of the eight sketches. They do not check the requirements of their declarations.
//
// Registers: DI = masks, CX = blocks left, SI = the next words of a block, R8 = q or its next word, R9 = words, DX = word
// or the words that are left of some.

// func sketchesWithinAVX512(masks *uint8, n int, blocks, q *uint64, words, limit int)
//
// A vector has a word of each of the eight sketches.
TEXT ·sketchesWithinAVX512(SB), NOSPLIT, $0-48
	MOVQ masks+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ blocks+16(FP), SI
	MOVQ q+24(FP), R8
	MOVQ words+32(FP), R9
	VPBROADCASTQ limit+40(FP), Z2

block:
	VMOVDQU64 (SI), Z3
	ADDQ $64, SI
	XORQ DX, DX

word:
	VPBROADCASTQ (R8)(DX*8), Z4
	VPXORQ (SI), Z4, Z4
	VPOPCNTQ Z4, Z4
	VPADDQ Z4, Z3, Z3
	ADDQ $64, SI
	INCQ DX
	CMPQ DX, R9
	JLT  word
	VPCMPQ $2, Z2, Z3, K1 // $2 is <=: Z3 <= Z2
	KMOVB K1, BX
	MOVB BX, (DI)
	INCQ DI
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET

// func sketchesWithinVectors(masks *uint8, n int, blocks, q *uint64, words, limit int)
//
// Two vectors have a word of four of the sketches each. The counts of nibbles are looked up, as in nextWithinVectors. Those
// of up to 31 words are added up in bytes.
TEXT ·sketchesWithinVectors(SB), NOSPLIT, $0-48
	MOVQ masks+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ blocks+16(FP), SI
	MOVQ words+32(FP), R9
	VPBROADCASTQ limit+40(FP), Y2
	VMOVDQU ·nibbles(SB), Y5
	VPBROADCASTQ ·lowNibbles(SB), Y6
	VPXOR Y7, Y7, Y7
	MOVL $31, R11

block2:
	VMOVDQU (SI), Y3
	VMOVDQU 32(SI), Y4
	ADDQ $64, SI
	MOVQ q+24(FP), R8
	MOVQ R9, R10

some2:
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	MOVQ R10, DX
	CMPQ DX, R11
	CMOVQGT R11, DX
	SUBQ DX, R10

word2:
	VPBROADCASTQ (R8), Y8
	VPXOR (SI), Y8, Y9
	VPXOR 32(SI), Y8, Y10
	VPSRLW $4, Y9, Y11
	VPSRLW $4, Y10, Y12
	VPAND Y6, Y9, Y9
	VPAND Y6, Y10, Y10
	VPAND Y6, Y11, Y11
	VPAND Y6, Y12, Y12
	VPSHUFB Y9, Y5, Y9
	VPSHUFB Y10, Y5, Y10
	VPSHUFB Y11, Y5, Y11
	VPSHUFB Y12, Y5, Y12
	VPADDB Y9, Y13, Y13
	VPADDB Y10, Y14, Y14
	VPADDB Y11, Y13, Y13
	VPADDB Y12, Y14, Y14
	ADDQ $64, SI
	ADDQ $8, R8
	DECQ DX
	JNZ  word2
	VPSADBW Y7, Y13, Y13
	VPSADBW Y7, Y14, Y14
	VPADDQ Y13, Y3, Y3
	VPADDQ Y14, Y4, Y4
	TESTQ R10, R10
	JNZ  some2
	VPCMPGTQ Y2, Y3, Y3 // all ones where the count is above limit
	VPCMPGTQ Y2, Y4, Y4
	VMOVMSKPD Y3, BX
	VMOVMSKPD Y4, AX
	SHLL $4, AX
	ORL  AX, BX
	XORL $255, BX
	MOVB BX, (DI)
	INCQ DI
	DECQ CX
	JNZ  block2
	VZEROUPPER
	RET
