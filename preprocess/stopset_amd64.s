//go:build !purego

#include "textflag.h"

// These are the orders of eight beginnings, 0 to 7, and eight ends, 8 to 15, in spans.
DATA ·spans0to3<>+0(SB)/8, $0
DATA ·spans0to3<>+8(SB)/8, $8
DATA ·spans0to3<>+16(SB)/8, $1
DATA ·spans0to3<>+24(SB)/8, $9
DATA ·spans0to3<>+32(SB)/8, $2
DATA ·spans0to3<>+40(SB)/8, $10
DATA ·spans0to3<>+48(SB)/8, $3
DATA ·spans0to3<>+56(SB)/8, $11
GLOBL ·spans0to3<>(SB), RODATA|NOPTR, $64
DATA ·spans4to7<>+0(SB)/8, $4
DATA ·spans4to7<>+8(SB)/8, $12
DATA ·spans4to7<>+16(SB)/8, $5
DATA ·spans4to7<>+24(SB)/8, $13
DATA ·spans4to7<>+32(SB)/8, $6
DATA ·spans4to7<>+40(SB)/8, $14
DATA ·spans4to7<>+48(SB)/8, $7
DATA ·spans4to7<>+56(SB)/8, $15
GLOBL ·spans4to7<>(SB), RODATA|NOPTR, $64

// This loads a number into each lane.
#define LANES(x, z) \
	MOVQ x, AX \
	VPBROADCASTQ AX, z

// This writes the spans of z whose bit is set in BX, one bit for each of four. R12 = the bits 0, 2, 4 and 6, of which each
// is the first of the two numbers of a span.
#define EMIT4(z) \
	PDEPL R12, BX, BX         \
	LEAL (BX)(BX*2), BX       \
	KMOVB BX, K1              \
	VPCOMPRESSQ.Z z, K1, z    \
	VMOVDQU64 z, (DI)         \
	POPCNTL BX, BX            \
	LEAQ (DI)(BX*8), DI

// func keepAVX512(words *span, text *byte, edges *uint32, keys *[2]uint64, base int, factor uint64, shift uint, blocks int) (done, kept int)
//
// Eight words are looked up at a time. Sixteen bytes are loaded at each, and those behind its end are cleared, as in
// murmurAVX512 of package fingerprint. The keys of a bucket are gathered and compared. A word of at most 8 bytes is
// its own key, so that it is a stop word if the keys are equal.
//
// Registers: DI = words, SI = text, DX = edges, R8 = keys, CX = blocks, R10 = blocks done, R11 = kept, Z1 = ends, Z2 =
// beginnings, Z3 = lengths, Z4 and Z5 = the halves of the words, and then Z4 = their keys.
TEXT ·keepAVX512(SB), NOSPLIT, $0-80
	MOVQ words+0(FP), DI
	MOVQ text+8(FP), SI
	MOVQ edges+16(FP), DX
	MOVQ keys+24(FP), R8
	MOVQ blocks+56(FP), CX
	LANES(base+32(FP), Z16)
	LANES(factor+40(FP), Z17)
	LANES($0x9e3779b97f4a7c15, Z18)
	LANES($64, Z20)
	LANES($8, Z22)
	LANES($16, Z23)
	LANES($0xffffffff, Z26)
	MOVQ shift+48(FP), AX
	VMOVQ AX, X19
	VPTERNLOGQ $255, Z21, Z21, Z21 // all ones
	VMOVDQU64 ·spans0to3<>(SB), Z24
	VMOVDQU64 ·spans4to7<>(SB), Z25
	MOVL $0x55, R12
	XORL R10, R10
	XORL R11, R11

eight:
	VMOVDQU64 (DX), Z0
	VPSRLQ $32, Z0, Z1
	VPANDQ Z26, Z0, Z2
	VPSUBQ Z2, Z1, Z3
	MOVL (DX), AX
	MOVL 16(DX), BX
	VMOVDQU (SI)(AX*1), X4
	VINSERTI64X2 $1, (SI)(BX*1), Z4, Z4
	MOVL 32(DX), AX
	MOVL 48(DX), BX
	VINSERTI64X2 $2, (SI)(AX*1), Z4, Z4
	VINSERTI64X2 $3, (SI)(BX*1), Z4, Z4
	MOVL 8(DX), AX
	MOVL 24(DX), BX
	VMOVDQU (SI)(AX*1), X5
	VINSERTI64X2 $1, (SI)(BX*1), Z5, Z5
	MOVL 40(DX), AX
	MOVL 56(DX), BX
	VINSERTI64X2 $2, (SI)(AX*1), Z5, Z5
	VINSERTI64X2 $3, (SI)(BX*1), Z5, Z5
	VPUNPCKHQDQ Z5, Z4, Z6
	VPUNPCKLQDQ Z5, Z4, Z4

	// the bytes of each word
	VPSLLQ $3, Z3, Z7
	VPSLLVQ Z7, Z21, Z8
	VPANDNQ Z4, Z8, Z4
	VPMAXSQ Z20, Z7, Z7
	VPSUBQ Z20, Z7, Z7
	VPSLLVQ Z7, Z21, Z8
	VPANDNQ Z6, Z8, Z5

	// the keys, and those in their buckets
	VPMULLQ Z17, Z5, Z5
	VPXORQ Z5, Z4, Z4
	VPMULLQ Z18, Z4, Z5
	VPSRLQ X19, Z5, Z5
	VPADDQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	KXNORB K1, K1, K1
	VPGATHERQQ (R8)(Z5*8), K1, Z6
	KXNORB K1, K1, K1
	VPGATHERQQ 8(R8)(Z5*8), K1, Z7
	VPCMPEQQ Z4, Z6, K2
	VPCMPEQQ Z4, Z7, K3
	KORB K2, K3, K2
	VPCMPUQ $6, Z22, Z3, K2, K3 // $6 is >: stop words of more than 8 bytes
	VPCMPUQ $6, Z23, Z3, K4
	KORTESTB K3, K4
	JNZ  done

	KNOTB K2, K2
	KMOVB K2, AX
	VPADDQ Z16, Z1, Z1
	VPADDQ Z16, Z2, Z2
	VMOVDQA64 Z24, Z8
	VMOVDQA64 Z25, Z9
	VPERMI2Q Z1, Z2, Z8
	VPERMI2Q Z1, Z2, Z9
	MOVL AX, BX
	ANDL $15, BX
	EMIT4(Z8)
	MOVL AX, BX
	SHRL $4, BX
	EMIT4(Z9)
	POPCNTL AX, AX
	ADDQ AX, R11
	ADDQ $64, DX
	INCQ R10
	CMPQ R10, CX
	JLT  eight

done:
	MOVQ R10, done+64(FP)
	MOVQ R11, kept+72(FP)
	VZEROUPPER
	RET

// func keepBMI2(words *span, text *byte, edges *uint32, keys *[2]uint64, base int, factor uint64, shift uint, blocks int) (done, kept int)
//
// Registers: DI = words, SI = text, DX = edges, R8 = keys, CX = shift, R15 = blocks left, R9 and R10 = where a word begins and ends, R11
// and R12 = its halves, and then R11 = its key, R13 = the bits of its second half, BX = whether that is the key of a stop word.
TEXT ·keepBMI2(SB), NOSPLIT, $0-80
	MOVQ words+0(FP), DI
	MOVQ text+8(FP), SI
	MOVQ edges+16(FP), DX
	MOVQ keys+24(FP), R8
	MOVQ shift+48(FP), CX
	MOVQ blocks+56(FP), R15

one:
	MOVL (DX), R9
	MOVL 4(DX), R10
	MOVL R10, AX
	SUBL R9, AX
	SHLL $3, AX
	CMPL AX, $128
	JHI  done
	XORL BX, BX
	MOVL AX, R13
	SUBL $64, R13
	CMOVLLT BX, R13
	BZHIQ AX, (SI)(R9*1), R11
	BZHIQ R13, 8(SI)(R9*1), R12
	IMULQ factor+40(FP), R12
	XORQ R12, R11
	MOVQ $0x9e3779b97f4a7c15, R12
	IMULQ R11, R12
	SHRXQ CX, R12, R12
	SHLQ $4, R12
	XORL R14, R14
	CMPQ R11, (R8)(R12*1)
	SETEQ BX
	CMPQ R11, 8(R8)(R12*1)
	SETEQ R14
	ORL  R14, BX
	MOVL BX, AX
	NEGL AX
	TESTL R13, AX
	JNZ  done // a word of more than 8 bytes with the key of a stop word
	XORL $1, BX
	ADDQ base+32(FP), R9
	ADDQ base+32(FP), R10
	MOVQ R9, (DI)
	MOVQ R10, 8(DI)
	SHLL $4, BX
	ADDQ BX, DI
	ADDQ $8, DX
	DECQ R15
	JNZ  one

done:
	MOVQ blocks+56(FP), AX
	SUBQ R15, AX
	MOVQ AX, done+64(FP)
	SUBQ words+0(FP), DI
	SHRQ $4, DI
	MOVQ DI, kept+72(FP)
	RET
