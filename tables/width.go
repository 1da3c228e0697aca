package tables

import (
	"errors"
	"fmt"
)

// ErrWidth is returned for a fingerprint, asked for or to be searched, that has bits at or above
// the width of the tables. It has no place in them, and what is near it would
// depend on how it is looked for.
var ErrWidth = errors.New("tables: a fingerprint has too many bits")

// checkWidth returns ErrWidth if x is not below 1<<width.
func checkWidth(x uint64, width int) error {
	if x>>width != 0 {
		return fmt.Errorf("%w: %016x where %d are wanted", ErrWidth, x, width)
	}
	return nil
}

// checkWidths is checkWidth for values that are ascending.
func checkWidths(values []uint64, width int) error {
	if len(values) == 0 {
		return nil
	}
	return checkWidth(values[len(values)-1], width)
}
