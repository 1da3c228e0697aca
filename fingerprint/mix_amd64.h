// MIX is fmix64, the finalizer of MurmurHash3, of eight values in h. t is overwritten. Z18 and Z19 = its factors.
#define MIX(h, t) \
	VPSRLQ $33, h, t    \
	VPXORQ t, h, h      \
	VPMULLQ Z18, h, h   \
	VPSRLQ $33, h, t    \
	VPXORQ t, h, h      \
	VPMULLQ Z19, h, h   \
	VPSRLQ $33, h, t    \
	VPXORQ t, h, h

// This loads a factor into each lane.
#define FACTOR(x, z) \
	MOVQ $x, AX \
	VPBROADCASTQ AX, z

// The same by AVX2.

// EACH2 loads a number into each lane of y, and the halves of each into the lower halves of the lanes of high.
#define EACH2(n, x, y, high) \
	MOVQ $n, AX        \
	VMOVQ AX, x        \
	VPBROADCASTQ x, y  \
	VPSRLQ $32, y, high

// TIMES2 multiplies the values of h by one whose lanes are low, and high shifted right by 32 bits. t and u are overwritten.
#define TIMES2(h, low, high, t, u) \
	VPSRLQ $32, h, t    \
	VPMULUDQ low, t, t  \
	VPMULUDQ high, h, u \
	VPADDQ u, t, t      \
	VPSLLQ $32, t, t    \
	VPMULUDQ low, h, h  \
	VPADDQ t, h, h

#define SHIFTED2(h, t) \
	VPSRLQ $33, h, t \
	VPXOR t, h, h
