// Throws and visits of elements to positions. The hash of an element x under a key is mix(x^key), by its upper
// log bits the position, and by the next 48 bits the fraction. A step makes the hashes of eight elements, or those of one
// element in eight rounds. The hashes that may change a position are compressed into a buffer on the stack. Then they go into
// their positions one by one, since several may have the same one.
//
// Registers: DI = least, SI = the next elements, DX = elements left, R8 = the end of the buffer, R9 = its beginning,
// BX and X29 = log, R10 and X28 = 64-log, Z23 = keys, Z30 and Z31 = the factors of mix, K7 = the lanes of this step.

// CONSTANTS sets the registers above. AX = log.
#define CONSTANTS \
	VPBROADCASTQ ·factors+0(SB), Z31; \
	VPBROADCASTQ ·factors+8(SB), Z30; \
	MOVL $64, R10; \
	SUBQ AX, R10; \
	MOVQ AX, BX; \
	VMOVQ R10, X28; \
	VMOVQ AX, X29

// MIX mixes Z0, by Z1.
#define MIX \
	VPSRLQ $30, Z0, Z1; \
	VPXORQ Z1, Z0, Z0; \
	VPMULLQ Z31, Z0, Z0; \
	VPSRLQ $27, Z0, Z1; \
	VPXORQ Z1, Z0, Z0; \
	VPMULLQ Z30, Z0, Z0; \
	VPSRLQ $31, Z0, Z1; \
	VPXORQ Z1, Z0, Z0

// ISFREE sets K1, of the lanes K7, to those whose positions Z2 are free by Z27.
// Z26 has the lowest bit of each lane.
#define ISFREE \
	VPSRLQ $6, Z2, Z4; \
	VPERMQ Z27, Z4, Z4; \
	VPRORVQ Z2, Z4, Z4; \
	VPTESTMQ Z26, Z4, K7, K1

// KEEP appends the lanes K1 of a vector to the buffer, by Z4. It stores a whole vector, whose rest is overwritten by the next.
#define KEEP(vector) \
	VPCOMPRESSQ vector, K1, Z4; \
	VMOVDQU64 Z4, (R8); \
	KMOVB K1, AX; \
	POPCNTL AX, AX; \
	LEAQ (R8)(AX*8), R8

// FREE sets Z27 to the bits of the free positions, and R11 to whether there are any. BX = log. Z25 has all bits.
#define FREE(bits, word, last) \
	VPXORQ Z27, Z27, Z27; \
	XORL R11, R11; \
	MOVL $1, R12; \
	KMOVB R12, K2; \
	MOVQ DI, R13; \
	MOVL $1, R14; \
	SHLXQ BX, R14, R14; \
	SHRQ $3, R14; \
word: \
	XORL AX, AX; \
	XORL CX, CX; \
bits: \
	VPCMPEQQ (R13), Z25, K1; \
	KMOVB K1, R12; \
	SHLQ CX, R12; \
	ORQ R12, AX; \
	ADDQ $64, R13; \
	DECQ R14; \
	JZ last; \
	ADDL $8, CX; \
	CMPL CX, $64; \
	JNE bits; \
last: \
	ORQ AX, R11; \
	VPBROADCASTQ AX, K2, Z27; \
	KSHIFTLB $1, K2, K2; \
	TESTQ R14, R14; \
	JNZ word

// LEAST puts the value AX into position CX, by R14.
#define LEAST \
	MOVQ (DI)(CX*8), R14; \
	CMPQ AX, R14; \
	CMOVQCC R14, AX; \
	MOVQ AX, (DI)(CX*8)
