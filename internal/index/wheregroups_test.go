package index

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
)

// Groups, and pairs of groups, of documents that meet a condition are those of an index that has no others.
func TestGroupsWhere(t *testing.T) {
	t.Parallel()
	texts := nearTexts(200)
	texts = append(texts, texts[:40]...) // some are equal
	every := func(keep func(i int) bool) iter.Seq2[*document.Document, error] {
		return func(yield func(*document.Document, error) bool) {
			i := 0
			for d, err := range withFields(texts, 0) {
				if keep(i) && !yield(d, err) {
					return
				}
				i++
			}
		}
	}
	made := func(keep func(i int) bool) *Snapshot {
		dir := t.TempDir()
		o := WriterOptions{Threads: 2, Input: Input{KeepFields: "three,five"}}
		addWith(t, dir, minHash(analysis.Both), o, every(func(i int) bool { return keep(i) && i < 110 }))
		addWith(t, dir, minHash(analysis.Both), o, every(func(i int) bool { return keep(i) && i >= 110 }))
		return mustOpen(t, dir)
	}
	ids := func(ix *Snapshot, docs ...uint32) (out []string) {
		for _, doc := range docs {
			id, err := ix.ID(doc)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(id))
		}
		return out
	}
	all := made(func(int) bool { return true })
	for want, meets := range map[string]func(i int) bool{"1": func(i int) bool { return i%3 == 1 }, "7": func(int) bool { return false }} {
		where := []Where{{"three", func(v []byte) bool { return string(v) == want }}}
		var alone *Snapshot
		if want == "1" {
			alone = made(meets)
		}
		for _, p := range []Predicate{Within(6), Similar(0.4), searchedBy(0.4, 0.9, Exact), searchedBy(0.4, 1, Unverified), WithinAndSimilar(20, 0.3)} {
			found := func(ix *Snapshot, where []Where) (out []string) {
				for _, chain := range []bool{false, true} {
					for _, g := range allGroups(t, ix, p, PairOptions{Threads: 2, Chain: chain, Where: where}) {
						out = append(out, fmt.Sprint(chain, ids(ix, g.Documents...), ids(ix, g.Representative), g.Value, g.Distance, g.Value, g.Apart))
					}
				}
				for _, pair := range similarPairs(t, ix, p, PairOptions{Threads: 2, Groups: true, Where: where}) {
					out = append(out, fmt.Sprint(ids(ix, pair.A, pair.B), pair.Distance, pair.Value, pair.Value))
				}
				return out
			}
			got := found(all, where)
			if alone == nil {
				if len(got) > 0 {
					t.Errorf("%+v: groups of no documents: %v", p, got)
				}
				continue
			}
			if want := found(alone, nil); !slices.Equal(got, want) || len(want) < 3 {
				t.Errorf("%+v:\n%q, want\n%q", p, got, want)
			}
		}
	}
}
