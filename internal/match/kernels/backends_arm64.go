//go:build !purego

package kernels

// Every processor of this kind has NEON. Only tests write to useNEON.
var useNEON = true

// The others say what the processors of other kinds may have.
const useAVX512, useAVX2, hasVBMI2, hasPrefetch = false, false, false, false

// backends are the backends with assembly, the best first.
var backends = []backend{{"neon", &useNEON}}
