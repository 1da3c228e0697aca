//go:build !purego

#include "go_asm.h"
#include "textflag.h"

DATA ·iota32<>+0(SB)/4, $0
DATA ·iota32<>+4(SB)/4, $1
DATA ·iota32<>+8(SB)/4, $2
DATA ·iota32<>+12(SB)/4, $3
DATA ·iota32<>+16(SB)/4, $4
DATA ·iota32<>+20(SB)/4, $5
DATA ·iota32<>+24(SB)/4, $6
DATA ·iota32<>+28(SB)/4, $7
DATA ·iota32<>+32(SB)/4, $8
DATA ·iota32<>+36(SB)/4, $9
DATA ·iota32<>+40(SB)/4, $10
DATA ·iota32<>+44(SB)/4, $11
DATA ·iota32<>+48(SB)/4, $12
DATA ·iota32<>+52(SB)/4, $13
DATA ·iota32<>+56(SB)/4, $14
DATA ·iota32<>+60(SB)/4, $15
GLOBL ·iota32<>(SB), RODATA|NOPTR, $64

// func listWithin32Vectors(dst *uint32, most int, ends, xs, lo, hi, qs, ks *uint32, first, n int, ahead *uint32, aheadLo, aheadHi *uint32, aheadN int) (done int)
//
// Each step compares 32 values of a run, the last ones of it under masks. Most steps have none within the distance, so
// that a branch leads past the writing. Indices are brought together in a register and written as a whole vector: this
// is why dst has room for more. A compressing store would take a hundred times as long on some processors.
//
// Before run i is compared, the lines of run i of those ahead are asked for, so that they arrive while the processor
// compares.
//
// Registers: DI = dst, R14 = the number of indices, SI = xs, R8 = lo, R9 = hi, R10 = qs, R15 = ks, R11 = i, BX = the
// address of the next value of the run, DX = its index, CX = the number of values left, Z1 = q, Z2 = k, Z7 = 0 to
// 15, Z8 = 16 to 31.
TEXT ·listWithin32Vectors(SB), NOSPLIT, $0-120
	MOVQ dst+0(FP), DI
	MOVQ xs+24(FP), SI
	MOVQ lo+32(FP), R8
	MOVQ hi+40(FP), R9
	MOVQ qs+48(FP), R10
	MOVQ ks+56(FP), R15
	MOVQ first+64(FP), R11
	XORL R14, R14
	VMOVDQU32 ·iota32<>(SB), Z7
	MOVL $16, AX
	VPBROADCASTD AX, Z8
	VPADDD Z7, Z8, Z8

run:
	CMPQ R11, aheadN+104(FP)
	JGE  fetched
	MOVQ aheadLo+88(FP), AX
	MOVQ aheadHi+96(FP), R12
	MOVL (AX)(R11*4), BX
	MOVL (R12)(R11*4), DX
	LEAQ const_aheadAtMost(BX), CX
	CMPQ DX, CX
	CMOVQGT CX, DX
	CMPQ BX, DX
	JGE  fetched
	MOVQ ahead+80(FP), AX
	LEAQ (AX)(BX*4), BX
	LEAQ -4(AX)(DX*4), DX
	ANDQ $-64, BX

line:
	PREFETCHT0 (BX)
	ADDQ $64, BX
	CMPQ BX, DX
	JLS  line

fetched:
	MOVL (R8)(R11*4), DX
	MOVL (R9)(R11*4), CX
	SUBQ DX, CX
	LEAQ (R14)(CX*1), AX
	CMPQ AX, most+8(FP)
	JGT  full
	LEAQ (SI)(DX*4), BX
	VPBROADCASTD (R10)(R11*4), Z1
	VPBROADCASTD (R15)(R11*4), Z2
	CMPQ CX, $32
	JLT  short

long:
	VPXORD (BX), Z1, Z3
	VPXORD 64(BX), Z1, Z4
	VPOPCNTD Z3, Z3
	VPOPCNTD Z4, Z4
	VPCMPUD $2, Z2, Z3, K3 // $2 is <=
	VPCMPUD $2, Z2, Z4, K4
	KORTESTW K3, K4
	JNZ  write

next:
	ADDQ $128, BX
	ADDQ $32, DX
	SUBQ $32, CX
	CMPQ CX, $32
	JGE  long

short:
	TESTQ CX, CX
	JLE  end
	MOVL $-1, R12
	BZHIL CX, R12, R12 // the lowest CX bits
	KMOVW R12, K1
	SHRL $16, R12
	KMOVW R12, K2
	VMOVDQU32.Z (BX), K1, Z3
	VMOVDQU32.Z 64(BX), K2, Z4
	VPXORD Z1, Z3, Z3
	VPXORD Z1, Z4, Z4
	VPOPCNTD Z3, Z3
	VPOPCNTD Z4, Z4
	VPCMPUD $2, Z2, Z3, K1, K3
	VPCMPUD $2, Z2, Z4, K2, K4
	KORTESTW K3, K4
	JNZ  write

end:
	MOVQ ends+16(FP), AX
	MOVL R14, (AX)(R11*4)
	INCQ R11
	CMPQ R11, n+72(FP)
	JLT  run

full:
	MOVQ R11, done+112(FP)
	VZEROUPPER
	RET

write:
	VPBROADCASTD DX, Z5
	VPADDD Z5, Z7, Z6
	VPCOMPRESSD.Z Z6, K3, Z6
	VMOVDQU32 Z6, (DI)(R14*4)
	KMOVW K3, R13
	POPCNTL R13, R13
	ADDQ R13, R14
	VPADDD Z5, Z8, Z6
	VPCOMPRESSD.Z Z6, K4, Z6
	VMOVDQU32 Z6, (DI)(R14*4)
	KMOVW K4, R13
	POPCNTL R13, R13
	ADDQ R13, R14
	JMP  next
