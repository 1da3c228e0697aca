//go:build !purego

#include "textflag.h"

// MIX is fmix64, the finalizer of MurmurHash3. R8 and R9 = its factors. A product of 64 bits takes NEON six instructions for two, and the
// processor one without it, which can also shift what it combines. So there are no vectors in this file.
#define MIX(h) \
	EOR h>>33, h, h \
	MUL R8, h, h    \
	EOR h>>33, h, h \
	MUL R9, h, h    \
	EOR h>>33, h, h

// func murmurBase(dst *uint64, text *byte, spans *[2]int, n int) uint64
//
// This is murmurShort. It takes 37 instructions for a feature; Go takes 88.
//
// Registers: R0 = dst, R1 = text, R2 = spans, R3 = the number of features left, R4 = n, R5 = the mask of long features, whose last bit is
// that of the last feature, R6 and R7 = factors, R10 = shortMasks, R12 = the length of a feature, R13 and R14 = its halves.
TEXT ·murmurBase(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD text+8(FP), R1
	MOVD spans+16(FP), R2
	MOVD n+24(FP), R3
	MOVD R3, R4
	MOVD $0, R5
	MOVD $0x87c37b91114253d5, R6
	MOVD $0x4cf5ad432745937f, R7
	MOVD $0xff51afd7ed558ccd, R8
	MOVD $0xc4ceb9fe1a85ec53, R9
	MOVD $·shortMasks(SB), R10

feature:
	LDP.P 16(R2), (R11, R12)
	SUB  R11, R12, R12
	ADD  R1, R11, R11
	LDP  (R11), (R13, R14)
	CMP  $15, R12
	CSET HI, R15
	LSR  $1, R5, R5
	ORR  R15<<63, R5, R5
	AND  $15, R12, R15
	ADD  R15<<4, R10, R15
	LDP  (R15), (R15, R16)
	AND  R15, R13, R13
	AND  R16, R14, R14
	MUL  R6, R13, R13
	MUL  R7, R14, R14
	ROR  $33, R13, R13
	ROR  $31, R14, R14
	MUL  R7, R13, R13
	MUL  R6, R14, R14
	EOR  R12, R13, R13
	EOR  R12, R14, R14
	ADD  R14, R13, R13
	ADD  R13, R14, R14
	MIX(R13)
	MIX(R14)
	ADD  R14, R13, R13
	MOVD.P R13, 8(R0)
	SUBS $1, R3
	BNE  feature
	NEG  R4, R4
	LSR  R4, R5, R5 // by 64 - n
	MOVD R5, ret+32(FP)
	RET

// func asciiGramsBase(dst *uint64, text *byte, grams int, keep uint64)
//
// This takes 10 instructions for an n-gram; Go takes 28.
//
// Registers: R0 = dst, R1 = text, R2 = the number of n-grams left, R3 = keep.
TEXT ·asciiGramsBase(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD text+8(FP), R1
	MOVD grams+16(FP), R2
	MOVD keep+24(FP), R3
	MOVD $0xff51afd7ed558ccd, R8
	MOVD $0xc4ceb9fe1a85ec53, R9

gram:
	MOVD.P 1(R1), R4
	AND  R3, R4, R4
	MIX(R4)
	MOVD.P R4, 8(R0)
	SUBS $1, R2
	BNE  gram
	RET
