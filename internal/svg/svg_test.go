package svg

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// Every plot is well-formed XML and has finite coordinates.
func TestWellFormed(t *testing.T) {
	for _, p := range []Plot{
		{Title: "empty"},
		{Title: `<b>"&` + "\u00e9", X: Axis{Name: "a < b"}, Series: []Series{{Name: "</svg>", Points: [][2]float64{{1, 2}}}}},
		{X: Axis{Log: true}, Y: Axis{Log: true}, Series: []Series{{Points: [][2]float64{{0, 1}, {10, 1e-9}, {1e6, 5}}, Line: true, Dashed: true}}},
		{Y: Axis{Min: 0, Max: 1}, Series: []Series{{Points: [][2]float64{{3, 0.5}, {4, 7}}, Small: true}, {Line: true}, {Points: [][2]float64{{-3, 0}, {5, 1}}}}},
	} {
		var b strings.Builder
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(strings.NewReader(b.String()))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v\n%s", p.Title, err, b.String())
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%q has numbers that are none:\n%s", p.Title, b.String())
		}
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct{ lo, hi float64 }{{0, 1}, {0, 16}, {-3, 5}, {0.001, 0.0013}, {5, 123456}} {
		s := scale{lo: tt.lo, hi: tt.hi, from: 0, to: 100}
		ticks := s.ticks()
		if len(ticks) < 4 || len(ticks) > 10 {
			t.Errorf("[%v, %v]: ticks %v", tt.lo, tt.hi, ticks)
		}
		for _, v := range ticks {
			if at := s.at(v); at < -1e-6 || at > 100+1e-6 {
				t.Errorf("[%v, %v]: tick %v is at %v", tt.lo, tt.hi, v, at)
			}
		}
	}
	log := scale{lo: -2, hi: 3, log: true, to: 100}
	if ticks := log.ticks(); len(ticks) != 6 || math.Abs(ticks[0]-0.01) > 1e-12 {
		t.Errorf("logarithmic ticks %v", ticks)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteError(t *testing.T) {
	if err := (&Plot{}).Write(failing{}); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}
