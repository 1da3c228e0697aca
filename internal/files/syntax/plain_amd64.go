//go:build !purego

package syntax

import (
	"golang.org/x/sys/cpu"

	"simsearch/internal/match/kernels"
)

// useAVX512 reports whether this processor has the instructions of the assembly. Only tests write to
// it.
var useAVX512 = kernels.Allows("avx512") && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// plain is plainGeneric by vectors.
func plain(s []byte) int {
	if !useAVX512 || len(s) == 0 {
		return plainGeneric(s)
	}
	return plainAVX512(&s[0], len(s))
}

// plainAVX512 is plain for n > 0 bytes.
//
//go:noescape
func plainAVX512(s *byte, n int) int
