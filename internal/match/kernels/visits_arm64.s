//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The bytes of eight rounds that go to the upper eight bits of four lanes, of the first four and the others.
DATA ·upper+0(SB)/8, $0x02ffffff00ffffff
DATA ·upper+8(SB)/8, $0x06ffffff04ffffff
DATA ·upper+16(SB)/8, $0x0affffff08ffffff
DATA ·upper+24(SB)/8, $0x0effffff0cffffff
GLOBL ·upper(SB), RODATA|NOPTR, $32

// VISIT puts the lesser of the values of a visitor at eight positions, and of two vectors, into these. The upper eight bits are the round,
// and the others the fraction. V24 = the hash of the visitor, rounds = its rounds there, V10 and V11 = upper. factors and factors2 are
// numbers of vectors.
#define VISIT(rounds, factors, factors2, least, least2) \
	TIMES32(factors, 24, 29)                  \
	TIMES32(factors2, 24, 30)                 \
	VTBL V10.B16, [rounds.B16], V31.B16       \
	VTBL V11.B16, [rounds.B16], rounds.B16    \
	VSRI $8, V29.S4, V31.S4                   \
	VSRI $8, V30.S4, rounds.S4                \
	VUMIN V31.S4, least.S4, least.S4          \
	VUMIN rounds.S4, least2.S4, least2.S4

// FILL stores four values at those of their positions that are unfilled. V31 has all bits.
#define FILL(least) \
	VUSHLL $24, least.S2, V26.D2      \
	VUSHLL2 $24, least.S4, V27.D2     \
	VLD1 (R0), [V28.D2, V29.D2]       \
	VCMEQ V31.D2, V28.D2, V24.D2      \
	VCMEQ V31.D2, V29.D2, V25.D2      \
	VBIT V24.B16, V26.B16, V28.B16    \
	VBIT V25.B16, V27.B16, V29.B16    \
	VST1.P [V28.D2, V29.D2], 32(R0)

// func visitAllVectors(least *uint64, k int, visitors *visitor, n int, rounds *uint16, factors *uint32)
//
// A step takes 32 positions, and all visitors in turn. A visitor takes 40 instructions; Go takes 23 for each of these positions that
// is unfilled.
//
// Registers: R0 = least, R1 = positions left, R2 = visitors, R3 = n, R4 = rounds of the first position of this step, R5 = its factors,
// R6 = the next visitor, R7 = visitors left, V0 to V7 = the factors, V16 to V23 = the least values.
TEXT ·visitAllVectors(SB), NOSPLIT, $0-48
	MOVD least+0(FP), R0
	MOVD k+8(FP), R1
	MOVD visitors+16(FP), R2
	MOVD n+24(FP), R3
	MOVD rounds+32(FP), R4
	MOVD factors+40(FP), R5
	MOVD $·upper(SB), R6
	VLD1 (R6), [V10.B16, V11.B16]

positions:
	VLD1.P 64(R5), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R5), [V4.S4, V5.S4, V6.S4, V7.S4]
	VMOVI $255, V16.B16
	VMOVI $255, V17.B16
	VMOVI $255, V18.B16
	VMOVI $255, V19.B16
	VMOVI $255, V20.B16
	VMOVI $255, V21.B16
	VMOVI $255, V22.B16
	VMOVI $255, V23.B16
	MOVD R2, R6
	MOVD R3, R7

visitor:
	MOVWU (R6), R8
	ADD  $4, R6
	VLD1R (R6), [V24.S4]
	ADD  $4, R6
	ADD  R8<<1, R4, R8
	VLD1 (R8), [V25.H8, V26.H8, V27.H8, V28.H8]
	VISIT(V25, 0, 1, V16, V17)
	VISIT(V26, 2, 3, V18, V19)
	VISIT(V27, 4, 5, V20, V21)
	VISIT(V28, 6, 7, V22, V23)
	SUBS $1, R7
	BNE  visitor

	VMOVI $255, V31.B16
	FILL(V16)
	FILL(V17)
	FILL(V18)
	FILL(V19)
	FILL(V20)
	FILL(V21)
	FILL(V22)
	FILL(V23)
	ADD  $64, R4
	SUBS $32, R1
	BNE  positions
	RET

// FREE sets the bits of 16 elements that visit free positions. V8 and V9 = order, V10 = free, V11 = the bits of the positions 0 to 7, V12 =
// k, V13 = 7. orders has the numbers of the orders, and then the bits. firsts has the positions in round 0.
#define FREE(firsts, orders) \
	VTBL orders.B16, [V8.B16, V9.B16], orders.B16 \
	VADD firsts.B16, orders.B16, firsts.B16       \
	VSUB V12.B16, firsts.B16, orders.B16          \
	VUMIN orders.B16, firsts.B16, firsts.B16      \ // the position modulo k
	VUSHR $3, firsts.B16, orders.B16              \
	VTBL orders.B16, [V10.B16], orders.B16        \
	VAND V13.B16, firsts.B16, firsts.B16          \
	VTBL firsts.B16, [V11.B16], firsts.B16        \
	VCMTST firsts.B16, orders.B16, orders.B16     \
	VAND V11.B16, orders.B16, orders.B16

// func visitFreeVectors(visiting *uint32, firsts, orders *uint8, n int, order *[Orders]uint16, free, more uint64, k int)
//
// 64 elements take 50 instructions. Go takes 19 and more for each.
//
// Registers: R0 = visiting, R1 = firsts, R2 = orders, R3 = the number of elements left, V0 to V7 = the elements.
TEXT ·visitFreeVectors(SB), NOSPLIT, $0-64
	MOVD visiting+0(FP), R0
	MOVD firsts+8(FP), R1
	MOVD orders+16(FP), R2
	MOVD n+24(FP), R3
	MOVD order+32(FP), R4
	MOVD free+40(FP), R5
	MOVD more+48(FP), R6
	MOVD k+56(FP), R7
	VLD1 (R4), [V0.B16, V1.B16, V2.B16, V3.B16]
	VUZP1 V1.B16, V0.B16, V8.B16
	VUZP1 V3.B16, V2.B16, V9.B16
	VMOV R5, V10.D[0]
	VMOV R6, V10.D[1]
	MOVD $0x8040201008040201, R4
	VDUP R4, V11.D2
	VDUP R7, V12.B16
	VMOVI $7, V13.B16

some:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]
	FREE(V0, V4)
	FREE(V1, V5)
	FREE(V2, V6)
	FREE(V3, V7)
	VADDP V5.B16, V4.B16, V4.B16
	VADDP V7.B16, V6.B16, V6.B16
	VADDP V6.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	VMOV V4.D[0], R4
	MOVD.P R4, 8(R0)
	SUBS $64, R3
	BGT  some
	NEG  R3, R3 // the elements behind the last
	LSL  R3, R4, R4
	LSR  R3, R4, R4
	MOVD R4, -8(R0)
	RET
