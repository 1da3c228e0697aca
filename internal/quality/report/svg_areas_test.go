package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Cells count all points inside the axes, once, however many they are.
func TestDensity(t *testing.T) {
	x, y := Axis{Max: 1}, Axis{Min: -1, Max: 1}
	points := [][2]float64{{0, -1}, {1, 1}, {0.99, 0.99}, {0.1, 0}, {0.11, 0.01}, {2, 0}, {0, -1.5}}
	s := Density("d", points, x, y, 10, 10)
	if len(s.Points) != 3 || len(s.Counts) != 3 {
		t.Fatalf("%d cells: %v, %v", len(s.Points), s.Points, s.Counts)
	}
	sum := 0
	for _, n := range s.Counts {
		sum += n
	}
	if sum != 5 || s.Counts[1] != 2 || s.Counts[2] != 2 {
		t.Errorf("counts %v at %v", s.Counts, s.Points)
	}
	many := make([][2]float64, 50_000)
	for i := range many {
		many[i] = [2]float64{float64(i%223) / 223, float64(i%89)/44.5 - 1}
	}
	var b strings.Builder
	p := Plot{X: x, Y: y, Series: []Series{Density("d", many, x, y, 25, 28)}}
	if err := p.Write(&b); err != nil || strings.Count(b.String(), "<rect") > 25*28+1 {
		t.Errorf("%d elements, %v", strings.Count(b.String(), "<rect"), err)
	}
}

// Bars of several series stand beside each other, and a bar of few is seen beside one of many.
func TestBarsOfSeries(t *testing.T) {
	p := Plot{X: Axis{Min: -0.5, Max: 2.5}, Y: Axis{Log: true}, Series: []Series{
		{Bars: true, Points: [][2]float64{{0, 1000}, {1, 1}, {2, 0}}}, {Bars: true, Points: [][2]float64{{0, 3}, {1, 1}, {2, 20}}},
	}}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	bars := regexp.MustCompile(`<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="([\d.]+)" [^>]*><title>`).FindAllStringSubmatch(b.String(), -1)
	if len(bars) != 5 {
		t.Fatalf("%d bars", len(bars))
	}
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	first, second := bars[0], bars[2]
	if number(first[1])+number(first[2]) > number(second[1])+0.1 {
		t.Errorf("bars meet: %v and %v", first, second)
	}
	for _, bar := range bars {
		if number(bar[3]) < 3 {
			t.Errorf("a bar is %s high", bar[3])
		}
	}
}

// Labels hide neither each other nor marks, and those that have no room are left out.
func TestLabels(t *testing.T) {
	p := Plot{X: Axis{Max: 1}, Y: Axis{Max: 1}}
	s := Series{Line: true}
	for i := range 30 {
		s.Points, s.Labels = append(s.Points, [2]float64{0.5 + float64(i)/400, 0.5}), append(s.Labels, "k = "+strconv.Itoa(i))
	}
	s.Points, s.Labels = append(s.Points, [2]float64{0.1, 0.1}), append(s.Labels, "<far>")
	p.Series = []Series{s}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	labels := regexp.MustCompile(`<text x="([\d.]+)" y="([\d.]+)" font-size="11">([^<]*)</text>`).FindAllStringSubmatch(b.String(), -1)
	if len(labels) < 3 || len(labels) > 12 || !strings.Contains(b.String(), ">&lt;far&gt;<") || !strings.Contains(b.String(), ">k = 0<") {
		t.Errorf("%d labels: %v", len(labels), labels)
	}
	var taken []box
	for _, l := range labels {
		left, _ := strconv.ParseFloat(l[1], 64)
		bottom, _ := strconv.ParseFloat(l[2], 64)
		at := box{left, bottom - 9, left + 5*float64(len(l[3])), bottom}
		if slices.ContainsFunc(taken, at.meets) {
			t.Errorf("%s hides another label", l[3])
		}
		taken = append(taken, at)
	}
}
