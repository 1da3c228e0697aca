//go:build !purego

package syntax

import "simsearch/internal/match/kernels"

// Every processor of this kind has NEON. Only tests write to useNEON.
var useNEON = kernels.Allows("neon")

// useAVX512 says what other processors have.
const useAVX512 = false
