// Package kernels compares fingerprints and permutes their bits, many at a time, by the vectors of
// the processor where it has them. SIMD.md explains the assembly.
package kernels

import _ "simsearch/internal/bits64" // whose build ends on 32-bit systems

// A backend is one way to do all of it, and the variable that enables it.
type backend struct {
	name string
	on   *bool
}

// Backend returns the name of the backend in use: "avx512", "avx2" or "generic".
func Backend() string {
	for _, b := range backends {
		if *b.on {
			return b.name
		}
	}
	return "generic"
}

// EachBackend calls run with the name of each backend that this processor has, which is the only
// one in use during the call; "generic" comes last. It is for tests, which must not run in parallel.
func EachBackend(run func(name string)) {
	var available []backend
	for _, b := range backends {
		if *b.on {
			available = append(available, b)
		}
		*b.on = false
	}
	defer func() {
		for _, b := range available {
			*b.on = true
		}
	}()
	for _, b := range available {
		*b.on = true
		run(b.name)
		*b.on = false
	}
	run("generic")
}
