package report

import "fmt"

// Bar returns the length of a bar for n of all, in per cent. Only nothing has no bar.
func Bar(n, all int) float64 {
	if n <= 0 || all <= 0 {
		return 0
	}
	return min(100, max(1, 100*float64(n)/float64(all)))
}

// Percent returns a share in per cent with one digit behind the point. Only all is 100 %, and only nothing
// is 0 %. Its spaces do not break lines.
func Percent(n, all int) string {
	x := 100 * float64(n) / float64(max(1, all, n))
	switch {
	case n == 0 || x == 100:
		return fmt.Sprintf("%.0f\u00a0%%", x)
	case x < 0.1:
		return "<\u00a00.1\u00a0%"
	case x > 99.9:
		return ">\u00a099.9\u00a0%"
	}
	return fmt.Sprintf("%.1f\u00a0%%", x)
}
