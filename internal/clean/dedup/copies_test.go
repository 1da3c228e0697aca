package dedup

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/index"
	"simsearch/internal/match/judge"
	"simsearch/internal/tests/testkit"
)

// misspelt returns texts of which some are others with words misspelt or in upper case, or their beginning changed, and
// some are forms.
func misspelt(rng *rand.Rand, n int) (all []string) {
	for _, text := range texts(rng, n) {
		if rng.IntN(8) == 0 { // a form about another thing
			all = append(all, fmt.Sprintf("t%d\n\nthe same twelve words of a form stand in each of these", rng.IntN(1000)))
			continue
		}
		words := strings.Fields(text)
		if len(all) > 3 && rng.IntN(2) == 0 {
			words = strings.Fields(all[rng.IntN(len(all))])
			if rng.IntN(8) == 0 {
				for i := 1; i < len(words) && i < 66; i += 2 { // which leaves no opening
					words[i-1], words[i] = words[i], words[i-1]
				}
			}
			for i := range words {
				switch rng.IntN(12) {
				case 0:
					words[i] += "x"
				case 1:
					words[i] = strings.ToUpper(words[i])
				}
			}
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

func byCopies() Options {
	o := options()
	o.Keep, o.Threshold, o.Copy = Keep{Way: First}, index.CopyFloor, 0.5
	return o
}

// The documents that a judge takes for copies are removed: each belongs to the likeliest original before it, or in
// crowds to the most similar one, if it is a copy of that.
func TestCopiesEqualTheReference(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testkit.Of(3, 20)) {
		all := misspelt(rand.New(rand.NewPCG(seed, 55)), 300)
		sets, dir := setsOf(t, all), files(t, all)
		for _, crowded := range []bool{false, true} {
			o := byCopies()
			o.crowded = crowded
			want, kept, first := map[string]removedRow{}, []int{}, map[string]int{}
			for i, text := range all {
				if f, seen := first[text]; seen && text != "" { // equal texts are one
					w, removed := want[fmt.Sprintf("d%d", f)]
					if !removed {
						w = removedRow{KeptID: fmt.Sprintf("d%d", f), Similarity: 1, Copy: 1}
					}
					want[fmt.Sprintf("d%d", i)] = w
					continue
				}
				first[text] = i
				best, least, center := 0.0, 0.0, -1
				for _, k := range kept {
					similarity := ints.Jaccard(sets[k], sets[i])
					is := judge.Default.Copy(judge.Read([]byte(all[k])), judge.Read([]byte(all[i])), similarity)
					if value := is; !crowded && similarity >= index.CopyFloor && is >= o.Copy || crowded && similarity >= index.DefaultThreshold {
						if crowded {
							value = similarity
						}
						if value > best {
							best, least, center = value, is, k
						}
					}
				}
				if center >= 0 {
					if least >= o.Copy {
						want[fmt.Sprintf("d%d", i)] = removedRow{KeptID: fmt.Sprintf("d%d", center), Similarity: ints.Jaccard(sets[center], sets[i]), Copy: least}
					}
					continue // in crowds, what is no copy of its center is none itself
				}
				if len(sets[i]) > 0 {
					kept = append(kept, i)
				}
			}
			got, _ := ran(t, nil, []string{dir}, o)
			if told := strings.Contains(got[run.ReportName], "too many to be judged"); told != crowded {
				t.Errorf("crowded %v: the report tells %v", crowded, told)
			}
			rows := rowsOf[removedRow](t, got[run.RemovedName])
			for _, r := range rows {
				if w := want[r.ID]; r.KeptID != w.KeptID || r.Similarity != w.Similarity || r.Copy != w.Copy {
					t.Errorf("crowded %v: %s is removed for %s with %v and %v, want %+v", crowded, r.ID, r.KeptID, r.Similarity, r.Copy, w)
				}
			}
			if len(rows) != len(want) || len(rows) < 30 {
				t.Errorf("crowded %v: %d documents are removed, want %d", crowded, len(rows), len(want))
			}
			o.Threads, o.Memory, o.PartBytes = 1, 1<<20, 1<<10
			if again, _ := ran(t, nil, []string{dir}, o); again[run.RemovedName] != got[run.RemovedName] {
				t.Errorf("crowded %v: another list on one thread", crowded)
			}
		}
	}
}

// A run that was interrupted reads texts again for what the first one has seen of them.
func TestCopiesGoOn(t *testing.T) {
	t.Parallel()
	dir := files(t, misspelt(rand.New(rand.NewPCG(9, 55)), 600))
	told := goesOn(t, removing(nil, dir), 7, func(out string) Options {
		o, copies := resumable(out), byCopies()
		o.Keep, o.Threshold, o.Copy = copies.Keep, copies.Threshold, copies.Copy
		return o
	})
	if len(told) < 2 {
		t.Errorf("the run went on in %d ways only: %v", len(told), told)
	}
}

// A result that grows is that of a run on everything, also with a reference that is an index. What has no texts is
// told of.
func TestCopiesGrow(t *testing.T) {
	t.Parallel()
	all := misspelt(rand.New(rand.NewPCG(8, 55)), 400)
	g := newGrowing(t, 55, all)
	out := filepath.Join(t.TempDir(), "out")
	for night := range 5 {
		g.night(night)
		o := byCopies()
		o.State = out
		if _, err := runTo(t.Context(), out, nil, []string{g.dir}, o); err != nil {
			t.Fatal(err)
		}
		want, _ := ran(t, nil, []string{g.dir}, byCopies())
		if got := contents(t, out); got[run.RemovedName] != want[run.RemovedName] {
			t.Fatalf("night %d: removed are\n%swant\n%s", night, got[run.RemovedName], want[run.RemovedName])
		}
	}
	refs, inputs := files(t, all[:200]), files(t, all[200:])
	want, result := ran(t, []string{refs}, []string{inputs}, byCopies())
	if result.Removed < 30 {
		t.Errorf("%d are removed", result.Removed)
	}
	s := analysis.Default().Canonical()
	got, _ := ran(t, []string{indexed(t, s, index.KeepText, refs)}, []string{inputs}, byCopies())
	ids := func(list string) (ids []string) { // of an index, the first of equally likely originals is named
		for _, r := range rowsOf[removedRow](t, list) {
			ids = append(ids, r.ID)
		}
		return ids
	}
	if !slices.Equal(ids(got[run.RemovedName]), ids(want[run.RemovedName])) {
		t.Errorf("by an index others are removed than by its files:\n%s\nwant\n%s", got[run.RemovedName], want[run.RemovedName])
	}
	_, err := runTo(t.Context(), out+"2", []string{indexed(t, s, index.KeepNothing, refs)}, []string{inputs}, byCopies())
	if err == nil || !strings.Contains(err.Error(), "the text of ") {
		t.Errorf("without texts: %v", err)
	}
}
