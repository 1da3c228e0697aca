//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The functions do not check the requirements of their declarations.

// func maskWithin32Vectors(xs *uint32, n int, q, k uint32) uint64
//
// Four vectors have sixteen values. CNT counts the bits of each byte of their XOR with q. Adding neighbours twice leaves a byte
// for each value, in order. Those that are at most k keep their bit of bitOf, and adding neighbours thrice brings eight bits to
// a byte. This takes 22 instructions for 16 values; Go takes 15 for each.
//
// Registers: R0 = the end of the values left, R1 = their number, R5 = the mask of those behind, V0 = q, V1 = k, V2 = the bits.
TEXT ·maskWithin32Vectors(SB), NOSPLIT, $0-32
	MOVD xs+0(FP), R0
	MOVD n+8(FP), R1
	MOVWU q+16(FP), R2
	MOVWU k+20(FP), R3
	MOVD $0x8040201008040201, R4
	VDUP R2, V0.S4
	VDUP R3, V1.B16
	VDUP R4, V2.D2
	ADD  R1<<2, R0, R0
	MOVD $0, R5
	TBZ  $3, R1, sixteen

	// the last eight values
	SUB  $32, R0
	VLD1 (R0), [V4.B16, V5.B16]
	VEOR V0.B16, V4.B16, V4.B16
	VEOR V0.B16, V5.B16, V5.B16
	VCNT V4.B16, V4.B16
	VCNT V5.B16, V5.B16
	VADDP V5.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	ATLEAST(4, 1, 4)
	VAND V2.B16, V4.B16, V4.B16
	VADDV V4.B8, V4
	VMOV V4.B[0], R5
	SUBS $8, R1
	BEQ  done

sixteen: // from the last block to the first, so that the mask is shifted up
	SUB  $64, R0
	VLD1 (R0), [V4.B16, V5.B16, V6.B16, V7.B16]
	VEOR V0.B16, V4.B16, V4.B16
	VEOR V0.B16, V5.B16, V5.B16
	VEOR V0.B16, V6.B16, V6.B16
	VEOR V0.B16, V7.B16, V7.B16
	VCNT V4.B16, V4.B16
	VCNT V5.B16, V5.B16
	VCNT V6.B16, V6.B16
	VCNT V7.B16, V7.B16
	VADDP V5.B16, V4.B16, V4.B16
	VADDP V7.B16, V6.B16, V6.B16
	VADDP V6.B16, V4.B16, V4.B16
	ATLEAST(4, 1, 4)
	VAND V2.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	VMOV V4.H[0], R4
	ORR  R5<<16, R4, R5
	SUBS $16, R1
	BNE  sixteen

done:
	MOVD R5, ret+24(FP)
	RET

// upTo has eight bytes of ones, and then of zeros: from byte 7-i on, the lanes up to i.
DATA ·upTo+0(SB)/8, $-1
DATA ·upTo+8(SB)/8, $0
GLOBL ·upTo(SB), RODATA|NOPTR, $16

// COUNT8 sets the lower half of V6 to the numbers of bits in which eight values differ from V3.
#define COUNT8 \
	VEOR V3.B16, V4.B16, V6.B16  \
	VEOR V3.B16, V5.B16, V7.B16  \
	VCNT V6.B16, V6.B16          \
	VCNT V7.B16, V7.B16          \
	VADDP V7.B16, V6.B16, V6.B16 \
	VADDP V6.B16, V6.B16, V6.B16

// func pairMaskVectors(xs *uint64, n, k int) uint64
//
// Two vectors have the lowest 32 bits of eight values. Each value before the last of these is compared with them, as in
// maskWithin32Vectors, and a byte for each keeps the least count. Those up to a value are left out when it is compared. The last
// block may overlap the one before, whose bits it finds again. Fewer than eight values are brought to the stack first, before
// values of any kind, which the end leaves out. This takes 10 instructions for eight pairs, and 12 in a block; Go takes 120.
//
// Registers: R0 = xs, R1 = n, R2 = the mask, R3 = the first value of the block, R4 = the values to compare before the block, R5 = and
// in it, R6 = the next value, R7 = the lanes to leave out, V0 = the least counts, V1 = k, V2 = bits, V4 and V5 = the block.
TEXT ·pairMaskVectors(SB), NOSPLIT, $64-32
	MOVD xs+0(FP), R0
	MOVD n+8(FP), R1
	MOVD k+16(FP), R3
	VDUP R3, V1.B16
	MOVD $0x8040201008040201, R3
	VMOV R3, V2.D[0]
	MOVD $0, R2
	MOVD $0, R3
	SUBS $8, R1, R4
	BGE  block

	MOVD R0, R6
	MOVD R1, R5
	MOVD $few-64(SP), R7

copy:
	MOVD.P 8(R6), R8
	MOVD.P R8, 8(R7)
	SUBS $1, R5
	BNE  copy
	MOVD $few-64(SP), R6
	SUB  $1, R1, R5
	B    load

block:
	ADD  R3<<3, R0, R6
	MOVD $7, R5

load:
	VLD1 (R6), [V4.S4, V5.S4, V6.S4, V7.S4]
	VUZP1 V5.S4, V4.S4, V4.S4
	VUZP1 V7.S4, V6.S4, V5.S4
	VMOVI $255, V0.B16
	MOVD R0, R6
	MOVD R3, R4
	CBZ  R4, inside

before:
	VLD1R (R6), [V3.S4]
	ADD  $8, R6
	COUNT8
	VUMIN V6.B8, V0.B8, V0.B8
	SUBS $1, R4
	BNE  before

inside:
	MOVD $·upTo+7(SB), R7

pair:
	VLD1R (R6), [V3.S4]
	ADD  $8, R6
	COUNT8
	VLD1 (R7), [V7.B8]
	VORR V7.B8, V6.B8, V6.B8
	VUMIN V6.B8, V0.B8, V0.B8
	SUB  $1, R7
	SUBS $1, R5
	BNE  pair

	ATLEAST(0, 1, 0)
	VAND V2.B8, V0.B8, V0.B8
	VADDV V0.B8, V0
	VMOV V0.B[0], R4
	LSL  R3, R4, R4
	ORR  R4, R2, R2
	ADD  $8, R3
	CMP  R1, R3
	BGE  done
	SUB  $8, R1, R4
	CMP  R4, R3
	CSEL GT, R4, R3, R3
	B    block

done:
	MOVD $-1, R4
	NEG  R1, R1
	LSR  R1, R4, R4 // the lowest n bits
	AND  R4, R2, R2
	MOVD R2, ret+24(FP)
	RET

// func prefetchLines(xs, lo, hi *uint32, n, most int)
//
// PRFM never faults, and nothing waits for it. Go takes loads, which may hold up what comes behind them.
//
// Registers: R0 = xs, R1 = lo, R2 = hi, R3 = n, R4 = most, R5 = the next line of the run, R6 = its last line.
TEXT ·prefetchLines(SB), NOSPLIT, $0-40
	MOVD xs+0(FP), R0
	MOVD lo+8(FP), R1
	MOVD hi+16(FP), R2
	MOVD n+24(FP), R3
	MOVD most+32(FP), R4

run:
	MOVWU.P 4(R1), R5
	MOVWU.P 4(R2), R6
	ADD  R4, R5, R7
	CMP  R7, R6
	CSEL GT, R7, R6, R6
	CMP  R6, R5
	BGE  read
	ADD  R5<<2, R0, R5
	ADD  R6<<2, R0, R6
	SUB  $4, R6
	AND  $~63, R5

line:
	PRFM (R5), PLDL1KEEP
	ADD  $64, R5
	CMP  R6, R5
	BLS  line

read:
	SUBS $1, R3
	BNE  run
	RET

// SUM8 adds the bits of two parts of eight values. V4 and V5 = the lower halves, and V6 = the bits of the others, in pairs of bytes. It ors
// the mask of the values within k into R7, and goes on to the next block, of which the last may overlap the one before.
#define SUM8 \
	VEOR V0.B16, V4.B16, V4.B16  \
	VEOR V0.B16, V5.B16, V5.B16  \
	VCNT V4.B16, V4.B16          \
	VCNT V5.B16, V5.B16          \
	VADDP V5.B16, V4.B16, V4.B16 \
	VADD V6.B16, V4.B16, V4.B16  \
	VADDP V4.B16, V4.B16, V4.B16 \
	ATLEAST(4, 1, 4)             \
	VAND V2.B16, V4.B16, V4.B16  \
	VADDV V4.B8, V4              \
	VMOV V4.B[0], R4             \
	LSL  R6, R4, R4              \
	ORR  R4, R7, R7              \
	CMP  R5, R6                  \
	BEQ  done                    \
	ADD  $8, R6                  \
	CMP  R5, R6                  \
	CSEL GT, R5, R6, R6

// func maskWithin48NEON(low *uint32, mid *uint16, n int, q uint64, k uint32) uint64
//
// This takes 25 instructions for eight values; Go takes 25 for each.
//
// Registers: R0 = low, R1 = mid, R5 = n - 8, R6 = the first value of the block, R7 = the mask, V0 and V3 = the halves of q, V1 = k, V2 =
// the bits of a mask.
TEXT ·maskWithin48NEON(SB), NOSPLIT, $0-48
	MOVD low+0(FP), R0
	MOVD mid+8(FP), R1
	MOVD n+16(FP), R5
	MOVD q+24(FP), R3
	MOVWU k+32(FP), R4
	VDUP R3, V0.S4
	LSR  $32, R3, R3
	VDUP R3, V3.H8
	VDUP R4, V1.B16
	MOVD $0x8040201008040201, R4
	VDUP R4, V2.D2
	SUB  $8, R5
	MOVD $0, R6
	MOVD $0, R7

eight:
	ADD  R6<<2, R0, R3
	ADD  R6<<1, R1, R4
	VLD1 (R3), [V4.B16, V5.B16]
	VLD1 (R4), [V6.B16]
	VEOR V3.B16, V6.B16, V6.B16
	VCNT V6.B16, V6.B16
	SUM8
	B    eight

done:
	MOVD R7, ret+40(FP)
	RET

// func maskWithin64NEON(low, high *uint32, n int, q uint64, k uint32) uint64
//
// This takes 28 instructions for eight values; Go takes 25 for each. Registers are those of maskWithin48NEON.
TEXT ·maskWithin64NEON(SB), NOSPLIT, $0-48
	MOVD low+0(FP), R0
	MOVD high+8(FP), R1
	MOVD n+16(FP), R5
	MOVD q+24(FP), R3
	MOVWU k+32(FP), R4
	VDUP R3, V0.S4
	LSR  $32, R3, R3
	VDUP R3, V3.S4
	VDUP R4, V1.B16
	MOVD $0x8040201008040201, R4
	VDUP R4, V2.D2
	SUB  $8, R5
	MOVD $0, R6
	MOVD $0, R7

eight:
	ADD  R6<<2, R0, R3
	ADD  R6<<2, R1, R4
	VLD1 (R3), [V4.B16, V5.B16]
	VLD1 (R4), [V6.B16, V7.B16]
	VEOR V3.B16, V6.B16, V6.B16
	VEOR V3.B16, V7.B16, V7.B16
	VCNT V6.B16, V6.B16
	VCNT V7.B16, V7.B16
	VADDP V7.B16, V6.B16, V6.B16
	SUM8
	B    eight

done:
	MOVD R7, ret+40(FP)
	RET
