package dedup

import (
	"simsearch/internal/clean/warnings"
)

// Comparable are sets of features that are compared, by several goroutines at once.
type Comparable interface {
	warnings.Sets
	// Shared returns how many features two sets share, and how many each has.
	Shared(a, b uint32) (shared, sizeA, sizeB int)
}

// A Measured is a Store whose sets can be compared.
type Measured interface {
	Store
	Comparable
}
