package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// The ends of Wilson's interval are, by definition, the shares that are z standard deviations away from the
// observed share. The test checks this definition, not the formula.
func TestWilson(t *testing.T) {
	for _, tt := range [][2]int{{0, 10}, {10, 10}, {5, 10}, {1, 1000}, {950, 1000}, {3, 7}} {
		r := NewRate(tt[0], tt[1])
		for _, end := range []float64{r.Low, r.High} {
			away, deviation := math.Abs(r.Share-end), math.Sqrt(end*(1-end)/float64(tt[1]))
			if end != 0 && end != 1 && math.Abs(away-z*deviation) > 1e-9 || r.Low > r.Share || r.High < r.Share {
				t.Errorf("%d of %d: %+v", tt[0], tt[1], r)
			}
		}
	}
	if r := NewRate(0, 10); r.Low != 0 || math.Abs(r.High-z*z/(10+z*z)) > 1e-12 {
		t.Errorf("none of ten: %+v", r)
	}
	if r := NewRate(0, 0); r.Low != 0 || r.High != 1 {
		t.Errorf("without trials: %+v", r)
	}
}

// The sixteen-bit example of the course report.
func TestRotateAndSort(t *testing.T) {
	values := []uint64{37586, 50086, 2648, 934, 40957, 2650, 64475, 40955}
	one := func(p [][2]uint32) (out []string) {
		for _, x := range p {
			out = append(out, fmt.Sprintf("%d,%d", x[0]+1, x[1]+1))
		}
		return out
	}
	if got := one(rotateAndSort(values, 16, 3, 1)); !slices.Equal(got, []string{"3,6", "5,8"}) {
		t.Errorf("sorted once: %v", got)
	}
	if got := one(rotateAndSort(values, 16, 3, 3)); !slices.Equal(got, []string{"2,4", "3,6", "5,8"}) {
		t.Errorf("rotated by two: %v", got)
	}
	if got := one(comparingAll(values, 3)); !slices.Equal(got, []string{"2,4", "3,6", "5,8"}) {
		t.Errorf("all: %v", got)
	}
	if got := one(comparingAll(values, 1)); !slices.Equal(got, []string{"3,6"}) {
		t.Errorf("all within one bit: %v", got)
	}
}

func TestLabels(t *testing.T) {
	find := func(id string) (uint32, bool) {
		i := strings.Index("abcdef", id)
		return uint32(max(i, 0)), i >= 0 && len(id) == 1
	}
	read := func(lines string) (*Labels, error) { return ReadLabels(strings.NewReader(lines), find) }
	l, err := read(`{"a": "a", "b": "b"}
{"b": "c", "a": "b", "label": "non-plagiarized"}

{"cluster": ["d", "e", "x"], "key": "k"}
{"a": "f", "b": "e", "label": 1}
{"a": "e", "b": "f", "label": 0}
{"a": "f", "b": "zz"}`)
	if err != nil {
		t.Fatal(err)
	}
	if l.Near != 2 || l.Apart() != 1 || l.Contradictions != 1 || l.Unknown != 2 || l.FirstUnknown != "x" || len(l.Warnings()) != 2 {
		t.Errorf("%+v, warnings %v", l, l.Warnings())
	}
	for _, tt := range []struct {
		a, b        uint32
		near, known bool
	}{{1, 0, true, true}, {1, 2, false, true}, {3, 4, true, true}, {4, 5, false, false}, {0, 5, false, false}} {
		if near, known := l.Judge(tt.a, tt.b); near != tt.near || known != tt.known {
			t.Errorf("%d, %d: %v, %v", tt.a, tt.b, near, known)
		}
	}
	if l, err = read(`{"a": "a", "b": "b"}`); err != nil {
		t.Fatal(err)
	}
	if near, known := l.Judge(2, 3); near || !known {
		t.Error("without a pair that is not near, others must be taken as not near")
	}
	for lines, want := range map[string]string{
		"":                                    "no pair that is near",
		`{"a": "x1", "b": "y1"}`:              `no document "x1"`,
		`{"a": "a", "b": "b", "label": 0}`:    "no pair that is near",
		"{\"a\": \"a\", \"b\": \"b\"}\n{oops": "line 2",
		`{"id": "a"}`:                         `line 1: want {"a"`,
		`{"a": "a", "b": "b", "label": " "}`:  "no pair that is near, and 1 have no label yet: write yes or no there",
		`{"a": "a", "b": "b", "label": "N"}`:  "no pair that is near",
		`{"a": "a", "b": "b", "label": "?"}`:  `line 1: label "?": want yes or no`,
	} {
		if _, err := read(lines); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", lines, err, want)
		}
	}
	if _, err := read(`{"a": "x1", "b": "y1"}`); !errors.Is(err, ErrLabels) {
		t.Errorf("labels of another collection: %v", err)
	}
}

// A label may name an id that is not UTF-8 in the form in which the commands print it. A document with
// exactly the id of the label goes first.
func TestLabelsOfIDsThatAreNotUTF8(t *testing.T) {
	ids := []string{"caf\xe9", "caf\uFFFDE8", "caf\xe8"}
	find := func(id string) (uint32, bool) {
		i := slices.Index(ids, id)
		return uint32(max(i, 0)), i >= 0
	}
	l, err := ReadLabels(strings.NewReader("{\"a\": \"caf\uFFFDE9\", \"b\": \"caf\uFFFDE8\"}"), find)
	if err != nil {
		t.Fatal(err)
	}
	if near, known := l.Judge(0, 1); !near || !known {
		t.Errorf("%+v: the pair is not known", l)
	}
}
