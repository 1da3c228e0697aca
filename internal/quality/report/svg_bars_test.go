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
	if strings.Contains(got, `fill="var(--paper,#fff)"`) {
		t.Error("a bar is broken that is not far higher than the others")
	}
}

// A bar that is far higher than the others is broken, and the others can be seen.
func TestBrokenBar(t *testing.T) {
	got := drawn(t, Histogram("x", Axis{}, Axis{}, [][2]float64{{0.85, 10}, {0.95, 12345}}, 0.1))
	if !strings.Contains(got, ">12,345</text>") || strings.Contains(got, ">10,000</text>") {
		t.Errorf("the high bar is not broken:\n%s", got)
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
