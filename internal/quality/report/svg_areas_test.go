package report

import (
	"regexp"
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

// A label is the title of its mark.
func TestLabels(t *testing.T) {
	p := Plot{X: Axis{Max: 1}, Y: Axis{Max: 1}, Series: []Series{{Points: [][2]float64{{0.1, 0.1}, {0.5, 0.5}}, Labels: []string{"<far>"}}}}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "<g><title>&lt;far&gt;</title><circle ") || strings.Count(b.String(), "<title>") != 1 {
		t.Error(b.String())
	}
}
