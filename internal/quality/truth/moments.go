package truth

import "math"

// Moments are sums over pairs of an exact value x and an estimate y.
type Moments struct {
	N                int
	x, Y             float64
	xx, yy, xy       float64
	diff, diffSquare float64
}

// Add adds an exact value and its estimate.
func (m *Moments) Add(x, y float64) {
	m.N++
	m.x += x
	m.Y += y
	m.xx += x * x
	m.yy += y * y
	m.xy += x * y
	m.diff += y - x
	m.diffSquare += (y - x) * (y - x)
}

// Bias returns the mean of y − x, and half its interval of 95 %.
func (m *Moments) Bias() (mean, within float64) {
	mean = m.diff / float64(m.N)
	deviation := math.Sqrt(max(0, m.diffSquare/float64(m.N)-mean*mean))
	return mean, z * deviation / math.Sqrt(float64(m.N))
}

// RootMeanSquare returns the root mean square of y − x, NaN without values.
func (m *Moments) RootMeanSquare() float64 { return math.Sqrt(m.diffSquare / float64(m.N)) }

// Correlation returns Pearson's coefficient, or NaN if x or y does not vary.
func (m *Moments) Correlation() float64 {
	n := float64(m.N)
	vx, vy := m.xx/n-m.x/n*m.x/n, m.yy/n-m.Y/n*m.Y/n
	if vx < 1e-12 || vy < 1e-12 {
		return math.NaN()
	}
	return (m.xy/n - m.x/n*m.Y/n) / math.Sqrt(vx*vy)
}
