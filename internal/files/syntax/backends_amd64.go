//go:build !purego

package syntax

import (
	"golang.org/x/sys/cpu"

	"simsearch/internal/match/kernels"
)

// useAVX512 reports whether this processor has the instructions of the assembly. Only tests write to
// it.
var useAVX512 = kernels.Allows("avx512") && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// useNEON says what other processors have.
const useNEON = false
