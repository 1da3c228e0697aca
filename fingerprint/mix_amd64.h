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
