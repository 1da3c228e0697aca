package dedupreport

import (
	"fmt"
	"math"
	"strings"
	"time"

	"simsearch/internal/terminal"
)

// threshold returns a threshold with two digits behind the point, or more if it has more.
func threshold(x float64) string {
	if math.Abs(x*100-math.Round(x*100)) < 1e-9 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// size returns a number of bytes with a unit, on one line.
func size(n int64) string { return strings.ReplaceAll(terminal.Bytes(n), " ", "\u00a0") }

// duration returns a time in words.
func duration(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case seconds < 10:
		return fmt.Sprintf("%.1f seconds", seconds)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f seconds", seconds)
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	}
	return fmt.Sprintf("%.1f hours", seconds/3600)
}

// documents returns "1 document", "2 documents" and so on.
func documents(n int) string { return terminal.Plural(n, "document") }

// verb returns one form of a verb for one thing, and the other for several.
func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
