// Package kernels compares many fingerprints or sketches at a time, and permutes the bits of fingerprints. It uses
// vector instructions if the processor has them. SIMD.md describes the assembly.
package kernels

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A backend is a set of vector instructions, and the variable that enables it.
type backend struct {
	name string
	on   *bool
}

// The environment variable names the best backend that may be used, so that each can be measured and tried. refused is
// what is wrong with its value.
var refused = limit(os.Getenv("SIMSEARCH_BACKEND"))

// Allows reports whether SIMSEARCH_BACKEND leaves a backend in use, if the processor has it: "avx512", "avx2" or
// "neon". All packages with assembly go by it.
func Allows(name string) bool {
	best := os.Getenv("SIMSEARCH_BACKEND")
	return best == "" || best == "avx512" || best == name
}

// limit takes away the backends that are better than the named one. The name "" is that of the best one.
func limit(name string) error {
	if name == "" {
		return nil
	}
	names := []string{"generic"}
	for _, b := range slices.Backward(backends) {
		if *b.on {
			names = append(names, b.name)
		}
	}
	best := slices.Index(names, name)
	if best < 0 {
		return fmt.Errorf("SIMSEARCH_BACKEND is %q: this processor has %s", name, strings.Join(names, " and "))
	}
	for _, b := range backends {
		*b.on = *b.on && slices.Contains(names[:best+1], b.name)
	}
	return nil
}

// Check returns an error if SIMSEARCH_BACKEND names no backend that this processor and build have.
func Check() error { return refused }

// Backend returns the name of the backend in use: "avx512", "avx2", "neon" or "generic".
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
