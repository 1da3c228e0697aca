//go:build !purego

#include "textflag.h"

// func addWeightsAVX512(set *[64]uint64, hashes *uint64, weights *uint32, n int)
//
// The 64 sums stay in eight vectors. Another vector has the weight in each lane. It is added to each vector of
// sums under a mask of eight bits of the hash.
//
// Registers: DI = set, SI = hashes, DX = weights, CX = the number of hashes left, Z0 to Z7 = the sums, Z8 =
// the weight, K1 to K4 by turns = the bytes of the hash.
TEXT ·addWeightsAVX512(SB), NOSPLIT, $0-32
	MOVQ set+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ weights+16(FP), DX
	MOVQ n+24(FP), CX
	VMOVDQU64 (DI), Z0
	VMOVDQU64 64(DI), Z1
	VMOVDQU64 128(DI), Z2
	VMOVDQU64 192(DI), Z3
	VMOVDQU64 256(DI), Z4
	VMOVDQU64 320(DI), Z5
	VMOVDQU64 384(DI), Z6
	VMOVDQU64 448(DI), Z7

feature:
	MOVL (DX), AX // clears the upper half
	VPBROADCASTQ AX, Z8
	KMOVB (SI), K1
	KMOVB 1(SI), K2
	KMOVB 2(SI), K3
	KMOVB 3(SI), K4
	VPADDQ Z8, Z0, K1, Z0
	VPADDQ Z8, Z1, K2, Z1
	VPADDQ Z8, Z2, K3, Z2
	VPADDQ Z8, Z3, K4, Z3
	KMOVB 4(SI), K1
	KMOVB 5(SI), K2
	KMOVB 6(SI), K3
	KMOVB 7(SI), K4
	VPADDQ Z8, Z4, K1, Z4
	VPADDQ Z8, Z5, K2, Z5
	VPADDQ Z8, Z6, K3, Z6
	VPADDQ Z8, Z7, K4, Z7
	ADDQ $8, SI
	ADDQ $4, DX
	DECQ CX
	JNZ  feature
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	VMOVDQU64 Z2, 128(DI)
	VMOVDQU64 Z3, 192(DI)
	VMOVDQU64 Z4, 256(DI)
	VMOVDQU64 Z5, 320(DI)
	VMOVDQU64 Z6, 384(DI)
	VMOVDQU64 Z7, 448(DI)
	VZEROUPPER
	RET

// ADD4 adds the weight in Y8 to those of four sums for which u has the bit 63 - shift set. The lanes of u are the
// hash, shifted so that the bits of the four sums are there.
#define ADD4(shift, sums) \
	VPSLLQ    $shift, Y9, Y11       \
	VBLENDVPD Y11, Y8, Y10, Y11     \
	VPADDQ    Y11, sums, sums

// func addWeightsVectors(set *[64]uint64, hashes *uint64, weights *uint32, n int)
//
// Lane l of Y9 is the hash shifted left by 3 - l, so that bit 4g + l of the hash is bit 4g + 3 of the lane, for
// every l. A shift brings this bit to the sign, which selects the weight or zero. Half of the bits are summed at
// a time, in eight vectors.
//
// Registers: DI = set, R8 = hashes, R9 = weights, R10 = n; SI, DX, CX = the rest of these;
// Y0 to Y7 = the sums, Y10 = 0, Y12 = {3, 2, 1, 0}.
TEXT ·addWeightsVectors(SB), NOSPLIT, $0-32
	MOVQ  set+0(FP), DI
	MOVQ  hashes+8(FP), R8
	MOVQ  weights+16(FP), R9
	MOVQ  n+24(FP), R10
	VPXOR Y10, Y10, Y10
	VMOVDQU lanes<>(SB), Y12
	MOVQ  $0, BX           // the right shift of the hash: 0, then 32

half:
	MOVQ R8, SI
	MOVQ R9, DX
	MOVQ R10, CX
	VMOVDQU (DI), Y0
	VMOVDQU 32(DI), Y1
	VMOVDQU 64(DI), Y2
	VMOVDQU 96(DI), Y3
	VMOVDQU 128(DI), Y4
	VMOVDQU 160(DI), Y5
	VMOVDQU 192(DI), Y6
	VMOVDQU 224(DI), Y7

feature:
	MOVL (DX), AX // clears the upper half
	VMOVQ AX, X8
	VPBROADCASTQ X8, Y8
	SHRXQ BX, (SI), AX
	VMOVQ AX, X9
	VPBROADCASTQ X9, Y9
	VPSLLVQ Y12, Y9, Y9
	ADD4(60, Y0)
	ADD4(56, Y1)
	ADD4(52, Y2)
	ADD4(48, Y3)
	ADD4(44, Y4)
	ADD4(40, Y5)
	ADD4(36, Y6)
	ADD4(32, Y7)
	ADDQ $8, SI
	ADDQ $4, DX
	DECQ CX
	JNZ  feature
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, 64(DI)
	VMOVDQU Y3, 96(DI)
	VMOVDQU Y4, 128(DI)
	VMOVDQU Y5, 160(DI)
	VMOVDQU Y6, 192(DI)
	VMOVDQU Y7, 224(DI)
	ADDQ $256, DI
	ADDQ $32, BX
	CMPQ BX, $64
	JLT  half
	VZEROUPPER
	RET

DATA lanes<>+0(SB)/8, $3
DATA lanes<>+8(SB)/8, $2
DATA lanes<>+16(SB)/8, $1
DATA lanes<>+24(SB)/8, $0
GLOBL lanes<>(SB), RODATA|NOPTR, $32
