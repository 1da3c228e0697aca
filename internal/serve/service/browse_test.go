package service

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// ids returns the ids of all pages of documents, and calls between behind each page.
func ids(t *testing.T, s *Service, prefix string, limit int, between func(page int)) (all []string) {
	t.Helper()
	for n, cursor := 0, ""; ; n++ {
		page, next, err := s.Browse(t.Context(), "c", prefix, cursor, limit)
		if err != nil || len(page) > limit {
			t.Fatalf("a page has %d documents, %v", len(page), err)
		}
		for _, d := range page {
			all = append(all, d.ID)
		}
		if cursor = next; cursor == "" {
			return all
		}
		between(n)
	}
}

// Pages have each document once, in order, whatever comes and goes meanwhile.
func TestBrowse(t *testing.T) {
	s := open(t, Options{Data: t.TempDir()})
	create(t, s, "c", Settings{Fields: []string{"lang"}})
	var docs []Document
	var want []string
	for i := range 50 {
		id := fmt.Sprintf("%d.%s/%d", i, strings.Repeat("x", i%3), i)
		docs = append(docs, doc(id, fmt.Sprintf("text of document %d", i), "lang", "en"))
		want = append(want, id)
	}
	ok[[]Outcome](t)(s.Put(t.Context(), "c", docs))
	nothing := func(int) {}
	for _, limit := range []int{1, 7, 50, 1000} {
		if got := ids(t, s, "", limit, nothing); !slices.Equal(got, want) {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
	if got := ids(t, s, "4.", 3, nothing); len(got) != 5 || got[0] != "4.x/4" || got[1] != "14.xx/14" {
		t.Errorf("%q", got)
	}
	page, _, err := s.Browse(t.Context(), "c", "", "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := page[0]; *d.Text != "text of document 0" || d.Fields["lang"] != "en" {
		t.Errorf("%+v", d)
	}
	got := ids(t, s, "", 10, func(n int) {
		if n == 0 { // one that was listed, and one that was not, go, and another one comes
			ok[[]Outcome](t)(s.Delete(t.Context(), "c", []string{want[3], want[30]}))
			ok[[]Outcome](t)(s.Put(t.Context(), "c", []Document{doc("new", "a new text")}))
		}
	})
	rest := slices.DeleteFunc(slices.Clone(want), func(id string) bool { return id == want[30] })
	if !slices.Equal(got, append(rest, "new")) {
		t.Errorf("%q", got)
	}
	for _, cursor := range []string{"x", "-1.x"} {
		_, _, err := s.Browse(t.Context(), "c", "", cursor, 1)
		hasCode(t, err, BadRequest)
	}
}

// Groups say of each document how near it is to the first, as near says it, and count this; and they are found by a
// document.
func TestHowNearMembersAre(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, settings := range []Settings{{}, {Jaccard: 0.8}, {K: 3}} {
		s := open(t, Options{Data: t.TempDir()})
		create(t, s, "c", settings)
		var docs []Document
		for g := range 6 {
			words := make([]string, 40)
			for i := range words {
				words[i] = fmt.Sprintf("word%dof%d", i, g)
			}
			for i := range 2 + g {
				varied := slices.Clone(words)
				for range i % 3 {
					varied[r.IntN(len(varied))] = fmt.Sprintf("other%d", r.IntN(1000))
				}
				docs = append(docs, doc(fmt.Sprintf("%d/%d", g, i), strings.Join(varied, " ")))
			}
		}
		ok[[]Outcome](t)(s.Put(t.Context(), "c", docs))
		page := ok[*GroupsPage](t)(s.Groups(t.Context(), "c", &GroupsRequest{Histogram: true}))
		if page.Total < 3 {
			t.Fatalf("%d groups", page.Total)
		}
		counts, others := make([]int, len(page.Histogram)), 0
		for i, g := range page.Groups {
			first := g.Members[0].ID
			near := ok[*NearAnswer](t)(s.Near(t.Context(), "c", &NearRequest{ID: first, Limit: 1000}))
			for _, m := range g.Members[1:] {
				at := slices.IndexFunc(near.Matches, func(o Match) bool { return o.ID == m.ID })
				if at < 0 {
					t.Fatalf("%s is not near %s", m.ID, first)
				}
				others++
				if o := near.Matches[at]; settings.K == 0 {
					if m.Jaccard == nil || *m.Jaccard != *o.Jaccard {
						t.Errorf("%s has %v, and near says %v", m.ID, m.Jaccard, *o.Jaccard)
					}
					counts[int(*cmp.Or(o.Copy, o.Jaccard)*100+1e-9)]++
					if (settings.Jaccard == 0) != (m.Copy != nil) || m.Copy != nil && *m.Copy != *o.Copy {
						t.Errorf("%s has a probability of %v, and near says %v", m.ID, m.Copy, o.Copy)
					}
				} else {
					if m.Distance == nil || *m.Distance != *o.Distance {
						t.Errorf("%s has %v, and near says %v", m.ID, m.Distance, *o.Distance)
					}
					counts[*o.Distance]++
				}
			}
			last := g.Members[len(g.Members)-1].ID
			of := ok[*GroupsPage](t)(s.Groups(t.Context(), "c", &GroupsRequest{Of: last, Limit: 1}))
			if of.Groups[0].Members[0].ID != first || (of.Cursor == "") != (i == page.Total-1) {
				t.Errorf("the group of %s is %+v", last, of.Groups[0])
			}
			only := ok[*GroupsPage](t)(s.Groups(t.Context(), "c", &GroupsRequest{Prefix: first[:2]}))
			if only.Total != 1 || only.Groups[0].Size != g.Size {
				t.Errorf("%d groups have an id that begins with %s", only.Total, first[:2])
			}
		}
		if !slices.Equal(counts, page.Histogram) || others == 0 {
			t.Errorf("%v are counted, want %v", page.Histogram, counts)
		}
		_, err := s.Groups(t.Context(), "c", &GroupsRequest{Of: "nobody"})
		hasCode(t, err, NotFound)
	}
}
