package eval

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"simsearch/internal/quality/truth"
)

// Each pair is of its kind, and its texts are those of its documents; what is written for labels is read as labels
// once it is filled in.
func TestExamples(t *testing.T) {
	texts, clusters := generated()
	for _, groups := range [][][]string{nil, clusters} {
		c := load(t, texts, groups, LoadOptions{})
		best, err := bestSearch(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		s, err := examples(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for i, kind := range s.Examples {
			shown += len(kind.Pairs)
			for _, p := range kind.Pairs {
				a, b := documentOf(t, c, p.A), documentOf(t, c, p.B)
				near, _ := c.Truth.Judge(a, b)
				if groups != nil {
					near, _ = c.Labels.Judge(a, b)
				}
				found := c.finds(best, a, b)
				if want := []bool{near && found, found && !near, near && !found, true}[i]; !want {
					t.Errorf("%s: %s and %s, near %v, found %v", kind.Title, p.A, p.B, near, found)
				}
				if begins := strings.TrimSuffix(p.StartA, "…"); !strings.HasPrefix(texts[a], begins) || begins == "" {
					t.Errorf("%s begins with %q, not with %q", p.A, texts[a], begins)
				}
				if strings.Contains(p.Figures, "labelled") != (groups != nil) {
					t.Errorf("labels %v: %s", groups != nil, p.Figures)
				}
			}
		}
		if len(s.Examples) != 4 || shown < 15 {
			t.Errorf("%d kinds, %d pairs", len(s.Examples), shown)
		}
		lines := truth.UnfilledLabels(&Report{Sections: []*Section{s}})
		if _, err := truth.ReadLabels(bytes.NewReader(lines), c.Find, truth.MaxLabels); err == nil {
			t.Error("labels that nobody has filled in are read")
		}
		filled := bytes.Replace(lines, []byte(`"label":""`), []byte(`"label":"yes"`), 2)
		filled = bytes.Replace(filled, []byte(`"label":""`), []byte(`"label":"no"`), 1)
		if l, err := truth.ReadLabels(bytes.NewReader(filled), c.Find, truth.MaxLabels); err != nil || l.Near != 2 || l.Apart() != 1 {
			t.Errorf("%+v, %v", l, err)
		}
	}
}

// Pairs at the border are shown where no search finds a near pair, too.
func TestExamplesWhereNothingIsFound(t *testing.T) {
	c := load(t, []string{"one two three four five six seven eight nine ten", "one two three four five six seven eight nine eleven", "quite another text"}, nil, LoadOptions{Truth: "word:3"})
	s, err := examples(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if border := s.Examples[3].Pairs; len(border) != 1 || border[0].A != "d0" || border[0].B != "d1" {
		t.Errorf("%+v", s.Examples)
	}
}

func documentOf(t *testing.T, c *Collection, id string) uint32 {
	t.Helper()
	doc, ok := c.Find(id)
	if !ok {
		t.Fatalf("no document %s", id)
	}
	return doc
}

// Pairs at the border are the closest to the threshold on both sides, and more of one side if the other has few.
func TestBorder(t *testing.T) {
	var pairs []judged
	for i, jaccard := range []float64{1, 0.99, 0.81, 0.8, 0.79, 0.78, 0.5, 0.6, 0.61, 0.62, 0.63, 0.64, 0.65, 0.7} {
		pairs = append(pairs, judged{a: uint32(i), b: 100, jaccard: jaccard})
	}
	var got []float64
	for _, p := range border(pairs) {
		got = append(got, p.jaccard)
	}
	if line, _ := json.Marshal(got); string(line) != "[0.99,0.81,0.8,0.79,0.78,0.7,0.65,0.64,0.63,0.62]" {
		t.Errorf("%s", line)
	}
}
