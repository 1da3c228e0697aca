//go:build !purego

#include "textflag.h"
#include "mix_amd64.h"

DATA ·windows<>+0(SB)/8, $0x0706050403020100
DATA ·windows<>+8(SB)/8, $0x0807060504030201
DATA ·windows<>+16(SB)/8, $0x0908070605040302
DATA ·windows<>+24(SB)/8, $0x0a09080706050403
DATA ·windows<>+32(SB)/8, $0x0b0a090807060504
DATA ·windows<>+40(SB)/8, $0x0c0b0a0908070605
DATA ·windows<>+48(SB)/8, $0x0d0c0b0a09080706
DATA ·windows<>+56(SB)/8, $0x0e0d0c0b0a090807
GLOBL ·windows<>(SB), RODATA|NOPTR, $64

// func asciiGramsAVX512(dst *uint64, text *byte, grams int, keep uint64)
//
// Sixteen bytes of the text go to each quarter of a vector. A shuffle moves the eight bytes from i on to lane i, and
// clears those that are not in K1.
//
// Registers: DI = dst, SI = text, CX = the number of n-grams left.
TEXT ·asciiGramsAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ text+8(FP), SI
	MOVQ grams+16(FP), CX
	MOVQ keep+24(FP), AX
	KMOVQ AX, K1
	FACTOR(0xff51afd7ed558ccd, Z18)
	FACTOR(0xc4ceb9fe1a85ec53, Z19)
	VMOVDQU64 ·windows<>(SB), Z20

eight:
	VBROADCASTI64X2 (SI), Z0
	VPSHUFB.Z Z20, Z0, K1, Z0
	MIX(Z0, Z1)
	VMOVDQU64 Z0, (DI)
	ADDQ $8, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JNZ  eight
	VZEROUPPER
	RET

// func asciiGramsBase(dst *uint64, text *byte, grams int, keep uint64)
//
// This is asciiGramsAVX512 of four n-grams at a time. keep has the bits of n bytes.
TEXT ·asciiGramsBase(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ text+8(FP), SI
	MOVQ grams+16(FP), CX
	VPBROADCASTQ keep+24(FP), Y15
	EACH2(0xff51afd7ed558ccd, X8, Y8, Y9)
	EACH2(0xc4ceb9fe1a85ec53, X10, Y10, Y11)
	VMOVDQU ·windows<>(SB), Y12

four:
	VBROADCASTI128 (SI), Y0
	VPSHUFB Y12, Y0, Y0
	VPAND Y15, Y0, Y0
	SHIFTED2(Y0, Y1)
	TIMES2(Y0, Y8, Y9, Y1, Y2)
	SHIFTED2(Y0, Y1)
	TIMES2(Y0, Y10, Y11, Y1, Y2)
	SHIFTED2(Y0, Y1)
	VMOVDQU Y0, (DI)
	ADDQ $4, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JNZ  four
	VZEROUPPER
	RET
