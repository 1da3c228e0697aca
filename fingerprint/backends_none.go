//go:build purego || (!amd64 && !arm64)

package fingerprint

// There is no assembly here. Package kernels says how the compiler leaves it out.
const useAVX512, useAVX2, useNEON = false, false, false
