//go:build !purego

package preprocess

// backends are the backends that a processor may have, the best first.
var backends = []backend{{"avx512", &useAVX512}, {"avx2", &useAVX2}}
