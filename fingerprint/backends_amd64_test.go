//go:build !purego

package fingerprint

// backends are what this processor may have, the best first.
var backends = []backend{{"avx512", &useAVX512}, {"avx2", &useAVX2}}
