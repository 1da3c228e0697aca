package simsearch_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"simsearch"
)

// texts returns made-up texts, many of which are near others.
func texts(n int) (all []simsearch.Document) {
	rng := rand.New(rand.NewPCG(30, 1))
	for i := range n {
		words := make([]string, 20)
		for w := range words {
			words[w] = fmt.Sprint("w", w, "x", rng.IntN(40))
		}
		if i > 0 && rng.IntN(2) == 0 {
			words = strings.Fields(all[rng.IntN(i)].Text)
			words[rng.IntN(20)] = fmt.Sprint("y", i)
		}
		all = append(all, simsearch.Document{ID: fmt.Sprintf("d%03d", i), Text: strings.Join(words, " ")})
	}
	return all
}

// jaccard is the similarity of two texts by their words, the plain way.
func jaccard(a, b string) float64 {
	has := map[string]int{}
	for _, w := range strings.Fields(a) {
		has[w] |= 1
	}
	for _, w := range strings.Fields(b) {
		has[w] |= 2
	}
	both := 0
	for _, in := range has {
		if in == 3 {
			both++
		}
	}
	return float64(both) / float64(len(has))
}

// All answers are those of comparing each text with each, in memory and on the disk, and after the index was opened again.
func TestAnswers(t *testing.T) {
	ctx, all := t.Context(), texts(300)
	dir := filepath.Join(t.TempDir(), "idx")
	onDisk := func() (*simsearch.Index, error) { return simsearch.Open(dir) }
	for what, open := range map[string]func() (*simsearch.Index, error){"memory": simsearch.Memory, "disk": onDisk} {
		ix, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if err := ix.Add(ctx, all...); err != nil {
			t.Fatal(err)
		}
		if what == "disk" {
			if _, err := simsearch.Open(dir); err == nil {
				t.Error("an index is open twice")
			}
			if err := ix.Close(); err != nil {
				t.Fatal(err)
			}
			if ix, err = open(); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := ix.Len(); n != len(all) || err != nil {
			t.Errorf("%s: %d documents (%v), want %d", what, n, err, len(all))
		}
		for _, limit := range []float64{0.8, 0.5} {
			o := simsearch.Options{Near: simsearch.Jaccard(limit)}
			if limit == 0.8 {
				o = simsearch.Options{} // the default
			}
			var want, got []simsearch.Pair
			for i, a := range all {
				for _, b := range all[i+1:] {
					if j := jaccard(a.Text, b.Text); j >= limit {
						want = append(want, simsearch.Pair{A: a.ID, B: b.ID, Jaccard: j})
					}
				}
			}
			for p, err := range ix.Pairs(ctx, o) {
				if err != nil {
					t.Fatal(err)
				}
				p.Distance = 0
				got = append(got, p)
			}
			if !slices.Equal(got, want) || len(got) < 30 {
				t.Errorf("%s at %v: %d pairs, want %d", what, limit, len(got), len(want))
			}
			query := all[7].Text + " more"
			var near []string
			for _, d := range all {
				if jaccard(query, d.Text) >= limit {
					near = append(near, d.ID)
				}
			}
			matches, err := ix.Near(ctx, query, o)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.IsSortedFunc(matches, func(a, b simsearch.Match) int {
				return cmp.Or(cmp.Compare(b.Jaccard, a.Jaccard), strings.Compare(a.ID, b.ID))
			}) {
				t.Errorf("%s at %v: the order of %v", what, limit, matches)
			}
			var found []string
			for _, m := range matches {
				found = append(found, m.ID)
			}
			if slices.Sort(found); !slices.Equal(found, near) || len(near) == 0 {
				t.Errorf("%s at %v: near are %v, want %v", what, limit, found, near)
			}
		}
		in := map[string]bool{}
		for g, err := range ix.Groups(ctx, simsearch.Options{}) {
			if err != nil || len(g.IDs) < 2 {
				t.Fatal(g, err)
			}
			for _, id := range g.IDs {
				if in[id] {
					t.Errorf("%s is in two groups", id)
				}
				in[id] = true
			}
		}
		for p, err := range ix.Pairs(ctx, simsearch.Options{}) {
			if err != nil || !in[p.A] || !in[p.B] {
				t.Fatalf("%v are near, and in no group (%v)", p, err)
			}
			break // which ends the search
		}
		if n, err := ix.Delete(ctx, "d007", "nowhere"); n != 1 || err != nil {
			t.Errorf("%d are deleted (%v), want 1", n, err)
		}
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Of near texts that are sent at once, exactly one is new.
func TestCheckAndAddIsAtomic(t *testing.T) {
	ix, err := simsearch.Memory()
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	const groups, copies = 8, 12
	var wg sync.WaitGroup
	var mu sync.Mutex
	added := map[int]int{}
	for i := range groups * copies {
		wg.Go(func() {
			group := i % groups
			text := strings.Repeat(fmt.Sprintf("a%d b%d c%d d%d e%d f%d g%d h%d i%d j%d k%d l%d ", group, group, group, group, group, group, group, group, group, group, group, group), 2) + fmt.Sprint("end", i)
			ok, match, err := ix.CheckAndAdd(context.Background(), simsearch.Document{ID: fmt.Sprint(i), Text: text}, simsearch.Options{})
			if err != nil || ok != (match.ID == "") {
				t.Errorf("%v, %v, %v", ok, match, err)
			}
			if mu.Lock(); ok {
				added[group]++
			}
			mu.Unlock()
		})
	}
	wg.Wait()
	for group := range groups {
		if added[group] != 1 {
			t.Errorf("%d of group %d are new", added[group], group)
		}
	}
	if ok, _, err := ix.CheckAndAdd(t.Context(), simsearch.Document{ID: "x", Text: "something else"}, simsearch.Options{}); !ok || err != nil {
		t.Errorf("another text is not new (%v)", err)
	}
	if ok, match, err := ix.CheckAndAdd(t.Context(), simsearch.Document{ID: "x", Text: "something else"}, simsearch.Options{}); ok || match.ID != "x" || err != nil {
		t.Errorf("a document that is there is new again: %v (%v)", match, err)
	}
	if ok, _, err := ix.CheckAndAdd(t.Context(), simsearch.Document{ID: "x", Text: "what is far from it"}, simsearch.Options{}); !ok || err != nil {
		t.Errorf("a far text does not replace the one with its id (%v)", err)
	}
}

// What is kept is near nothing that is kept, and what is not kept is near the one in its place.
func TestDedup(t *testing.T) {
	all := texts(300)
	documents := func(yield func(simsearch.Document, error) bool) {
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
	}
	for _, o := range []simsearch.DedupOptions{{}, {KeepFirst: true}, {Near: simsearch.Jaccard(0.6)}} {
		kept, err := simsearch.Dedup(t.Context(), documents, o)
		if err != nil || len(kept) != len(all) {
			t.Fatal(len(kept), err)
		}
		limit, removed := 0.8, 0
		if o.Near != (simsearch.Criterion{}) {
			limit = 0.6
		}
		for i, k := range kept {
			if kept[k] != k || jaccard(all[i].Text, all[k].Text) < limit {
				t.Errorf("%d stands for %d, at a similarity of %v", k, i, jaccard(all[i].Text, all[k].Text))
			}
			if k != i {
				removed++
				continue
			}
			for j := range i {
				if kept[j] == j && jaccard(all[i].Text, all[j].Text) >= limit {
					t.Errorf("%d and %d are kept, and near", i, j)
				}
			}
		}
		if removed < 50 {
			t.Errorf("only %d are removed", removed)
		}
	}
	if kept, err := simsearch.Dedup(t.Context(), documents, simsearch.DedupOptions{Near: simsearch.Hamming(0)}); err != nil || len(kept) != len(all) {
		t.Error(len(kept), err)
	}
	broken := errors.New("broken")
	if _, err := simsearch.Dedup(t.Context(), func(yield func(simsearch.Document, error) bool) { yield(simsearch.Document{}, broken) }, simsearch.DedupOptions{}); !errors.Is(err, broken) {
		t.Errorf("an iterator that fails: %v", err)
	}
}

func TestErrors(t *testing.T) {
	ix, err := simsearch.Memory()
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	if err := ix.Add(t.Context(), simsearch.Document{ID: "a", Text: "one"}, simsearch.Document{ID: "a", Text: "two"}); err == nil {
		t.Error("two texts with one id are added")
	}
	for _, near := range []simsearch.Criterion{simsearch.Jaccard(0), simsearch.Jaccard(1.5), simsearch.Hamming(-1), simsearch.Hamming(65)} {
		if _, err := ix.Near(t.Context(), "one", simsearch.Options{Near: near}); err == nil {
			t.Errorf("%v is a criterion", near)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range ix.Pairs(ctx, simsearch.Options{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want that it was cancelled", err)
		}
	}
	if matches, err := ix.Near(t.Context(), " ", simsearch.Options{}); len(matches) > 0 || err != nil {
		t.Errorf("an empty text is near %v (%v)", matches, err)
	}
	if c, err := simsearch.Compare("one two three", "one two four"); err != nil || c.Jaccard != 0.5 {
		t.Errorf("%+v (%v), want 0.5", c, err)
	}
	if _, err := simsearch.Compare("", "one"); err == nil {
		t.Error("an empty text is compared")
	}
}
