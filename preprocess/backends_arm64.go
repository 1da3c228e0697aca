//go:build !purego

package preprocess

import "simsearch/internal/match/kernels"

// Every processor of this kind has NEON. Only tests write to useNEON.
var useNEON = kernels.Allows("neon")

// useAVX512 and useAVX2 say what other processors have.
const useAVX512, useAVX2 = false, false
