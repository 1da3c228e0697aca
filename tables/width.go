package tables

import (
	"errors"
	"fmt"
)

// ErrWidth is returned for a query or a value that has bits at or above the width of the tables. Such a
// value has no place in them, and the matches of such a query would depend on the way of searching.
var ErrWidth = errors.New("tables: a fingerprint has too many bits")

// checkWidth returns ErrWidth if x is not below 1<<width.
func checkWidth(x uint64, width int) error {
	if x>>width != 0 {
		return fmt.Errorf("%w: %016x where %d are wanted", ErrWidth, x, width)
	}
	return nil
}

// checkWidths is checkWidth for all of values, which are ascending.
func checkWidths(values []uint64, width int) error {
	if len(values) == 0 {
		return nil
	}
	return checkWidth(values[len(values)-1], width)
}
