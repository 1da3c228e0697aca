package eval

import "math"

// moments are sums over pairs of an exact value x and an estimate y.
type moments struct {
	n                int
	x, y             float64
	xx, yy, xy       float64
	diff, diffSquare float64
}

func (m *moments) add(x, y float64) {
	m.n++
	m.x += x
	m.y += y
	m.xx += x * x
	m.yy += y * y
	m.xy += x * y
	m.diff += y - x
	m.diffSquare += (y - x) * (y - x)
}

// bias returns the mean of y − x, and half its interval of 95 %.
func (m *moments) bias() (mean, within float64) {
	return m.diff / float64(m.n), z * m.deviation() / math.Sqrt(float64(m.n))
}

// deviation returns the standard deviation of y − x.
func (m *moments) deviation() float64 {
	mean := m.diff / float64(m.n)
	return math.Sqrt(max(0, m.diffSquare/float64(m.n)-mean*mean))
}

// error returns the root mean square of y − x, NaN without values.
func (m *moments) error() float64 { return math.Sqrt(m.diffSquare / float64(m.n)) }

// correlation returns Pearson's coefficient, or NaN if x or y does not vary.
func (m *moments) correlation() float64 {
	n := float64(m.n)
	vx, vy := m.xx/n-m.x/n*m.x/n, m.yy/n-m.y/n*m.y/n
	if vx < 1e-12 || vy < 1e-12 {
		return math.NaN()
	}
	return (m.xy/n - m.x/n*m.y/n) / math.Sqrt(vx*vy)
}
