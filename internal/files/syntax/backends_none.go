//go:build purego || (!amd64 && !arm64)

package syntax

// There is no assembly here. Package kernels says how the compiler leaves it out.
const useAVX512, useNEON = false, false
