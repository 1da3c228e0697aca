//go:build !purego

#include "textflag.h"

// The classes of the characters from space to question mark: 1 is a digit, 2 joins letters, 4 joins digits.
DATA ·classes+0(SB)/8, $0x0600000000000000
DATA ·classes+8(SB)/8, $0x0006000400000000
DATA ·classes+16(SB)/8, $0x0101010101010101
DATA ·classes+24(SB)/8, $0x0000000004020101
GLOBL ·classes(SB), RODATA|NOPTR, $32

// LETTERS sets m to the letters of 16 characters, and makes these lower-case.
#define LETTERS(c, m) \
	VORR V16.B16, c.B16, m.B16   \
	VSUB V17.B16, m.B16, m.B16   \
	VUMIN V18.B16, m.B16, V8.B16 \
	VCMEQ V8.B16, m.B16, m.B16   \
	VAND V16.B16, m.B16, V8.B16  \
	VORR V8.B16, c.B16, c.B16

// WITH sets m where a byte of c has a bit of bits.
#define WITH(bits, c, m) VCMTST bits.B16, c.B16, m.B16

// BITS stores the masks of V4 to V7 as 64 bits. It leaves them in F4.
#define BITS(at) \
	VAND V26.B16, V4.B16, V4.B16 \
	VAND V26.B16, V5.B16, V5.B16 \
	VAND V26.B16, V6.B16, V6.B16 \
	VAND V26.B16, V7.B16, V7.B16 \
	VADDP V5.B16, V4.B16, V4.B16 \
	VADDP V7.B16, V6.B16, V6.B16 \
	VADDP V6.B16, V4.B16, V4.B16 \
	VADDP V4.B16, V4.B16, V4.B16 \
	FMOVD F4, at(R1)

// CLASS stores the mask of the characters whose class has a bit.
#define CLASS(bit, at) \
	WITH(bit, V8, V4)  \
	WITH(bit, V9, V5)  \
	WITH(bit, V10, V6) \
	WITH(bit, V11, V7) \
	BITS(at)

// func classifyVectors(dst *byte, ms *masks, text *byte, n int) uint64
//
// Letters are one range, if the case is left out. A look-up in two vectors has the classes of the other characters, and those that it
// does not have are in none. Of a mask for each character, a bit is kept, and adding neighbours thrice brings eight bits to a byte. A
// block of 64 characters takes 107 instructions; Go takes 34 for each letter.
//
// Registers: R0 = dst, R1 = ms, R2 = text, R3 = blocks left, V0 to V3 = the characters, V16 = 0x20, from upper to lower case, V17 = a,
// V18 = 25, V19 = 0x80, V20 = _, V21 and V22 = classes, V23 = 1, V24 = 2, V25 = 4, V26 = bits, V27 = the union of the masks of underscores.
TEXT ·classifyVectors(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD ms+8(FP), R1
	MOVD text+16(FP), R2
	MOVD n+24(FP), R3
	VMOVI $0x20, V16.B16
	VMOVI $97, V17.B16
	VMOVI $25, V18.B16
	VMOVI $0x80, V19.B16
	VMOVI $95, V20.B16
	MOVD $·classes(SB), R4
	VLD1 (R4), [V21.B16, V22.B16]
	VMOVI $1, V23.B16
	VMOVI $2, V24.B16
	VMOVI $4, V25.B16
	MOVD $0x8040201008040201, R4
	VDUP R4, V26.D2
	VMOVI $0, V27.B16

block:
	VLD1.P 64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]
	LETTERS(V0, V4)
	LETTERS(V1, V5)
	LETTERS(V2, V6)
	LETTERS(V3, V7)
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	VORR V0.B16, V4.B16, V4.B16 // bytes above 0x7f are of letters, too
	VORR V1.B16, V5.B16, V5.B16
	VORR V2.B16, V6.B16, V6.B16
	VORR V3.B16, V7.B16, V7.B16
	WITH(V19, V4, V4)
	WITH(V19, V5, V5)
	WITH(V19, V6, V6)
	WITH(V19, V7, V7)
	BITS(0)
	VCMEQ V20.B16, V0.B16, V4.B16
	VCMEQ V20.B16, V1.B16, V5.B16
	VCMEQ V20.B16, V2.B16, V6.B16
	VCMEQ V20.B16, V3.B16, V7.B16
	BITS(16)
	VORR V4.B16, V27.B16, V27.B16
	VSUB V16.B16, V0.B16, V8.B16
	VSUB V16.B16, V1.B16, V9.B16
	VSUB V16.B16, V2.B16, V10.B16
	VSUB V16.B16, V3.B16, V11.B16
	VTBL V8.B16, [V21.B16, V22.B16], V8.B16
	VTBL V9.B16, [V21.B16, V22.B16], V9.B16
	VTBL V10.B16, [V21.B16, V22.B16], V10.B16
	VTBL V11.B16, [V21.B16, V22.B16], V11.B16
	CLASS(V23, 8)
	CLASS(V24, 24)
	CLASS(V25, 32)
	ADD  $40, R1
	SUBS $1, R3
	BNE  block
	VMOV V27.D[0], R4
	MOVD R4, ret+32(FP)
	RET
