// These are instructions that Go's assembler does not know, by the numbers of their vectors. The last one is the result, as it is of other
// instructions.

// ATLEAST sets the bytes of d where n is at least m, unsigned: CMHS Vd.16B, Vn.16B, Vm.16B.
#define ATLEAST(m, n, d) WORD $(0x6e203c00 | (m)<<16 | (n)<<5 | (d))
