//go:build !purego

package preprocess

import (
	"golang.org/x/sys/cpu"

	"simsearch/internal/match/kernels"
)

// The backends that this processor has. Only tests write to these variables.
var (
	useAVX512 = kernels.Allows("avx512") && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasBMI2
	useAVX2   = kernels.Allows("avx2") && cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT
)

// useNEON says what other processors have.
const useNEON = false
