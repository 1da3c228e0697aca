// Package kernels compares many fingerprints or sketches at a time, and permutes the bits of fingerprints. It uses vector
// instructions if the processor has them. SIMD.md describes the assembly.
package kernels

// A backend is a set of vector instructions, and the variable that enables it.
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

// EachBackend calls run for each backend that this processor has, and last for "generic". Only that backend
// is in use during the call. It is for tests, which must not run in parallel.
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
