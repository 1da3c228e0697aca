//go:build !purego

#include "textflag.h"

// FILL sets each byte of a vector to a character or a number.
#define FILL(x, z) \
	MOVL $x, AX \
	VPBROADCASTB AX, z

// func classifyAVX512(dst *byte, ms *masks, text *byte, n int) uint64
//
// Letters are one range after folding. A range takes a subtraction and an unsigned comparison. The last block is
// loaded and stored under a mask. Its missing characters are zeros, which are in no class.
//
// Registers: DI = dst, DX = ms, SI = text, CX = the number of characters left, R8 =
// the union of the masks of underscores, K7 = the characters of this block.
TEXT ·classifyAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ ms+8(FP), DX
	MOVQ text+16(FP), SI
	MOVQ n+24(FP), CX
	FILL(0x41, Z16) // A
	FILL(26, Z17)
	FILL(0x20, Z18) // from upper to lower case
	FILL(0x61, Z19) // a
	FILL(0x30, Z20) // 0
	FILL(10, Z21)
	FILL(0x5f, Z22) // _
	FILL(0x3a, Z23) // :
	FILL(0x2c, Z24) // ,
	FILL(0x3b, Z25) // ;
	FILL(0x2e, Z26) // .
	FILL(0x27, Z27) // '
	XORL R8, R8
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
	VPSUBB Z16, Z0, Z1
	VPCMPUB $1, Z17, Z1, K1 // $1 is <: Z1 < Z17
	VPADDB Z18, Z0, K1, Z0
	VMOVDQU8 Z0, K7, (DI)
	VPSUBB Z19, Z0, Z1
	VPCMPUB $1, Z17, Z1, K1
	VPMOVB2M Z0, K2 // bytes above 0x7f are of letters, too
	KORQ K2, K1, K1
	KMOVQ K1, (DX)
	VPSUBB Z20, Z0, Z1
	VPCMPUB $1, Z21, Z1, K2
	KMOVQ K2, 8(DX)
	VPCMPEQB Z22, Z0, K3
	KMOVQ K3, 16(DX)
	KMOVQ K3, AX
	ORQ  AX, R8
	VPCMPEQB Z26, Z0, K4
	VPCMPEQB Z27, Z0, K5
	KORQ K4, K5, K4 // . and ' join letters and digits
	VPCMPEQB Z23, Z0, K5
	KORQ K4, K5, K5
	KMOVQ K5, 24(DX)
	VPCMPEQB Z24, Z0, K5
	VPCMPEQB Z25, Z0, K6
	KORQ K5, K6, K5
	KORQ K4, K5, K5
	KMOVQ K5, 32(DX)
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $40, DX
	SUBQ $64, CX
	JG   next
	MOVQ R8, ret+32(FP)
	VZEROUPPER
	RET

DATA ·upTo15<>+0(SB)/8, $0x0000000100000000
DATA ·upTo15<>+8(SB)/8, $0x0000000300000002
DATA ·upTo15<>+16(SB)/8, $0x0000000500000004
DATA ·upTo15<>+24(SB)/8, $0x0000000700000006
DATA ·upTo15<>+32(SB)/8, $0x0000000900000008
DATA ·upTo15<>+40(SB)/8, $0x0000000b0000000a
DATA ·upTo15<>+48(SB)/8, $0x0000000d0000000c
DATA ·upTo15<>+56(SB)/8, $0x0000000f0000000e
GLOBL ·upTo15<>(SB), RODATA|NOPTR, $64

// WORDS computes masks.words of the block at SI, and sets BX to the edges in it. R8 is the last word bit of the block before, and
// becomes that of this one. It changes DX and R9 to R12.
#define WORDS \
	MOVQ (SI), R9 /* letters */ \
	MOVQ -40(SI), R10 /* those before */ \
	MOVQ 40(SI), R11 /* and after */ \
	MOVQ R9, BX \
	MOVQ R9, DX \
	SHLQ $1, R10, BX /* BX<<1 | R10>>63 */ \
	SHRQ $1, R11, DX /* DX>>1 | R11<<63 */ \
	ANDQ DX, BX \
	ANDQ 24(SI), BX /* characters that join letters */ \
	ORQ  R9, BX \
	MOVQ 8(SI), R9 /* digits */ \
	MOVQ -32(SI), R10 \
	MOVQ 48(SI), R11 \
	MOVQ R9, R12 \
	MOVQ R9, DX \
	SHLQ $1, R10, R12 \
	SHRQ $1, R11, DX \
	ANDQ DX, R12 \
	ANDQ 32(SI), R12 /* characters that join digits */ \
	ORQ  R12, BX \
	ORQ  R9, BX \
	ORQ  16(SI), BX /* underscores */ \
	MOVQ BX, DX \
	ADDQ DX, DX \
	ORQ  R8, DX \
	MOVQ BX, R8 \
	SHRQ $63, R8 \
	XORQ DX, BX /* the edges */

// This writes the edges of sixteen bits of BX. The positions in Z0 that have their bit set are compressed and
// stored as a whole vector. The next store overwrites the rest of the vector.
#define EMIT16 \
	KMOVW BX, K1                \
	VPCOMPRESSD.Z Z0, K1, Z1    \
	VMOVDQU32 Z1, (DI)(AX*4)    \
	MOVWLZX BX, R12             \
	POPCNTL R12, R12            \
	ADDQ R12, AX                \
	SHRQ $16, BX                \
	VPADDD Z2, Z0, Z0

// func edgesAVX512(edges *uint32, ms *masks, n int) int
//
// Registers: DI = edges, SI = masks of the block, CX = the number of blocks left, AX = the
// number of edges written, Z0 = the positions of 16 characters.
TEXT ·edgesAVX512(SB), NOSPLIT, $0-32
	MOVQ edges+0(FP), DI
	MOVQ ms+8(FP), SI
	MOVQ n+16(FP), CX
	ADDQ $40, SI
	VMOVDQU32 ·upTo15<>(SB), Z0
	MOVL $16, AX
	VPBROADCASTD AX, Z2
	XORL AX, AX
	XORL R8, R8

words:
	WORDS
	EMIT16
	EMIT16
	EMIT16
	EMIT16
	ADDQ $40, SI
	DECQ CX
	JNZ  words
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

#define FILL2(x, X, Y) \
	MOVL $x, AX \
	VMOVD AX, X \
	VPBROADCASTB X, Y

// IN sets the bytes of m where z - from is at most last, unsigned. It takes Y5.
#define IN(z, from, last, m) \
	VPSUBB from, z, Y5 \
	VPMINUB last, Y5, m \
	VPCMPEQB m, Y5, m

// HALF classifies 32 characters at at(SI). It leaves the mask of each class in a register.
#define HALF(at, letters, digits, unders, betweenLetters, betweenDigits) \
	VMOVDQU at(SI), Y0 \
	IN(Y0, Y6, Y7, Y1) \
	VPAND Y8, Y1, Y1 \
	VPADDB Y1, Y0, Y0 \
	VMOVDQU Y0, at(DI) \
	IN(Y0, Y9, Y7, Y1) \
	VPOR Y0, Y1, Y1 /* bytes above 0x7f are of letters, too */ \
	VPMOVMSKB Y1, letters \
	IN(Y0, Y10, Y11, Y1) \
	VPMOVMSKB Y1, digits \
	VPCMPEQB Y3, Y0, Y1 \
	VPMOVMSKB Y1, unders \
	VPCMPEQB Y12, Y0, Y1 \
	VPCMPEQB Y13, Y0, Y2 \
	VPOR Y1, Y2, Y1 /* . and ' join letters and digits */ \
	VPCMPEQB Y14, Y0, Y2 \
	VPOR Y1, Y2, Y2 \
	VPMOVMSKB Y2, betweenLetters \
	VPCMPEQB Y15, Y0, Y2 \
	VPOR Y1, Y2, Y2 \
	VPCMPEQB Y4, Y0, Y1 \
	VPOR Y1, Y2, Y2 \
	VPMOVMSKB Y2, betweenDigits

// func classifyVectors(dst *byte, ms *masks, text *byte, n int) uint64
//
// Registers: DI = dst, DX = ms, SI = text, CX = the number of blocks left, AX = the union of the masks of underscores.
TEXT ·classifyVectors(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ ms+8(FP), DX
	MOVQ text+16(FP), SI
	MOVQ n+24(FP), CX
	FILL2(0x5f, X3, Y3)   // _
	FILL2(0x3b, X4, Y4)   // ;
	FILL2(0x41, X6, Y6)   // A
	FILL2(25, X7, Y7)
	FILL2(0x20, X8, Y8)   // from upper to lower case
	FILL2(0x61, X9, Y9)   // a
	FILL2(0x30, X10, Y10) // 0
	FILL2(9, X11, Y11)
	FILL2(0x2e, X12, Y12) // .
	FILL2(0x27, X13, Y13) // '
	FILL2(0x3a, X14, Y14) // :
	FILL2(0x2c, X15, Y15) // ,
	XORL AX, AX

blocks:
	HALF(0, R8, R9, R10, R11, R12)
	MOVQ R8, (DX)
	MOVQ R9, 8(DX)
	MOVQ R10, 16(DX)
	MOVQ R11, 24(DX)
	MOVQ R12, 32(DX)
	HALF(32, R8, R9, R10, R11, R12)
	MOVL R8, 4(DX)
	MOVL R9, 12(DX)
	MOVL R10, 20(DX)
	MOVL R11, 28(DX)
	MOVL R12, 36(DX)
	ORQ  16(DX), AX
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $40, DX
	DECQ CX
	JNZ  blocks
	MOVQ AX, ret+32(FP)
	VZEROUPPER
	RET

// EMIT writes the position of the lowest bit of BX, and takes the bit away.
#define EMIT(at) \
	TZCNTQ BX, DX \
	ADDL R13, DX \
	MOVL DX, at(R9) \
	BLSRQ BX, BX

// func edgesAVX2(edges *uint32, ms *masks, n int) int
//
// The edges of a block are written eight at a time. What is written too much, the next block overwrites.
//
// Registers: DI = edges, SI = masks of the block, CX = the number of blocks left, AX = the number of edges written, R13 = the first
// position of the block.
TEXT ·edgesAVX2(SB), NOSPLIT, $0-32
	MOVQ edges+0(FP), DI
	MOVQ ms+8(FP), SI
	MOVQ n+16(FP), CX
	ADDQ $40, SI
	XORL AX, AX
	XORL R8, R8
	XORL R13, R13

words:
	WORDS
	LEAQ (DI)(AX*4), R9
	POPCNTQ BX, R10
	ADDQ R10, AX

eight:
	EMIT(0)
	EMIT(4)
	EMIT(8)
	EMIT(12)
	EMIT(16)
	EMIT(20)
	EMIT(24)
	EMIT(28)
	ADDQ $32, R9
	TESTQ BX, BX
	JNZ  eight
	ADDQ $64, R13
	ADDQ $40, SI
	DECQ CX
	JNZ  words
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET
