//go:build !purego

#include "textflag.h"

// ADD4 adds the weight to those of four sums whose bit is set in the hash. bits has a bit of the hash in each lane.
#define ADD4(bits, low, high) \
	VCMTST bits.S4, V24.S4, V26.S4    \
	VAND V25.B16, V26.B16, V26.B16    \
	VUADDW V26.S2, low.D2, low.D2     \
	VUADDW2 V26.S4, high.D2, high.D2

// func addWeightsVectors(set *[64]uint64, hashes *uint64, weights *uint32, n int)
//
// Half of the bits are summed at a time, in sixteen vectors. The lanes of another vector are the weight where the hash has the bit of a
// lane, and zero elsewhere; they are widened as they are added. A hash takes 72 instructions; Go takes 708.
//
// Registers: R0 = set, R1 = hashes, R2 = weights, R3 = n, R4 = the half, R5, R6 and R7 = the rest of hashes, weights and n, R8 = 8, V0 to
// V15 = the sums, V16 to V23 = the bits, four each, V24 = half of the hash, V25 = the weight.
TEXT ·addWeightsVectors(SB), NOSPLIT, $0-32
	MOVD set+0(FP), R0
	MOVD hashes+8(FP), R1
	MOVD weights+16(FP), R2
	MOVD n+24(FP), R3
	MOVD $0x0000000200000001, R4
	MOVD $0x0000000800000004, R5
	VMOV R4, V16.D[0]
	VMOV R5, V16.D[1]
	VSHL $4, V16.S4, V17.S4
	VSHL $8, V16.S4, V18.S4
	VSHL $12, V16.S4, V19.S4
	VSHL $16, V16.S4, V20.S4
	VSHL $20, V16.S4, V21.S4
	VSHL $24, V16.S4, V22.S4
	VSHL $28, V16.S4, V23.S4
	MOVD $2, R4
	MOVD $8, R8

half:
	VLD1.P 64(R0), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P 64(R0), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P 64(R0), [V8.D2, V9.D2, V10.D2, V11.D2]
	VLD1 (R0), [V12.D2, V13.D2, V14.D2, V15.D2]
	SUB  $192, R0
	MOVD R1, R5
	MOVD R2, R6
	MOVD R3, R7

feature:
	VLD1R.P (R5)(R8), [V24.S4]
	VLD1R.P 4(R6), [V25.S4]
	ADD4(V16, V0, V1)
	ADD4(V17, V2, V3)
	ADD4(V18, V4, V5)
	ADD4(V19, V6, V7)
	ADD4(V20, V8, V9)
	ADD4(V21, V10, V11)
	ADD4(V22, V12, V13)
	ADD4(V23, V14, V15)
	SUBS $1, R7
	BNE  feature
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	VST1.P [V8.D2, V9.D2, V10.D2, V11.D2], 64(R0)
	VST1.P [V12.D2, V13.D2, V14.D2, V15.D2], 64(R0)
	ADD  $4, R1 // the other half of each hash
	SUBS $1, R4
	BNE  half
	RET
