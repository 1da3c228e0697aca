//go:build !purego

package kernels

// Every processor of this kind has NEON. Only tests write to useNEON.
var useNEON = true

// Every processor of this kind can read ahead, and none has AVX.
const useAVX512, useAVX2, hasVBMI2, hasPrefetch = false, false, false, true

// backends are the backends with assembly, the best first.
var backends = []backend{{"neon", &useNEON}}
