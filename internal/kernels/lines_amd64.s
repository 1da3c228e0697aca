//go:build !purego

#include "textflag.h"

// The functions do not check the requirements of their declarations.

// func linesWithinAVX512(lines **Line, qs, ks *uint32, n int) uint64
//
// All 16 elements of a line are compared at once; the count clears the bits of those that are no words. Nothing depends on the
// line before, so that the processor waits for several lines at a time.
//
// Registers: SI = lines, DI = qs, DX = ks, CX = n, R8 = i, AX = the mask.
TEXT ·linesWithinAVX512(SB), NOSPLIT, $0-40
	MOVQ lines+0(FP), SI
	MOVQ qs+8(FP), DI
	MOVQ ks+16(FP), DX
	MOVQ n+24(FP), CX
	XORL R8, R8
	XORL AX, AX

line:
	MOVQ (SI)(R8*8), R9
	VPBROADCASTD (DI)(R8*4), Z1
	VPXORD (R9), Z1, Z3
	VPOPCNTD Z3, Z3
	MOVBLZX 60(R9), R10
	VPCMPUD.BCST $2, (DX)(R8*4), Z3, K2 // $2 is <=: Z3 <= k
	KMOVW K2, R11
	CMPL R10, $15
	JGT  some
	BZHIL R10, R11, R11 // the bits of the words
	TESTL R11, R11
	JZ   next

some:
	BTSQ R8, AX

next:
	INCQ R8
	CMPQ R8, CX
	JLT  line
	MOVQ AX, ret+32(FP)
	VZEROUPPER
	RET

// func prefetchSSE(places *Place, n int)
//
// Every amd64 processor has PREFETCHT0, which never faults.
TEXT ·prefetchSSE(SB), NOSPLIT, $0-16
	MOVQ places+0(FP), SI
	MOVQ n+8(FP), CX
	LEAQ (SI)(CX*8), CX

ask:
	MOVQ (SI), AX
	PREFETCHT0 (AX)
	ADDQ $8, SI
	CMPQ SI, CX
	JLT  ask
	RET

// func lineSumSSE42(l *Line, number uint64) uint32
TEXT ·lineSumSSE42(SB), NOSPLIT, $0-20
	MOVQ l+0(FP), SI
	MOVL $-1, AX
	CRC32Q number+8(FP), AX
	CRC32Q (SI), AX
	CRC32Q 8(SI), AX
	CRC32Q 16(SI), AX
	CRC32Q 24(SI), AX
	CRC32Q 32(SI), AX
	CRC32Q 40(SI), AX
	CRC32Q 48(SI), AX
	CRC32L 56(SI), AX
	CRC32B 60(SI), AX
	NOTL AX
	ANDL $0xffffff00, AX
	MOVL AX, ret+16(FP)
	RET
