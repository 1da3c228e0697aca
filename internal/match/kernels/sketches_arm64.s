//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// func sketchesWithinVectors(masks *uint8, n int, blocks, q *uint64, words, limit int)
//
// Four vectors have a word of each of the eight sketches. CNT counts the bits of each byte of their XOR with q. The counts of up to 31
// words are added up in bytes, and then brought together to eight lanes of 16 bits, which are added to the numbers of the
// sketches. Of a block of eight, a word takes 16 instructions and the rest 37; Go takes 114 and 139.
//
// Registers: R0 = masks, R1 = blocks left, R2 = the next words of a block, R3 = q, R4 = words, R5 = 31, R6 = the next word of q, R7 =
// words left of a block, R8 = and of some, V0 = limit, V2 = the bits of a mask, V16 to V19 = the numbers, V4 to V7 = the counts.
TEXT ·sketchesWithinVectors(SB), NOSPLIT, $0-48
	MOVD masks+0(FP), R0
	MOVD n+8(FP), R1
	MOVD blocks+16(FP), R2
	MOVD q+24(FP), R3
	MOVD words+32(FP), R4
	MOVD limit+40(FP), R5
	VDUP R5, V0.D2
	MOVD $0x8040201008040201, R5
	VMOV R5, V2.D[0]
	VUXTL V2.B8, V2.H8
	MOVD $31, R5

block:
	VLD1.P 64(R2), [V16.D2, V17.D2, V18.D2, V19.D2]
	MOVD R3, R6
	MOVD R4, R7

some:
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	CMP  R5, R7
	CSEL LT, R7, R5, R8
	SUB  R8, R7

word:
	VLD1R.P 8(R6), [V1.D2]
	VLD1.P 64(R2), [V20.B16, V21.B16, V22.B16, V23.B16]
	VEOR V1.B16, V20.B16, V20.B16
	VEOR V1.B16, V21.B16, V21.B16
	VEOR V1.B16, V22.B16, V22.B16
	VEOR V1.B16, V23.B16, V23.B16
	VCNT V20.B16, V20.B16
	VCNT V21.B16, V21.B16
	VCNT V22.B16, V22.B16
	VCNT V23.B16, V23.B16
	VADD V20.B16, V4.B16, V4.B16
	VADD V21.B16, V5.B16, V5.B16
	VADD V22.B16, V6.B16, V6.B16
	VADD V23.B16, V7.B16, V7.B16
	SUBS $1, R8
	BNE  word

	PAIRS16(4, 4)
	PAIRS16(5, 5)
	PAIRS16(6, 6)
	PAIRS16(7, 7)
	VADDP V5.H8, V4.H8, V4.H8
	VADDP V7.H8, V6.H8, V6.H8
	VADDP V6.H8, V4.H8, V4.H8
	VUXTL V4.H4, V5.S4
	VUXTL2 V4.H8, V6.S4
	VUADDW V5.S2, V16.D2, V16.D2
	VUADDW2 V5.S4, V17.D2, V17.D2
	VUADDW V6.S2, V18.D2, V18.D2
	VUADDW2 V6.S4, V19.D2, V19.D2
	CBNZ R7, some

	ATLEAST64(16, 0, 16)
	ATLEAST64(17, 0, 17)
	ATLEAST64(18, 0, 18)
	ATLEAST64(19, 0, 19)
	VUZP1 V17.S4, V16.S4, V16.S4
	VUZP1 V19.S4, V18.S4, V18.S4
	VUZP1 V18.H8, V16.H8, V16.H8
	VAND V2.B16, V16.B16, V16.B16
	VADDV V16.H8, V16
	VMOV V16.B[0], R8
	MOVB.P R8, 1(R0)
	SUBS $1, R1
	BNE  block
	RET
