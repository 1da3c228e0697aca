//go:build !purego

#include "textflag.h"
#include "throws_amd64.h"

DATA ·factors+0(SB)/8, $0xbf58476d1ce4e5b9
DATA ·factors+8(SB)/8, $0x94d049bb133111eb
GLOBL ·factors(SB), RODATA|NOPTR, $16

// The rounds of the lanes.
DATA ·laneRounds+0(SB)/8, $0x0000000000000000
DATA ·laneRounds+8(SB)/8, $0x0001000000000000
DATA ·laneRounds+16(SB)/8, $0x0002000000000000
DATA ·laneRounds+24(SB)/8, $0x0003000000000000
DATA ·laneRounds+32(SB)/8, $0x0004000000000000
DATA ·laneRounds+40(SB)/8, $0x0005000000000000
DATA ·laneRounds+48(SB)/8, $0x0006000000000000
DATA ·laneRounds+56(SB)/8, $0x0007000000000000
GLOBL ·laneRounds(SB), RODATA|NOPTR, $64

// PUT puts the hashes of the buffer into their positions, and empties it. R12 is the round of the values, and BX = log.
#define PUT(next, none) \
	MOVQ R9, R13; \
	CMPQ R13, R8; \
	JEQ none; \
next: \
	MOVQ (R13), AX; \
	SHRXQ R10, AX, CX; \
	SHLXQ BX, AX, AX; \
	SHRQ $16, AX; \
	ADDQ R12, AX; \
	LEAST; \
	ADDQ $8, R13; \
	CMPQ R13, R8; \
	JNE next; \
	MOVQ R9, R8; \
none:

// func throwFewAVX512(least *uint64, log int, elements *uint64, n int, keys *uint64, rounds, step int) bool
//
// In the buffer, nine bits for the position are above seven for the round, which counts from the last look for free positions.
//
// Registers: DX = the next round, R11 = eights of rounds until the next look, R12 = the round of the last look, Z24 = the
// rounds of the lanes.
TEXT ·throwFewAVX512(SB), 0, $4416-57
	MOVQ least+0(FP), DI
	MOVQ log+8(FP), AX
	CONSTANTS
	VPTERNLOGD $0xff, Z25, Z25, Z25
	VPSRLQ $63, Z25, Z26
	MOVL $0xff, CX
	KMOVB CX, K7
	LEAQ buffer-4416(SP), R9
	MOVQ R9, R8
	XORL DX, DX
	VMOVDQA64 Z25, Z27

block:
	VMOVDQU64 ·laneRounds(SB), Z24
	MOVQ DX, R12
	SHLQ $48, R12
	MOVQ step+48(FP), R11
	MOVQ rounds+40(FP), R14
	MOVL $8<<16, CX
	SHLQ $32, CX
	VPBROADCASTQ CX, Z22
	MOVQ keys+32(FP), R13
	MOVQ n+24(FP), CX

eight:
	VMOVDQU64 (R13)(DX*8), Z23
	MOVQ elements+16(FP), SI
	LEAQ (SI)(CX*8), R15

element:
	VPXORQ.BCST (SI), Z23, Z0
	MIX
	VPSRLQ X28, Z0, Z2
	ISFREE
	VPSLLQ X29, Z0, Z3
	VPSRLQ $16, Z3, Z3
	VPSLLQ $55, Z2, Z2
	VPTERNLOGQ $0xfe, Z24, Z2, Z3 // their or
	KEEP(Z3)
	ADDQ $8, SI
	CMPQ SI, R15
	JNE  element
	VPADDQ Z22, Z24, Z24
	ADDQ $8, DX
	CMPQ DX, R14
	JEQ put
	DECQ R11
	JNZ eight

put:
	MOVQ R9, R13
	CMPQ R13, R8
	JEQ  free
	MOVL $55, R11

next:
	MOVQ (R13), AX
	SHRXQ R11, AX, CX
	BZHIQ R11, AX, AX
	ADDQ R12, AX
	LEAST
	ADDQ $8, R13
	CMPQ R13, R8
	JNE  next
	MOVQ R9, R8

free:
	FREE(bits, word, last)
	TESTQ R11, R11
	JZ end
	CMPQ DX, rounds+40(FP)
	JNE block

end:
	TESTQ R11, R11
	SETEQ ret+56(FP)
	VZEROUPPER
	RET

// func throwBelowAVX512(least *uint64, log int, elements *uint64, n int, key, round, limit uint64)
//
// Z22 = limit.
TEXT ·throwBelowAVX512(SB), 0, $4352-56
	MOVQ least+0(FP), DI
	MOVQ log+8(FP), AX
	CONSTANTS
	MOVQ elements+16(FP), SI
	MOVQ n+24(FP), DX
	VPBROADCASTQ key+32(FP), Z23
	MOVQ round+40(FP), R12
	VPBROADCASTQ limit+48(FP), Z22
	LEAQ buffer-4352(SP), R9
	MOVQ R9, R8
	LEAQ 3840(R9), R11 // there is room for one vector more
	MOVL $0xff, CX
	KMOVB CX, K7

eight:
	CMPQ DX, $8
	JLT  few

some:
	VMOVDQU64.Z (SI), K7, Z0
	VPXORQ Z23, Z0, Z0
	MIX
	VPSLLQ X29, Z0, Z3
	VPCMPUQ $2, Z22, Z3, K7, K1 // $2 is <=: Z3 <= Z22
	KEEP(Z0)
	ADDQ $64, SI
	SUBQ $8, DX
	JLE  put
	CMPQ R8, R11
	JB   eight

put:
	PUT(next, none)
	TESTQ DX, DX
	JG   eight
	VZEROUPPER
	RET

few:
	MOVL $0xff, AX
	BZHIL DX, AX, AX
	KMOVB AX, K7
	JMP some

// func throwFreeAVX512(least *uint64, log int, elements *uint64, n int, key, round uint64) bool
TEXT ·throwFreeAVX512(SB), 0, $4352-49
	MOVQ least+0(FP), DI
	MOVQ log+8(FP), AX
	CONSTANTS
	VPTERNLOGD $0xff, Z25, Z25, Z25
	VPSRLQ $63, Z25, Z26
	FREE(bits, word, last)
	TESTQ R11, R11
	SETEQ ret+48(FP)
	JZ end
	MOVQ elements+16(FP), SI
	MOVQ n+24(FP), DX
	VPBROADCASTQ key+32(FP), Z23
	MOVQ round+40(FP), R12
	LEAQ buffer-4352(SP), R9
	MOVQ R9, R8
	LEAQ 3840(R9), R11
	MOVL $0xff, CX
	KMOVB CX, K7

eight:
	CMPQ DX, $8
	JLT  few

some:
	VMOVDQU64.Z (SI), K7, Z0
	VPXORQ Z23, Z0, Z0
	MIX
	VPSRLQ X28, Z0, Z2
	ISFREE
	KEEP(Z0)
	ADDQ $64, SI
	SUBQ $8, DX
	JLE  put
	CMPQ R8, R11
	JB   eight

put:
	PUT(next, none)
	TESTQ DX, DX
	JG   eight

end:
	VZEROUPPER
	RET

few:
	MOVL $0xff, AX
	BZHIL DX, AX, AX
	KMOVB AX, K7
	JMP some
