//go:build !purego

#include "textflag.h"
#include "throws_amd64.h"

// func visitRoundAVX512(least *uint64, log int, elements *uint64, n int, key, round uint64, order *uint16, factors *uint32) bool
//
// In the buffer, the position is above the lower half of the hash.
//
// Registers: R15 = factors, R12 = round, Z20 = the number of positions less one, Z21 = order, K6 = the lower halves of lanes.
TEXT ·visitRoundAVX512(SB), 0, $4352-65
	MOVQ least+0(FP), DI
	MOVQ log+8(FP), AX
	CONSTANTS
	VPTERNLOGD $0xff, Z25, Z25, Z25
	VPSRLQ $63, Z25, Z26
	FREE(bits, word, last)
	TESTQ R11, R11
	SETEQ ret+64(FP)
	JZ end
	VPSRLQ X28, Z25, Z20
	MOVQ elements+16(FP), SI
	MOVQ n+24(FP), DX
	VPBROADCASTQ key+32(FP), Z23
	MOVQ round+40(FP), R12
	MOVQ order+48(FP), AX
	VMOVDQU64 (AX), Z21
	MOVQ factors+56(FP), R15
	LEAQ buffer-4352(SP), R9
	MOVQ R9, R8
	LEAQ 3840(R9), R11
	MOVL $0xff, CX
	KMOVB CX, K7
	MOVL $0x5555, CX
	KMOVW CX, K6

eight:
	CMPQ DX, $8
	JLT  few

some:
	VMOVDQU64.Z (SI), K7, Z0
	VPXORQ Z23, Z0, Z0
	MIX
	VPSLLQ X29, Z0, Z3
	VPSRLQ $16, Z3, Z3
	VPERMW Z21, Z3, Z3 // by the lowest five bits of the fractions
	VPSRLQ X28, Z0, Z2
	VPADDQ Z3, Z2, Z2
	VPANDQ Z20, Z2, Z2
	ISFREE
	VPSLLQ $32, Z2, Z2
	VMOVDQA32 Z0, K6, Z2
	KEEP(Z2)
	ADDQ $64, SI
	SUBQ $8, DX
	JLE  put
	CMPQ R8, R11
	JB   eight

put:
	MOVQ R9, R13
	CMPQ R13, R8
	JEQ  none

next:
	MOVQ (R13), AX
	MOVQ AX, CX
	SHRQ $32, CX
	IMULL (R15)(CX*4), AX
	SHRL $8, AX
	SHLQ $24, AX
	ADDQ R12, AX
	LEAST
	ADDQ $8, R13
	CMPQ R13, R8
	JNE  next
	MOVQ R9, R8

none:
	TESTQ DX, DX
	JG   eight

end:
	VZEROUPPER
	RET

few:
	MOVL $0xff, AX
	BZHIL DX, AX, AX
	KMOVB AX, K7
	JMP  some

// VISIT puts the lesser of the values of a visitor at 16 positions, and of Zleast, into Zleast. Their upper eight bits are the
// round, and the others the fraction. SI = the visitor, AX = its row.
#define VISIT(offset, Zfactors, Zleast) \
	VPMULLD.BCST 4(SI), Zfactors, Z8; \
	VPMOVZXWD offset(R9)(AX*2), Z9; \
	VPSHLDD $24, Z8, Z9, Z9; \
	VPMINUD Z9, Zleast, Zleast

// FILL stores 16 values at those of their positions that are unfilled. Z25 has all bits.
#define FILL(offset, Zleast, Yleast) \
	VPMOVZXDQ Yleast, Z8; \
	VPSLLQ $24, Z8, Z8; \
	VPCMPEQQ offset(DI), Z25, K1; \
	VMOVDQU64 Z8, K1, offset(DI); \
	VEXTRACTI64X4 $1, Zleast, Y8; \
	VPMOVZXDQ Y8, Z8; \
	VPSLLQ $24, Z8, Z8; \
	VPCMPEQQ offset+64(DI), Z25, K1; \
	VMOVDQU64 Z8, K1, offset+64(DI)

// func visitAllAVX512(least *uint64, k int, visitors *visitor, n int, rounds *uint16, factors *uint32)
//
// A step takes 64 positions, and all visitors in turn.
//
// Registers: DI = least, CX = positions left, DX = visitors, R10 = their end, R9 = rounds of the first position of this step,
// R11 = its factors, Z4 to Z7 = the least values.
TEXT ·visitAllAVX512(SB), NOSPLIT, $0-48
	MOVQ least+0(FP), DI
	MOVQ k+8(FP), CX
	MOVQ visitors+16(FP), DX
	MOVQ n+24(FP), R10
	LEAQ (DX)(R10*8), R10
	MOVQ rounds+32(FP), R9
	MOVQ factors+40(FP), R11
	VPTERNLOGD $0xff, Z25, Z25, Z25

positions:
	VMOVDQU32 (R11), Z0
	VMOVDQU32 64(R11), Z1
	VMOVDQU32 128(R11), Z2
	VMOVDQU32 192(R11), Z3
	VMOVDQA32 Z25, Z4
	VMOVDQA32 Z25, Z5
	VMOVDQA32 Z25, Z6
	VMOVDQA32 Z25, Z7
	MOVQ DX, SI

visitor:
	MOVL (SI), AX
	VISIT(0, Z0, Z4)
	VISIT(32, Z1, Z5)
	VISIT(64, Z2, Z6)
	VISIT(96, Z3, Z7)
	ADDQ $8, SI
	CMPQ SI, R10
	JNE  visitor
	FILL(0, Z4, Y4)
	FILL(128, Z5, Y5)
	FILL(256, Z6, Y6)
	FILL(384, Z7, Y7)
	ADDQ $512, DI
	ADDQ $128, R9
	ADDQ $256, R11
	SUBQ $64, CX
	JNZ  positions
	VZEROUPPER
	RET

// VISIT2 is VISIT for eight positions. Y10 = the hash of the visitor, AX = its row.
#define VISIT2(offset, Yfactors, Yleast) \
	VPMULLD Yfactors, Y10, Y8; \
	VPMOVZXWD offset(R9)(AX*2), Y9; \
	VPSRLD $8, Y8, Y8; \
	VPSLLD $24, Y9, Y9; \
	VPOR Y8, Y9, Y9; \
	VPMINUD Y9, Yleast, Yleast

// HALF2 stores four values, in the lower half of Y8, at those of their positions that are unfilled. Y15 has all bits.
#define HALF2(offset) \
	VPMOVZXDQ X8, Y9; \
	VPSLLQ $24, Y9, Y9; \
	VMOVDQU offset(DI), Y11; \
	VPCMPEQQ Y11, Y15, Y10; \
	VPBLENDVB Y10, Y9, Y11, Y11; \
	VMOVDQU Y11, offset(DI)

#define FILL2(offset, Yleast) \
	VMOVDQA Yleast, Y8; \
	HALF2(offset); \
	VEXTRACTI128 $1, Yleast, X8; \
	HALF2(offset+32)

// func visitAllVectors(least *uint64, k int, visitors *visitor, n int, rounds *uint16, factors *uint32)
//
// A step takes 32 positions, and all visitors in turn. Registers are those of visitAllAVX512.
TEXT ·visitAllVectors(SB), NOSPLIT, $0-48
	MOVQ least+0(FP), DI
	MOVQ k+8(FP), CX
	MOVQ visitors+16(FP), DX
	MOVQ n+24(FP), R10
	LEAQ (DX)(R10*8), R10
	MOVQ rounds+32(FP), R9
	MOVQ factors+40(FP), R11
	VPCMPEQD Y15, Y15, Y15

positions:
	VMOVDQU (R11), Y0
	VMOVDQU 32(R11), Y1
	VMOVDQU 64(R11), Y2
	VMOVDQU 96(R11), Y3
	VMOVDQA Y15, Y4
	VMOVDQA Y15, Y5
	VMOVDQA Y15, Y6
	VMOVDQA Y15, Y7
	MOVQ DX, SI

visitor:
	MOVL (SI), AX
	VPBROADCASTD 4(SI), Y10
	VISIT2(0, Y0, Y4)
	VISIT2(16, Y1, Y5)
	VISIT2(32, Y2, Y6)
	VISIT2(48, Y3, Y7)
	ADDQ $8, SI
	CMPQ SI, R10
	JNE  visitor
	FILL2(0, Y4)
	FILL2(64, Y5)
	FILL2(128, Y6)
	FILL2(192, Y7)
	ADDQ $256, DI
	ADDQ $64, R9
	ADDQ $128, R11
	SUBQ $32, CX
	JNZ  positions
	VZEROUPPER
	RET

// TIMES2 multiplies the values of Y0 by the one whose halves are in Ylow and Yhigh.
#define TIMES2(Ylow, Yhigh) \
	VPSRLQ $32, Y0, Y1; \
	VPMULUDQ Ylow, Y1, Y1; \
	VPMULUDQ Yhigh, Y0, Y2; \
	VPADDQ Y2, Y1, Y1; \
	VPSLLQ $32, Y1, Y1; \
	VPMULUDQ Ylow, Y0, Y0; \
	VPADDQ Y1, Y0, Y0

#define XORSHIFT2(n) \
	VPSRLQ n, Y0, Y1; \
	VPXOR Y1, Y0, Y0

#define EACH2(value, X, Y) \
	MOVQ value, AX; \
	VMOVQ AX, X; \
	VPBROADCASTQ X, Y

// func hashBelowAVX2(dst, elements *uint64, n int, key uint64, log int, limit uint64, fours *[16][8]uint32) int
TEXT ·hashBelowAVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ elements+8(FP), SI
	MOVQ n+16(FP), CX
	VPBROADCASTQ key+24(FP), Y15
	VMOVQ log+32(FP), X14
	VPBROADCASTQ limit+40(FP), Y13
	MOVQ fours+48(FP), R8
	EACH2($0x8000000000000000, X12, Y12)
	VPXOR Y12, Y13, Y13 // comparisons are signed
	EACH2($0xbf58476d1ce4e5b9, X8, Y8)
	VPSRLQ $32, Y8, Y9
	EACH2($0x94d049bb133111eb, X10, Y10)
	VPSRLQ $32, Y10, Y11
	MOVQ DI, R9

four:
	VPXOR (SI), Y15, Y0
	XORSHIFT2($30)
	TIMES2(Y8, Y9)
	XORSHIFT2($27)
	TIMES2(Y10, Y11)
	XORSHIFT2($31)
	VPSLLQ X14, Y0, Y1
	VPXOR Y12, Y1, Y1
	VPCMPGTQ Y13, Y1, Y1
	VMOVMSKPD Y1, AX
	XORL $15, AX
	POPCNTL AX, BX
	SHLL $5, AX
	VMOVDQU (R8)(AX*1), Y2
	VPERMD Y0, Y2, Y0
	VMOVDQU Y0, (DI)
	LEAQ (DI)(BX*8), DI
	ADDQ $32, SI
	SUBQ $4, CX
	JNZ  four
	SUBQ R9, DI
	SHRQ $3, DI
	MOVQ DI, ret+56(FP)
	VZEROUPPER
	RET

// The bits of the positions 0 to 7, twice.
DATA ·bitOf+0(SB)/8, $0x8040201008040201
DATA ·bitOf+8(SB)/8, $0x8040201008040201
GLOBL ·bitOf(SB), RODATA|NOPTR, $16

// EACHBYTE sets all bytes of a vector to a number.
#define EACHBYTE(number, X, Y) \
	MOVL number, AX; \
	VMOVD AX, X; \
	VPBROADCASTB X, Y

// func visitFreeVectors(visiting *uint32, firsts, orders *uint8, n int, order *[Orders]uint16, free, more uint64, k int)
//
// Registers: Y8 and Y9 = order, the first and the second half in both lanes, Y10 = free, Y11 = bitOf, Y12 = k, Y13 = 112 and
// Y14 = 16, for the numbers of orders, Y15 = 15.
TEXT ·visitFreeVectors(SB), NOSPLIT, $0-64
	MOVQ visiting+0(FP), DI
	MOVQ firsts+8(FP), SI
	MOVQ orders+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ order+32(FP), R8
	VMOVQ free+40(FP), X10
	VPINSRQ $1, more+48(FP), X10, X10
	MOVQ k+56(FP), BX
	VMOVDQU (R8), Y8
	VPACKUSWB 32(R8), Y8, Y8
	VPERMQ $0xd8, Y8, Y8
	VPERM2I128 $0x11, Y8, Y8, Y9
	VPERM2I128 $0x00, Y8, Y8, Y8
	VPERM2I128 $0x00, Y10, Y10, Y10
	VBROADCASTI128 ·bitOf(SB), Y11
	EACHBYTE(BX, X12, Y12)
	EACHBYTE($112, X13, Y13)
	EACHBYTE($16, X14, Y14)
	EACHBYTE($15, X15, Y15)

some:
	VMOVDQU (DX), Y0
	VPADDB Y13, Y0, Y1 // the highest bit is set from 16 on
	VPSHUFB Y1, Y8, Y1
	VPSUBB Y14, Y0, Y2 // and here below 16
	VPSHUFB Y2, Y9, Y2
	VPOR Y1, Y2, Y1
	VPADDB (SI), Y1, Y1
	VPSUBB Y12, Y1, Y2
	VPMINUB Y1, Y2, Y1 // the position modulo k
	VPSRLW $3, Y1, Y2
	VPAND Y15, Y2, Y2
	VPSHUFB Y2, Y10, Y2
	VPSHUFB Y1, Y11, Y1
	VPAND Y1, Y2, Y2
	VPCMPEQB Y1, Y2, Y2
	VPMOVMSKB Y2, AX
	MOVL AX, (DI)
	ADDQ $32, DX
	ADDQ $32, SI
	ADDQ $4, DI
	SUBQ $32, CX
	JG   some
	JZ   end
	NEGQ CX // the elements behind the last
	MOVL $-1, AX
	SHRXL CX, AX, AX
	ANDL AX, -4(DI)

end:
	VZEROUPPER
	RET
