//go:build !purego

#include "textflag.h"

// The functions do not check the requirements of their declarations.

// WITHIN16 compares a block of 16 values at (SI). Z1 = q, Z2 = k, K1 = the lanes to compare. It sets a bit of K2
// for each value within k. It does not read lanes outside K1.
#define WITHIN16 \
	VMOVDQU32.Z (SI), K1, Z3 \
	VPXORD Z1, Z3, Z3        \
	VPOPCNTD Z3, Z3          \
	VPCMPUD $2, Z2, Z3, K1, K2 // $2 is <=: Z3 <= Z2

// func maskWithin32AVX512(xs *uint32, n int, q, k uint32) uint64
//
// Registers: SI = xs, CX = n, DX = the lanes of this block and the next ones, AX = mask.
TEXT ·maskWithin32AVX512(SB), NOSPLIT, $0-32
	MOVQ xs+0(FP), SI
	MOVQ n+8(FP), CX
	MOVL q+16(FP), BX
	VPBROADCASTD BX, Z1
	MOVL k+20(FP), BX
	VPBROADCASTD BX, Z2
	MOVQ $-1, DX
	BZHIQ CX, DX, DX // the lowest n bits
	KMOVW DX, K1
	WITHIN16
	KMOVW K2, AX
	CMPQ CX, $16
	JLE  done
	SHRQ $16, DX
	ADDQ $64, SI
	KMOVW DX, K1
	WITHIN16
	KMOVW K2, BX
	SHLQ $16, BX
	ORQ  BX, AX
	CMPQ CX, $32
	JLE  done
	SHRQ $16, DX
	ADDQ $64, SI
	KMOVW DX, K1
	WITHIN16
	KMOVW K2, BX
	SHLQ $32, BX
	ORQ  BX, AX
	SHRQ $16, DX
	ADDQ $64, SI
	KMOVW DX, K1
	WITHIN16
	KMOVW K2, BX
	SHLQ $48, BX
	ORQ  BX, AX

done:
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

// func prefetchLines(xs, lo, hi *uint32, n, most int)
//
// Registers: SI = xs, R8 = lo, R9 = hi, R11 = n, R12 = most, DI = i, BX = the next line of the run, DX = its last
// line. Every amd64 processor has PREFETCHT0, which never faults.
TEXT ·prefetchLines(SB), NOSPLIT, $0-40
	MOVQ xs+0(FP), SI
	MOVQ lo+8(FP), R8
	MOVQ hi+16(FP), R9
	MOVQ n+24(FP), R11
	MOVQ most+32(FP), R12
	XORL DI, DI

prefetchRun:
	MOVL (R8)(DI*4), BX
	MOVL (R9)(DI*4), DX
	LEAQ (BX)(R12*1), CX
	CMPQ DX, CX
	CMOVQGT CX, DX
	CMPQ BX, DX
	JGE  prefetched
	LEAQ (SI)(BX*4), BX
	LEAQ -4(SI)(DX*4), DX
	ANDQ $-64, BX

prefetchLine:
	PREFETCHT0 (BX)
	ADDQ $64, BX
	CMPQ BX, DX
	JLS  prefetchLine

prefetched:
	INCQ DI
	CMPQ DI, R11
	JLT  prefetchRun
	RET

DATA ·ones8<>+0(SB)/8, $0x0101010101010101
GLOBL ·ones8<>(SB), RODATA|NOPTR, $8
DATA ·ones16<>+0(SB)/8, $0x0001000100010001
GLOBL ·ones16<>(SB), RODATA|NOPTR, $8

// func maskWithin32Vectors(xs *uint32, n int, q, k uint32) uint64
//
// The counts of nibbles are looked up, as in nextWithinVectors. They are added pairwise to 16 bits and then to 32
// bits.
//
// Registers: SI = xs, DX = the index behind the block, CX = the number of values left, AX = mask.
TEXT ·maskWithin32Vectors(SB), NOSPLIT, $0-32
	MOVQ xs+0(FP), SI
	MOVQ n+8(FP), DX
	MOVL q+16(FP), BX
	VMOVD BX, X1
	VPBROADCASTD X1, Y1
	MOVL k+20(FP), BX
	VMOVD BX, X2
	VPBROADCASTD X2, Y2
	VMOVDQU ·nibbles(SB), Y5
	VPBROADCASTQ ·lowNibbles(SB), Y6
	VPBROADCASTQ ·ones8<>(SB), Y7
	VPBROADCASTQ ·ones16<>(SB), Y8
	XORL AX, AX

block8: // from the last block to the first, so that the mask is shifted up
	SUBQ $8, DX
	VPXOR (SI)(DX*4), Y1, Y3
	VPSRLW $4, Y3, Y4
	VPAND Y6, Y3, Y3
	VPAND Y6, Y4, Y4
	VPSHUFB Y3, Y5, Y3
	VPSHUFB Y4, Y5, Y4
	VPADDB Y3, Y4, Y3
	VPMADDUBSW Y7, Y3, Y3
	VPMADDWD Y8, Y3, Y3
	VPCMPGTD Y2, Y3, Y3 // all ones where the count is above k
	VMOVMSKPS Y3, BX
	XORL $255, BX
	SHLQ $8, AX
	ORQ  BX, AX
	TESTQ DX, DX
	JNZ  block8
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

// This adds the counts of two halves. Z3 and Z4 = the halves of the values, Z1 and Z5 = the halves of q,
// Z2 = k, K1 = the lanes to compare. It sets a bit of K2 for each value within k.
#define SUMWITHIN16 \
	VPXORD Z1, Z3, Z3 \
	VPXORD Z5, Z4, Z4 \
	VPOPCNTD Z3, Z3   \
	VPOPCNTD Z4, Z4   \
	VPADDD Z3, Z4, Z3 \
	VPCMPUD $2, Z2, Z3, K1, K2 \
	KMOVW K2, BX      \
	SHLXQ R8, BX, BX  \
	ORQ  BX, AX

// func maskWithin48AVX512(low *uint32, mid *uint16, n int, q uint64, k uint32) uint64
//
// Registers: SI = low, DI = mid, CX = n, DX = the lanes of this block and the next
// ones, R8 = the shift of the mask of this block, AX = mask.
TEXT ·maskWithin48AVX512(SB), NOSPLIT, $0-48
	MOVQ low+0(FP), SI
	MOVQ mid+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ q+24(FP), BX
	VPBROADCASTD BX, Z1
	SHRQ $32, BX
	VPBROADCASTD BX, Z5
	MOVL k+32(FP), BX
	VPBROADCASTD BX, Z2
	MOVQ $-1, DX
	BZHIQ CX, DX, DX // the lowest n bits
	XORL R8, R8
	XORL AX, AX

block48:
	KMOVW DX, K1
	VMOVDQU32.Z (SI)(R8*4), K1, Z3
	VPMOVZXWD.Z (DI)(R8*2), K1, Z4
	SUMWITHIN16
	ADDQ $16, R8
	SHRQ $16, DX
	JNZ  block48
	MOVQ AX, ret+40(FP)
	VZEROUPPER
	RET

// func maskWithin64AVX512(low, high *uint32, n int, q uint64, k uint32) uint64
//
// Registers as above, DI = high.
TEXT ·maskWithin64AVX512(SB), NOSPLIT, $0-48
	MOVQ low+0(FP), SI
	MOVQ high+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ q+24(FP), BX
	VPBROADCASTD BX, Z1
	SHRQ $32, BX
	VPBROADCASTD BX, Z5
	MOVL k+32(FP), BX
	VPBROADCASTD BX, Z2
	MOVQ $-1, DX
	BZHIQ CX, DX, DX
	XORL R8, R8
	XORL AX, AX

block64:
	KMOVW DX, K1
	VMOVDQU32.Z (SI)(R8*4), K1, Z3
	VMOVDQU32.Z (DI)(R8*4), K1, Z4
	SUMWITHIN16
	ADDQ $16, R8
	SHRQ $16, DX
	JNZ  block64
	MOVQ AX, ret+40(FP)
	VZEROUPPER
	RET

// func pairMaskAVX512(xs *uint64, n, k int) uint64
//
// The lowest 32 bits of 16 values fill a vector. Each value before the last of the vector is broadcast and
// compared with the lanes behind it. The masks are combined by bitwise or, so that there is one branch for a
// vector instead of one for a value.
//
// Registers: SI = xs, CX = n, R8 = the first value of the block, R9 = i, DX = the lanes with values, R10 = the
// lanes behind i, AX = mask.
TEXT ·pairMaskAVX512(SB), NOSPLIT, $0-32
	MOVQ xs+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ k+16(FP), BX
	VPBROADCASTD BX, Z2
	XORL R8, R8
	XORL AX, AX

block:
	MOVQ CX, R11
	SUBQ R8, R11 // the number of values from this block on
	MOVL $16, BX
	CMPQ R11, BX
	CMOVQGT BX, R11
	MOVL $-1, DX
	BZHIL R11, DX, DX
	KMOVW DX, K1
	KSHIFTRW $8, K1, K2
	LEAQ (SI)(R8*8), BX
	VMOVDQU64.Z (BX), K1, Z3
	VMOVDQU64.Z 64(BX), K2, Z4
	VPMOVQD Z3, Y3
	VPMOVQD Z4, Y4
	VINSERTI64X4 $1, Y4, Z3, Z3
	KXORW K3, K3, K3
	XORL R9, R9
	TESTQ R8, R8
	JEQ  inside

before: // compares values of earlier blocks with all lanes
	VPBROADCASTD (SI)(R9*8), Z4
	VPXORD Z3, Z4, Z4
	VPOPCNTD Z4, Z4
	VPCMPUD $2, Z2, Z4, K1, K4
	KORW K4, K3, K3
	INCQ R9
	CMPQ R9, R8
	JLT  before

inside: // compares values of this block with the lanes behind each
	MOVL DX, R10
	ADDQ R8, R11
	DECQ R11 // the last value of the block
	JMP  test

pair:
	BLSRL R10, R10 // removes the lane of i
	KMOVW R10, K2
	VPBROADCASTD (SI)(R9*8), Z4
	VPXORD Z3, Z4, Z4
	VPOPCNTD Z4, Z4
	VPCMPUD $2, Z2, Z4, K2, K4
	KORW K4, K3, K3
	INCQ R9

test:
	CMPQ R9, R11
	JLT  pair
	KMOVW K3, BX
	SHLXQ R8, BX, BX
	ORQ  BX, AX
	ADDQ $16, R8
	CMPQ R8, CX
	JLT  block
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

// These are the lanes up to one: eight ones, and then zeros.
DATA ·lanes8<>+0(SB)/8, $-1
DATA ·lanes8<>+8(SB)/8, $-1
DATA ·lanes8<>+16(SB)/8, $-1
DATA ·lanes8<>+24(SB)/8, $-1
DATA ·lanes8<>+32(SB)/8, $0
DATA ·lanes8<>+40(SB)/8, $0
DATA ·lanes8<>+48(SB)/8, $0
DATA ·lanes8<>+56(SB)/8, $0
GLOBL ·lanes8<>(SB), RODATA|NOPTR, $64

// FAR8 sets the lanes of Y4 whose values differ from that of number R9 in more than k bits, as in maskWithin32Vectors.
#define FAR8 \
	VPBROADCASTD (SI)(R9*8), Y4 \
	VPXOR Y3, Y4, Y4       \
	VPSRLW $4, Y4, Y9      \
	VPAND Y6, Y4, Y4       \
	VPAND Y6, Y9, Y9       \
	VPSHUFB Y4, Y5, Y4     \
	VPSHUFB Y9, Y5, Y9     \
	VPADDB Y4, Y9, Y4      \
	VPMADDUBSW Y7, Y4, Y4  \
	VPMADDWD Y8, Y4, Y4    \
	VPCMPGTD Y2, Y4, Y4

// func pairMaskVectors(xs *uint64, n, k int) uint64
//
// This is pairMaskAVX512 of eight values at a time. Values behind the last one are read as zeros, and their lanes left out at the end.
//
// Registers: SI = xs, CX = n, R8 = the first value of the block, R9 = i, Y3 = the block, Y10 = the lanes that nothing is near, AX = mask.
TEXT ·pairMaskVectors(SB), NOSPLIT, $0-32
	MOVQ xs+0(FP), SI
	MOVQ n+8(FP), CX
	VPBROADCASTD k+16(FP), Y2
	VMOVDQU ·nibbles(SB), Y5
	VPBROADCASTQ ·lowNibbles(SB), Y6
	VPBROADCASTQ ·ones8<>(SB), Y7
	VPBROADCASTQ ·ones16<>(SB), Y8
	LEAQ ·lanes8<>(SB), R12
	XORL R8, R8
	XORL AX, AX

block:
	LEAQ (SI)(R8*8), BX
	MOVQ CX, R11
	SUBQ R8, R11
	CMPQ R11, $8
	JLT  part
	VMOVDQU (BX), Y0
	VMOVDQU 32(BX), Y1
	MOVL $8, R11

whole:
	VSHUFPS $0x88, Y1, Y0, Y3
	VPERMQ $0xd8, Y3, Y3
	VPCMPEQD Y10, Y10, Y10
	XORL R9, R9
	CMPQ R9, R8
	JEQ  inside

before: // compares values of earlier blocks with all lanes
	FAR8
	VPAND Y4, Y10, Y10
	INCQ R9
	CMPQ R9, R8
	JLT  before

inside: // compares values of this block with the lanes behind each
	ADDQ R8, R11
	DECQ R11 // the last value of the block
	LEAQ 28(R12), R10
	JMP  test

pair:
	FAR8
	VPOR (R10), Y4, Y4
	VPAND Y4, Y10, Y10
	SUBQ $4, R10
	INCQ R9

test:
	CMPQ R9, R11
	JLT  pair
	VMOVMSKPS Y10, BX
	XORL $255, BX
	SHLXQ R8, BX, BX
	ORQ  BX, AX
	ADDQ $8, R8
	CMPQ R8, CX
	JLT  block
	BZHIQ CX, AX, AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

part: // up to seven values
	MOVL $8, R10
	SUBQ R11, R10
	VPMOVSXDQ (R12)(R10*4), Y11
	VPMOVSXDQ 16(R12)(R10*4), Y12
	VPMASKMOVQ (BX), Y11, Y0
	VPMASKMOVQ 32(BX), Y12, Y1
	JMP  whole
