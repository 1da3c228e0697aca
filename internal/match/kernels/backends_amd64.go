//go:build !purego

package kernels

import "golang.org/x/sys/cpu"

// The backends that this processor has. Only tests write to these variables.
var (
	useAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
	useAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

	// hasVBMI2 is what visits need besides useAVX512.
	hasVBMI2 = cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2
)

// Every processor of this kind can read ahead, and none has NEON.
const useNEON, hasPrefetch = false, true

// backends are the backends with assembly, the best first.
var backends = []backend{{"avx512", &useAVX512}, {"avx2", &useAVX2}}
