package dedup

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
)

// reportByBits returns a report on a removal by distance.
func reportByBits() *Report {
	r := reportOf("x")
	k, one, three := 3, 1, 3
	r.K, r.Threshold, r.Histogram = &k, 0.953125, nil
	r.Distances = []Distance{{0, 20}, {1, 10}, {2, 0}, {3, 7}, {5, 3}}
	r.Largest[0].Distance, r.Largest[1].Distance = &three, &one
	r.Borderline[0].Distance, r.Borderline[1].Distance = &three, &one
	return r
}

// The page speaks of distances where fingerprints were compared, and not of similarities.
func TestPageOfDistances(t *testing.T) {
	page := pageOf(t, reportByBits())
	for _, want := range []string{
		"with fingerprints that differ in 3 bits at most", "How far removed documents are", "<th scope=\"row\">1 bit</th>", "<th scope=\"row\">5 bits</th>", "k = 3",
		"3 documents are further from the one kept than k", "choose a smaller k", "<span class=\"similarity\">1 bit</span>", "Distance is the largest",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "similarity of") || strings.Contains(page, "raise the threshold") {
		t.Error("the page speaks of similarities")
	}
	k := 1
	none := &Report{V: 1, K: &k, Documents: 2, Kept: 2, Distances: []Distance{{0, 0}, {1, 0}}}
	if page := pageOf(t, none); !strings.Contains(page, "No document is like another with fingerprints that differ in 1 bit at most") || !strings.Contains(page, "nothing is removed") {
		t.Error("the page does not say that nothing is near")
	}
}

func TestJSONOfDistances(t *testing.T) {
	var b bytes.Buffer
	want := reportByBits()
	if err := run.WriteJSON(&b, want); err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.K == nil || *got.K != 3 || !reflect.DeepEqual(got.Distances, want.Distances) || got.Largest[0].Distance == nil || *got.Borderline[1].Distance != 1 {
		t.Errorf("%+v is another report", got)
	}
}
