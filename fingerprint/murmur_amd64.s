//go:build !purego

#include "textflag.h"
#include "mix_amd64.h"

DATA ·evenThenOdd<>+0(SB)/8, $0
DATA ·evenThenOdd<>+8(SB)/8, $2
DATA ·evenThenOdd<>+16(SB)/8, $4
DATA ·evenThenOdd<>+24(SB)/8, $6
DATA ·evenThenOdd<>+32(SB)/8, $1
DATA ·evenThenOdd<>+40(SB)/8, $3
DATA ·evenThenOdd<>+48(SB)/8, $5
DATA ·evenThenOdd<>+56(SB)/8, $7
GLOBL ·evenThenOdd<>(SB), RODATA|NOPTR, $64

// func murmurAVX512(dst *uint64, text *byte, spans *[2]int, n int) uint64
//
// This is murmurShort of eight features at a time. Sixteen bytes are loaded at each, and those behind its end are
// cleared. A shift by 64 or more gives zero, so that ones shifted by eight bits for each byte of the length are the
// bytes to clear.
//
// Unpacking two vectors of pairs leaves the lanes in the order 0 4 1 5 2 6 3 7, which is put right at the end.
//
// Registers: DI = dst, SI = text, DX = spans, CX = the number of features left, R8 = the number of the first
// feature of the block, R9 to R12 = where features begin, R13 = the mask of long features, Z2 = the lengths, Z4 and Z5 =
// the first and the second half of each feature.
TEXT ·murmurAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ text+8(FP), SI
	MOVQ spans+16(FP), DX
	MOVQ n+24(FP), CX
	FACTOR(0x87c37b91114253d5, Z16)
	FACTOR(0x4cf5ad432745937f, Z17)
	FACTOR(0xff51afd7ed558ccd, Z18)
	FACTOR(0xc4ceb9fe1a85ec53, Z19)
	FACTOR(64, Z20)
	FACTOR(15, Z21)
	VPTERNLOGQ $255, Z22, Z22, Z22 // all ones
	VMOVDQU64 ·evenThenOdd<>(SB), Z23
	XORL R8, R8
	XORL R13, R13

eight:
	VMOVDQU64 (DX), Z0
	VMOVDQU64 64(DX), Z1
	VPUNPCKLQDQ Z1, Z0, Z2
	VPUNPCKHQDQ Z1, Z0, Z3
	VPSUBQ Z2, Z3, Z2
	MOVQ (DX), R9
	MOVQ 16(DX), R10
	MOVQ 32(DX), R11
	MOVQ 48(DX), R12
	VMOVDQU (SI)(R9*1), X0
	VINSERTI64X2 $1, (SI)(R10*1), Z0, Z0
	VINSERTI64X2 $2, (SI)(R11*1), Z0, Z0
	VINSERTI64X2 $3, (SI)(R12*1), Z0, Z0
	MOVQ 64(DX), R9
	MOVQ 80(DX), R10
	MOVQ 96(DX), R11
	MOVQ 112(DX), R12
	VMOVDQU (SI)(R9*1), X1
	VINSERTI64X2 $1, (SI)(R10*1), Z1, Z1
	VINSERTI64X2 $2, (SI)(R11*1), Z1, Z1
	VINSERTI64X2 $3, (SI)(R12*1), Z1, Z1
	VPUNPCKLQDQ Z1, Z0, Z4
	VPUNPCKHQDQ Z1, Z0, Z5

	// the bytes of each feature
	VPSLLQ $3, Z2, Z6
	VPSLLVQ Z6, Z22, Z7
	VPANDNQ Z4, Z7, Z4
	VPMAXSQ Z20, Z6, Z6
	VPSUBQ Z20, Z6, Z6
	VPSLLVQ Z6, Z22, Z7
	VPANDNQ Z5, Z7, Z5

	// the features of more than 15 bytes
	VPERMQ Z2, Z23, Z6
	VPCMPUQ $6, Z21, Z6, K1 // $6 is >: Z6 > Z21
	KMOVB K1, AX
	SHLXQ R8, AX, AX
	ORQ  AX, R13

	VPMULLQ Z16, Z4, Z4
	VPMULLQ Z17, Z5, Z5
	VPROLQ $31, Z4, Z4
	VPROLQ $33, Z5, Z5
	VPMULLQ Z17, Z4, Z4
	VPMULLQ Z16, Z5, Z5
	VPXORQ Z2, Z4, Z4
	VPXORQ Z2, Z5, Z5
	VPADDQ Z5, Z4, Z4
	VPADDQ Z4, Z5, Z5
	MIX(Z4, Z6)
	MIX(Z5, Z7)
	VPADDQ Z5, Z4, Z4
	VPERMQ Z4, Z23, Z4
	VMOVDQU64 Z4, (DI)

	ADDQ $128, DX
	ADDQ $64, DI
	ADDQ $8, R8
	SUBQ $8, CX
	JNZ  eight
	MOVQ R13, ret+32(FP)
	VZEROUPPER
	RET

#define ROTATE2(n, m, h, t) \
	VPSLLQ n, h, t \
	VPSRLQ m, h, h \
	VPOR t, h, h

// func murmurBase(dst *uint64, text *byte, spans *[2]int, n int) uint64
//
// This is murmurAVX512 of four features at a time, in the order 0 2 1 3. The factors of fmix64 are loaded where they are needed.
//
// Registers: as in murmurAVX512, Y8 to Y11 = the first two factors, Y12 = all ones, Y2 = the lengths, Y4 and Y5 = the halves.
TEXT ·murmurBase(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ text+8(FP), SI
	MOVQ spans+16(FP), DX
	MOVQ n+24(FP), CX
	EACH2(0x87c37b91114253d5, X8, Y8, Y9)
	EACH2(0x4cf5ad432745937f, X10, Y10, Y11)
	VPCMPEQQ Y12, Y12, Y12
	MOVQ $64, AX
	VMOVQ AX, X13
	VPBROADCASTQ X13, Y13
	MOVQ $15, AX
	VMOVQ AX, X14
	VPBROADCASTQ X14, Y14
	XORL R8, R8
	XORL R13, R13

four:
	VMOVDQU (DX), Y0
	VMOVDQU 32(DX), Y1
	VPUNPCKLQDQ Y1, Y0, Y2
	VPUNPCKHQDQ Y1, Y0, Y3
	VPSUBQ Y2, Y3, Y2
	MOVQ (DX), R9
	MOVQ 16(DX), R10
	MOVQ 32(DX), R11
	MOVQ 48(DX), R12
	VMOVDQU (SI)(R9*1), X0
	VINSERTI128 $1, (SI)(R10*1), Y0, Y0
	VMOVDQU (SI)(R11*1), X1
	VINSERTI128 $1, (SI)(R12*1), Y1, Y1
	VPUNPCKLQDQ Y1, Y0, Y4
	VPUNPCKHQDQ Y1, Y0, Y5

	// the features of more than 15 bytes
	VPCMPGTQ Y14, Y2, Y6
	VPERMQ $0xd8, Y6, Y6
	VMOVMSKPD Y6, AX
	SHLXQ R8, AX, AX
	ORQ  AX, R13

	// the bytes of each feature
	VPSLLQ $3, Y2, Y6
	VPSLLVQ Y6, Y12, Y7
	VPANDN Y4, Y7, Y4
	VPSUBUSW Y13, Y6, Y6 // not below zero; longer ones do not matter
	VPSLLVQ Y6, Y12, Y7
	VPANDN Y5, Y7, Y5

	TIMES2(Y4, Y8, Y9, Y6, Y7)
	TIMES2(Y5, Y10, Y11, Y6, Y7)
	ROTATE2($31, $33, Y4, Y6)
	ROTATE2($33, $31, Y5, Y6)
	TIMES2(Y4, Y10, Y11, Y6, Y7)
	TIMES2(Y5, Y8, Y9, Y6, Y7)
	VPXOR Y2, Y4, Y4
	VPXOR Y2, Y5, Y5
	VPADDQ Y5, Y4, Y4
	VPADDQ Y4, Y5, Y5
	EACH2(0xff51afd7ed558ccd, X0, Y0, Y1)
	SHIFTED2(Y4, Y6)
	SHIFTED2(Y5, Y6)
	TIMES2(Y4, Y0, Y1, Y6, Y7)
	TIMES2(Y5, Y0, Y1, Y6, Y7)
	EACH2(0xc4ceb9fe1a85ec53, X0, Y0, Y1)
	SHIFTED2(Y4, Y6)
	SHIFTED2(Y5, Y6)
	TIMES2(Y4, Y0, Y1, Y6, Y7)
	TIMES2(Y5, Y0, Y1, Y6, Y7)
	SHIFTED2(Y4, Y6)
	SHIFTED2(Y5, Y6)
	VPADDQ Y5, Y4, Y4
	VPERMQ $0xd8, Y4, Y4
	VMOVDQU Y4, (DI)

	ADDQ $64, DX
	ADDQ $32, DI
	ADDQ $4, R8
	SUBQ $4, CX
	JNZ  four
	MOVQ R13, ret+32(FP)
	VZEROUPPER
	RET
