//go:build 386 || arm || mips || mipsle

package bits64

// The name is not declared anywhere, so that the compiler prints it.
const _ = simsearch_needs_a_64_bit_system
