package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// drawn returns a plot as it is written, which must be well-formed and have finite coordinates.
func drawn(t *testing.T, p *Plot) string {
	t.Helper()
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
	}
	for _, bad := range []string{"NaN", "Inf", `="-`} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%s in\n%s", bad, b.String())
		}
	}
	return b.String()
}

func TestHistogram(t *testing.T) {
	p := Histogram("<b>", Axis{Name: "similarity"}, Axis{Name: "documents"}, [][2]float64{{0.65, 3}, {0.75, 12}, {0.85, 0}, {0.95, 7}}, 0.1)
	p.Upright(`"threshold"`, 0.7)
	got := drawn(t, p)
	for _, want := range []string{`aria-label="&lt;b&gt;. documents by similarity: documents; &#34;threshold&#34;"`, "<title>3</title>", `stroke-dasharray`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "<title>"); n != 3 {
		t.Errorf("%d bars, want 3", n)
	}
	if !strings.Contains(got, `text-anchor="end">10</text>`) || strings.Contains(got, `text-anchor="end">100</text>`) {
		t.Error("the axis is logarithmic, and no bar is far higher than the others")
	}
}

// Beside a bar that is far higher, the others can be seen, and so can the line across.
func TestHighBar(t *testing.T) {
	p := Histogram("x", Axis{}, Axis{}, [][2]float64{{0.85, 10}, {0.95, 12345}}, 0.1)
	p.Upright("threshold", 0.9)
	got := drawn(t, p)
	if !strings.Contains(got, ">1,000</text>") || !strings.Contains(got, "stroke-dasharray") {
		t.Errorf("the axis is not logarithmic:\n%s", got)
	}
}

func TestHistogramsOfLittle(t *testing.T) {
	for _, bars := range [][][2]float64{{}, {{0.5, 0}}, {{1, 5}}, {{0.5, 1}}, {{0.5, 1e12}}} {
		for _, width := range []float64{1, 1e-7} {
			drawn(t, Histogram("x", Axis{}, Axis{}, bars, width))
			for _, at := range []float64{0.5, 1, 2} {
				p := Histogram("x", Axis{}, Axis{}, bars, width)
				p.Upright("line", at)
				drawn(t, p)
			}
		}
	}
}

// Bars of whole numbers have them at the axis.
func TestWholeNumbers(t *testing.T) {
	p := Histogram("x", Axis{Whole: true}, Axis{Whole: true}, [][2]float64{{0, 4}, {1, 2}, {2, 1}}, 1)
	p.Upright("k = 1", 1.5)
	got := drawn(t, p)
	for _, want := range []string{`text-anchor="middle">2</text>`, `text-anchor="end">4</text>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, ">0.5<") || strings.Contains(got, ">1.5<") {
		t.Error("there are numbers between whole ones at the axis")
	}
}
