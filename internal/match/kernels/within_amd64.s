//go:build !purego

#include "textflag.h"

// Both functions return the least i with popcount(xs[i] ^ q) <= k, or n. They do not check the requirements of
// their declarations.
//
// Registers: SI = xs, CX = n, AX = i.

// func nextWithinAVX512(xs *uint64, n int, q uint64, k int) int
//
// A vector has eight values. VPOPCNTQ counts the bits of their XOR with q. An unsigned comparison gives a mask
// with a bit for each value within k. The main loop takes four vectors and only finds out whether any mask has
// a bit. The next loop finds which. The end is loaded under a mask, so that nothing behind xs[n-1] is read.
TEXT ·nextWithinAVX512(SB), NOSPLIT, $0-40
	MOVQ xs+0(FP), SI
	MOVQ n+8(FP), CX
	VPBROADCASTQ q+16(FP), Z1
	VPBROADCASTQ k+24(FP), Z2
	XORQ AX, AX

loop32:
	LEAQ 32(AX), DX
	CMPQ DX, CX
	JGT  loop8
	VPXORQ (SI)(AX*8), Z1, Z3
	VPXORQ 64(SI)(AX*8), Z1, Z4
	VPXORQ 128(SI)(AX*8), Z1, Z5
	VPXORQ 192(SI)(AX*8), Z1, Z6
	VPOPCNTQ Z3, Z3
	VPOPCNTQ Z4, Z4
	VPOPCNTQ Z5, Z5
	VPOPCNTQ Z6, Z6
	// Some value is within k if the least count of some lane is.
	VPMINUQ Z3, Z4, Z3
	VPMINUQ Z5, Z6, Z5
	VPMINUQ Z3, Z5, Z3
	VPCMPUQ $2, Z2, Z3, K1 // $2 is <=: Z3 <= Z2
	KORTESTB K1, K1
	JNZ  loop8             // one of the 32 values matches
	MOVQ DX, AX
	JMP  loop32

loop8:
	LEAQ 8(AX), DX
	CMPQ DX, CX
	JGT  tail
	VPXORQ (SI)(AX*8), Z1, Z3
	VPOPCNTQ Z3, Z3
	VPCMPUQ $2, Z2, Z3, K1
	KMOVB K1, BX
	TESTL BX, BX
	JNZ  found
	MOVQ DX, AX
	JMP  loop8

tail:
	MOVQ CX, DX
	SUBQ AX, DX // the number of values left, 0 to 7
	MOVL $1, BX
	XCHGQ CX, DX
	SHLL CX, BX // 1 << left
	XCHGQ CX, DX
	DECL BX
	KMOVB BX, K2
	VMOVDQU64.Z (SI)(AX*8), K2, Z3
	VPXORQ Z1, Z3, Z3
	VPOPCNTQ Z3, Z3
	VPCMPUQ $2, Z2, Z3, K2, K1 // only lanes that were loaded
	KMOVB K1, BX
	TESTL BX, BX
	JNZ  found
	MOVQ CX, ret+32(FP)
	VZEROUPPER
	RET

found:
	BSFL BX, BX // the first lane that matches
	ADDQ BX, AX
	MOVQ AX, ret+32(FP)
	VZEROUPPER
	RET

// This is the table of the bit counts of 0 to 15, twice. VPSHUFB looks up 16 bytes in each half of a vector.
DATA ·nibbles+0(SB)/8, $0x0302020102010100
DATA ·nibbles+8(SB)/8, $0x0403030203020201
DATA ·nibbles+16(SB)/8, $0x0302020102010100
DATA ·nibbles+24(SB)/8, $0x0403030203020201
GLOBL ·nibbles(SB), RODATA|NOPTR, $32

DATA ·lowNibbles+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL ·lowNibbles(SB), RODATA|NOPTR, $8

// func nextWithinVectors(xs *uint64, n int, q uint64, k int) int
//
// A vector has four values. AVX2 has no instruction that counts bits, so that the counts of nibbles of the
// difference are looked up (Muła). They are added for each byte, where they are at most 8. VPSADBW adds the
// eight bytes of each value.
TEXT ·nextWithinVectors(SB), NOSPLIT, $0-40
	MOVQ xs+0(FP), SI
	MOVQ n+8(FP), CX
	VPBROADCASTQ q+16(FP), Y1
	VPBROADCASTQ k+24(FP), Y2
	VMOVDQU ·nibbles(SB), Y5
	VPBROADCASTQ ·lowNibbles(SB), Y6
	VPXOR Y7, Y7, Y7
	XORQ AX, AX

loop4:
	CMPQ AX, CX
	JGE  none
	VPXOR (SI)(AX*8), Y1, Y3
	VPSRLW $4, Y3, Y4
	VPAND Y6, Y3, Y3
	VPAND Y6, Y4, Y4
	VPSHUFB Y3, Y5, Y3
	VPSHUFB Y4, Y5, Y4
	VPADDB Y3, Y4, Y3
	VPSADBW Y7, Y3, Y3
	VPCMPGTQ Y2, Y3, Y3 // all ones where the count is above k
	VMOVMSKPD Y3, BX
	XORL $15, BX
	JNZ  found4
	ADDQ $4, AX
	JMP  loop4

found4:
	BSFL BX, BX
	ADDQ BX, AX
	MOVQ AX, ret+32(FP)
	VZEROUPPER
	RET

none:
	MOVQ CX, ret+32(FP)
	VZEROUPPER
	RET
