package svg

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// drawn returns a histogram as it is written, which must be well-formed and have finite coordinates.
func drawn(t *testing.T, p Bars) string {
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

func TestBars(t *testing.T) {
	bins := []Bar{{0.6, 0.7, 3}, {0.7, 0.8, 12}, {0.8, 0.9, 0}, {0.9, 1, 7}}
	p := Bars{Title: "<b>", X: "similarity", Y: "documents", Bins: bins, Line: &Line{0.7, `"threshold"`}, Width: 360, Height: 240}
	got := drawn(t, p)
	for _, want := range []string{`aria-label="&lt;b&gt;"`, "<title>0.6 to 0.7: 3</title>", `fill="var(--c1)"`, "&#34;threshold&#34;"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "<rect"); n != 3 {
		t.Errorf("%d bars, want 3", n)
	}
	if n := strings.Count(got, "var(--c1)"); n != 1 {
		t.Errorf("%d bars are before the line, want 1", n)
	}
	if strings.Contains(got, `fill="var(--paper)"`) {
		t.Error("a bar is broken that is not far higher than the others")
	}
}

// A bar that is far higher than the others is broken, and the others can be seen.
func TestBrokenBar(t *testing.T) {
	got := drawn(t, Bars{Bins: []Bar{{0.8, 0.9, 10}, {0.9, 1, 12345}}, Width: 720, Height: 240})
	if !strings.Contains(got, ">12,345</text>") || strings.Contains(got, ">10k</text>") {
		t.Errorf("the high bar is not broken:\n%s", got)
	}
}

func TestBarsOfLittle(t *testing.T) {
	for _, p := range []Bars{
		{},
		{Line: &Line{At: 0.5}},
		{Line: &Line{At: 2}},
		{Bins: []Bar{{0, 1, 0}}},
		{Bins: []Bar{{1, 1, 5}}, Line: &Line{At: 1}},
		{Bins: []Bar{{0, 1, 1}}, Line: &Line{At: 1}},
		{Bins: []Bar{{0.5, 0.5000001, 1e12}}},
	} {
		p.Width, p.Height = 240, 120
		drawn(t, p)
	}
}

func TestBarsWriteError(t *testing.T) {
	if err := (&Bars{Width: 240, Height: 120}).Write(failing{}); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}

// Bars of whole numbers have them at the axis and in their titles, and those behind the line differ.
func TestBarsOfWholeNumbers(t *testing.T) {
	p := Bars{Bins: []Bar{{-0.5, 0.5, 4}, {0.5, 1.5, 2}, {1.5, 2.5, 1}}, Line: &Line{At: 1.5, Name: "k = 1"}, Whole: true, Width: 360, Height: 240}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`fill="var(--c0)"><title>0: 4<`, `fill="var(--c0)"><title>1: 2<`, `fill="var(--c1)"><title>2: 1<`, `text-anchor="middle">2</text>`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
	if strings.Contains(b.String(), ">0.5<") || strings.Contains(b.String(), ">1.5<") {
		t.Error("there are numbers between whole ones at the axis")
	}
}
