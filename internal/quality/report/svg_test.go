package report

import (
	"encoding/xml"
	"errors"
	"fmt"
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

// Numbers of an axis are as people write them.
func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.25: "0.25", 1180: "1,180", 1000.5: "1000.5", 8000: "8,000", 20000: "20,000", -150000: "-150,000", 1e6: "1,000,000", 1e9: "10⁹", 2e10: "2·10¹⁰", 1e-4: "10⁻⁴", 5e-7: "5·10⁻⁷", -2e-5: "−2·10⁻⁵"} {
		if got := number(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}

// A plot has one name with all that a reader of the picture is told first, and nothing else is read aloud.
func TestNameIsReadAloud(t *testing.T) {
	var b strings.Builder
	p := Plot{Title: "Recall & more", X: Axis{Name: "k"}, Y: Axis{Name: "recall"}, Series: []Series{{Name: "all", Points: [][2]float64{{1, 1}}}, {Points: [][2]float64{{1, 2}}}, {Name: "near", Points: [][2]float64{{2, 3}}, Bars: true}}}
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `aria-label="Recall &amp; more. recall by k: all; near"`) {
		t.Error(b.String())
	}
	_, after, _ := strings.Cut(b.String(), "</style>\n")
	if !strings.HasPrefix(after, `<g aria-hidden="true">`) || !strings.HasSuffix(after, "</g>\n</svg>\n") {
		t.Error("a part of the drawing is not hidden")
	}
	if got := (&Plot{Title: "bare"}).name(); got != "bare" {
		t.Errorf("%q", got)
	}
}

// The drawing is as wide as the longest name needs, and marks have a colour without a style, too.
func TestNamesAreWhole(t *testing.T) {
	wide := func(name string) (at float64) {
		var b strings.Builder
		p := Plot{Series: []Series{{Name: name, Points: [][2]float64{{1, 1}, {2, 3}}, Line: true}}}
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(b.String(), `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g 400"`, &at); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `fill="#0072b2" class="f0"`) || !strings.Contains(b.String(), `stroke="#0072b2" class="s0"`) {
			t.Errorf("no colours in attributes:\n%s", b.String())
		}
		return at
	}
	if short, long := wide("words"), wide(strings.Repeat("word ", 10)); short != 874 || long < left+plotWidth+28+50*6.5 {
		t.Errorf("%v and %v wide", short, long)
	}
}
