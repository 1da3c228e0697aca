//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

// WITHIN16 sets R12 to the mask of the values within k of sixteen at R12, four bits each. V0 = q, V1 = k.
#define WITHIN16 \
	VLD1 (R12), [V4.B16, V5.B16, V6.B16, V7.B16] \
	VEOR V0.B16, V4.B16, V4.B16  \
	VEOR V0.B16, V5.B16, V5.B16  \
	VEOR V0.B16, V6.B16, V6.B16  \
	VEOR V0.B16, V7.B16, V7.B16  \
	VCNT V4.B16, V4.B16          \
	VCNT V5.B16, V5.B16          \
	VCNT V6.B16, V6.B16          \
	VCNT V7.B16, V7.B16          \
	VADDP V5.B16, V4.B16, V4.B16 \
	VADDP V7.B16, V6.B16, V6.B16 \
	VADDP V6.B16, V4.B16, V4.B16 \
	ATLEAST(4, 1, 4)             \
	NIBBLES(4, 4)                \
	VMOV V4.D[0], R12

// func listWithin32Vectors(dst *uint32, most int, ends, xs, lo, hi, qs, ks *uint32, first, n int, ahead *uint32, aheadLo, aheadHi *uint32, aheadN int) (done int)
//
// Sixteen values are compared as in maskWithin32Vectors. The last ones of a run are compared with what is before them, which is then
// left out; at the beginning of xs, one by one. Few values are within the distance, so that their indices are written one by one.
// Before run i is compared, the lines of run i of those ahead are asked for, so that they arrive while the processor compares.
//
// This takes 20 instructions for 16 values, some 50 for a run, and 9 for an index. Go takes 15 for a value.
//
// Registers: R0 = dst, R1 = the number of indices, R2 = ends, R3 = xs, R4 = lo, R5 = hi, R6 = qs, R7 = ks, R8 = i, R9 = the index of the
// next value of the run, R10 = its end, R11 = the number of values left, R19 = a bit for each value of a mask, R20 = ahead, R21 =
// aheadLo, R22 = aheadHi, R23 = aheadN, R24 = most, R25 = n.
TEXT ·listWithin32Vectors(SB), NOSPLIT, $0-120
	MOVD dst+0(FP), R0
	MOVD most+8(FP), R24
	MOVD ends+16(FP), R2
	MOVD xs+24(FP), R3
	MOVD lo+32(FP), R4
	MOVD hi+40(FP), R5
	MOVD qs+48(FP), R6
	MOVD ks+56(FP), R7
	MOVD first+64(FP), R8
	MOVD n+72(FP), R25
	MOVD ahead+80(FP), R20
	MOVD aheadLo+88(FP), R21
	MOVD aheadHi+96(FP), R22
	MOVD aheadN+104(FP), R23
	MOVD $0, R1
	MOVD $0x1111111111111111, R19

run:
	CMP  R23, R8
	BGE  fetched
	MOVWU (R21)(R8<<2), R12
	MOVWU (R22)(R8<<2), R13
	ADD  $const_aheadAtMost, R12, R14
	CMP  R14, R13
	CSEL GT, R14, R13, R13
	CMP  R13, R12
	BGE  fetched
	ADD  R12<<2, R20, R12
	ADD  R13<<2, R20, R13
	SUB  $4, R13
	AND  $~63, R12

line:
	PRFM (R12), PLDL1KEEP
	ADD  $64, R12
	CMP  R13, R12
	BLS  line

fetched:
	MOVWU (R4)(R8<<2), R9
	MOVWU (R5)(R8<<2), R10
	SUB  R9, R10, R11
	ADD  R1, R11, R12
	CMP  R24, R12
	BGT  full
	ADD  R8<<2, R6, R12
	ADD  R8<<2, R7, R13
	VLD1R (R12), [V0.S4]
	VLD1R (R13), [V1.B16]
	SUBS $16, R11
	BLT  short

long:
	ADD  R9<<2, R3, R12
	WITHIN16
	CBNZ R12, write

next:
	ADD  $16, R9
	SUBS $16, R11
	BGE  long

short: // and there are sixteen more left than R11 says
	ADDS $16, R11
	BEQ  end
	SUBS $16, R10, R9
	BLT  few
	ADD  R9<<2, R3, R12
	WITHIN16
	MOVD $16, R13
	SUB  R11, R13, R13
	LSL  $2, R13, R13
	LSR  R13, R12, R12 // leaves out what is before
	LSL  R13, R12, R12
	MOVD $0, R11
	CBNZ R12, write

end:
	MOVW R1, (R2)(R8<<2)
	ADD  $1, R8
	CMP  R25, R8
	BLT  run

full:
	MOVD R8, done+112(FP)
	RET

write:
	AND  R19, R12

index:
	RBIT R12, R13
	CLZ  R13, R13
	ADD  R13>>2, R9, R13
	MOVW R13, (R0)(R1<<2)
	ADD  $1, R1
	SUB  $1, R12, R13
	ANDS R13, R12
	BNE  index
	B    next

few: // the last values of a run that ends before 16
	SUB  R11, R10, R9
	VMOV V1.B[0], R13
	VMOV V0.S[0], R14

one:
	MOVWU (R3)(R9<<2), R12
	EOR  R14, R12
	FMOVS R12, F4 // and zeros
	VCNT V4.B8, V4.B8
	VADDV V4.B8, V4
	VMOV V4.B[0], R12
	MOVW R9, (R0)(R1<<2)
	CMP  R13, R12
	CINC LS, R1, R1
	ADD  $1, R9
	CMP  R10, R9
	BLT  one
	B    end
