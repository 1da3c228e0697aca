//go:build 386 || arm || mips || mipsle

package kernels

// The sizes of collections, tables and files are ints of 64 bits. The build for a system of 32 bits ends with one
// line that says why: the name is not declared anywhere, so that the compiler prints it.
const _ = simsearch_needs_a_64_bit_system
