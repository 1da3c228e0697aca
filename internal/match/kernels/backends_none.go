//go:build purego || (!amd64 && !arm64)

package kernels

// The compiler leaves out what these exclude, so that no assembly is needed: declarations of functions without a body
// stand in files for all processors, and empty.s lets them.
const useAVX512, useAVX2, hasVBMI2, useNEON, hasPrefetch = false, false, false, false, false

// backends are the backends with assembly, of which there are none here.
var backends []backend
