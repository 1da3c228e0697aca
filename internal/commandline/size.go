package commandline

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize returns the number of bytes that a flag gives as s, such as 800MB, 2GiB or 1000000. flag is
// its name without dashes. The error says what is wanted.
func ParseSize(flag, s string) (int64, error) {
	number := strings.TrimRight(s, "BbKkMmGgTtIi ")
	unit := strings.ToLower(strings.TrimSpace(s[len(number):]))
	factors := map[string]float64{
		"": 1, "b": 1, "k": 1e3, "kb": 1e3, "kib": 1 << 10, "m": 1e6, "mb": 1e6, "mib": 1 << 20,
		"g": 1e9, "gb": 1e9, "gib": 1 << 30, "t": 1e12, "tb": 1e12, "tib": 1 << 40,
	}
	x, err := strconv.ParseFloat(number, 64)
	factor, ok := factors[unit]
	if err != nil || !ok || !(x*factor >= 1) || x*factor >= math.MaxInt64 {
		return 0, fmt.Errorf("--%s %q: want a number of bytes with a unit, such as 800MB or 2GiB", flag, s)
	}
	return int64(x * factor), nil
}

// UnitMissing returns what was meant by n bytes that are given as s, if s has no unit and n is below
// 1 MB: gigabytes if the number is small, else megabytes.
func UnitMissing(s string, n int64) string {
	const mostGigabytes = 64 // that are asked for often
	switch last := s[len(s)-1]; {
	case n >= 1e6 || (last < '0' || last > '9') && last != '.':
		return ""
	case n <= mostGigabytes:
		return s + "GB"
	}
	return s + "MB"
}
