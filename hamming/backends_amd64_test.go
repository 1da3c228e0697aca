//go:build !purego

package hamming

var toggles = []toggle{{"avx2", &useAVX2}, {"avx512", &useAVX512}}
