// These are instructions that Go's assembler does not know, by the numbers of their vectors. The last one is the result, as it is of other
// instructions.

// ATLEAST sets the bytes of d where n is at least m, unsigned: CMHS Vd.16B, Vn.16B, Vm.16B.
#define ATLEAST(m, n, d) WORD $(0x6e203c00 | (m)<<16 | (n)<<5 | (d))

// ATLEAST64 sets the 64-bit lanes of d where n is at least m, signed: CMGE Vd.2D, Vn.2D, Vm.2D.
#define ATLEAST64(m, n, d) WORD $(0x4ee03c00 | (m)<<16 | (n)<<5 | (d))

// PAIRS16 adds the bytes of n in pairs, into 16-bit lanes of d: UADDLP Vd.8H, Vn.16B.
#define PAIRS16(n, d) WORD $(0x6e202800 | (n)<<5 | (d))

// NIBBLES puts four bits of each byte of n, of which all or none are set, into the lower half of d, in order: SHRN Vd.8B, Vn.8H, #4.
#define NIBBLES(n, d) WORD $(0x0f0c8400 | (n)<<5 | (d))

// TIMES32 multiplies 32-bit lanes: MUL Vd.4S, Vn.4S, Vm.4S.
#define TIMES32(m, n, d) WORD $(0x4ea09c00 | (m)<<16 | (n)<<5 | (d))
