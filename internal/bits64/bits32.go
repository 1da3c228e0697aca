//go:build 386 || arm || mips || mipsle

package bits64

// The name is the message: it is declared nowhere.
const _ = simsearch_needs_a_64_bit_system
