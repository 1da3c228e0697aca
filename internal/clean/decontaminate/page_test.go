package decontaminate

import (
	"strings"
	"testing"
)

// An item whose texts are on the page leads to them, and another one to nothing.
func TestItemsLeadToTheirTexts(t *testing.T) {
	r := &Report{Counts: Counts{Items: 3, Found: 3}, Benchmarks: []Benchmark{{Name: "b", Counts: Counts{Items: 3, Found: 3}}}, Best: []Item{
		{Item: "one", Share: 1, Shown: &Shown{}}, {Item: "two", Share: 0.9}, {Item: "three", Share: 0.8, Shown: &Shown{}}}}
	var page strings.Builder
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<a href="#pair-1">one</a>`, `class="id">two<`, `<a href="#pair-2">three</a>`, `name="pair" id="pair-2"`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%s is not in the page", want)
		}
	}
}
