package spill

import (
	"cmp"
	"runtime/debug"
	"sync"
)

const (
	// unknown is the number of bytes that a machine is taken to have if it does not tell.
	unknown = 4 << 30
	// least is the smallest default in bytes.
	least = 64 << 20
)

// limit is that of the environment variable GOMEMLIMIT, before anything else sets one.
var limit = debug.SetMemoryLimit(-1)

// DefaultMemory returns how many bytes of memory to use by default: half of what the machine has, or the limit of a
// control group allows, but at most three quarters of what was available when DefaultMemory was called first. It is
// at least 64 MiB, and at most the limit that the environment variable GOMEMLIMIT sets.
var DefaultMemory = sync.OnceValue(func() int64 {
	m, ok := machine()
	if !ok {
		m = amount{unknown, unknown}
	}
	n := max(least, min(m.total/2, m.available/4*3))
	return min(n, limit)
})

// An amount of memory in bytes: what there is, and what can be had now without taking it from other programs.
type amount struct{ total, available int64 }

// MemoryOr returns bytes, or DefaultMemory if bytes is 0.
func MemoryOr(bytes int64) int64 { return cmp.Or(bytes, DefaultMemory()) }
