package truth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLabels(t *testing.T) {
	find := func(id string) (uint32, bool) {
		i := strings.Index("abcdef", id)
		return uint32(max(i, 0)), i >= 0 && len(id) == 1
	}
	read := func(lines string) (*Labels, error) { return ReadLabels(strings.NewReader(lines), find, MaxLabels) }
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
	for most, want := range map[int]string{4: "<nil>", 3: "line 2: the clusters make more than 3 pairs", 2: "line 1: the clusters make more than 2 pairs"} {
		clusters := strings.NewReader("{\"cluster\": [\"a\", \"b\", \"c\"]}\n{\"cluster\": [\"d\", \"e\"]}")
		if _, err := ReadLabels(clusters, find, most); fmt.Sprint(err) != want {
			t.Errorf("%d pairs at most: %v, want %s", most, err, want)
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
	l, err := ReadLabels(strings.NewReader("{\"a\": \"caf\uFFFDE9\", \"b\": \"caf\uFFFDE8\"}"), find, MaxLabels)
	if err != nil {
		t.Fatal(err)
	}
	if near, known := l.Judge(0, 1); !near || !known {
		t.Errorf("%+v: the pair is not known", l)
	}
}
