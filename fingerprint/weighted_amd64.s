//go:build !purego

#include "textflag.h"

// func addWeightsAVX512(set *[64]uint64, hashes *uint64, weights *uint32, n int)
//
// The 64 sums stay in eight vectors. A hash is the mask under which its weight, in each
// lane of another, is added: eight bits of it for each vector.
//
// Registers: DI = set, SI = hashes, DX = weights, CX = n left; Z0 to Z7 = the sums, Z8 =
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
	MOVL (DX), AX // zeros above
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
