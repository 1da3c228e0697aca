package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
	"simsearch/internal/tests/testkit"
)

// wordOf returns a word for a number, without digits.
func wordOf(n int) string {
	word := []byte("w")
	for ; n > 0; n /= 20 {
		word = append(word, byte('a'+n%20))
	}
	return string(word)
}

// numbered returns n texts: of each of some made-up texts, several edits, with a year or another number, a symbol and
// a name in each, and some with a negation or in another order.
func numbered(r *rand.Rand, n, originals int) (out []string) {
	var of [][]string
	for range originals {
		var words []string
		for range 20 + r.IntN(20) {
			words = append(words, wordOf(r.IntN(5000)))
		}
		of = append(of, words)
	}
	for range n {
		words := slices.Clone(of[r.IntN(originals)])
		if i, j := r.IntN(len(words)), r.IntN(len(words)); r.IntN(4) == 0 {
			words[i], words[j] = words[j], words[i]
		} else {
			words[i] = wordOf(r.IntN(5000))
		}
		words = append(words, []string{"+", "<"}[r.IntN(2)], []string{"Anna", "Eva", "anna"}[r.IntN(3)])
		words = append(words, fmt.Sprint(1990+r.IntN(3)))
		if r.IntN(4) == 0 {
			words = append(words, "never")
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// A line of the list says in which facts the two texts differ. With Options.Spare, none differs in these, and any two
// documents that are kept differ or are not near.
func TestSpare(t *testing.T) {
	t.Parallel()
	for seed, originals := range []int{100, 3} { // listed pairs, and crowds
		all := numbered(rand.New(rand.NewPCG(uint64(seed), 31)), testkit.Of(800, 3000), originals)
		text := map[string]string{}
		for i, x := range all {
			text[fmt.Sprintf("d%d", i)] = x
		}
		in := files(t, all)
		for _, spare := range []explain.FactKinds{0, explain.Numbers, explain.Numbers | explain.Negations, explain.Spared &^ explain.Names &^ explain.Order,
			explain.Spared &^ explain.Order, explain.Names, explain.Order, explain.Spared} {
			for _, contained := range []float64{0, 0.99} {
				o := options()
				o.Spare, o.Contained = spare, contained
				out, result := ran(t, nil, []string{in}, o)
				gone, counted := map[string]bool{}, explain.FactKinds(0)
				for _, row := range rowsOf[removedRow](t, out[run.RemovedName]) {
					gone[row.ID] = true
					a, b := explain.FactsOf([]byte(text[row.ID])), explain.FactsOf([]byte(text[row.KeptID]))
					differs := a.Differ(b)
					if differs&spare != 0 || strings.Join(row.Differs, ",") != differs.String() {
						t.Fatalf("sparing %q, %v differs in %q", spare, row, differs)
					}
					counted |= differs
				}
				// Few texts differ in nothing but their order.
				if want := explain.Spared; counted|explain.Order&^spare != want&^spare || (result.Differs.Any > 0) != (counted != 0) {
					t.Errorf("sparing %q: removed documents differ in %q, want %q; %+v", spare, counted, want&^spare, result.Differs)
				}
				var kept []string
				for id := range text {
					if !gone[id] {
						kept = append(kept, id)
					}
				}
				checkApart(t, kept, text, o)
			}
		}
	}
}

// checkApart tests that documents with the same facts are not near.
func checkApart(t *testing.T, ids []string, text map[string]string, o Options) {
	t.Helper()
	if o.Spare&^(explain.Numbers|explain.Negations) != 0 {
		return // sets do not have these: of each set, one of each kind is kept, and not compared with those of other sets
	}
	a, err := analysis.New(o.Settings)
	if err != nil {
		t.Fatal(err)
	}
	var s analysis.Scratch
	sets, facts := make([][]uint64, len(ids)), make([]explain.Facts, len(ids))
	for i, id := range ids {
		sets[i], facts[i] = slices.Clone(a.Set(&s, []byte(text[id]))), explain.FactsOf([]byte(text[id]))
	}
	for i := range ids {
		for j := range i {
			if ints.Jaccard(sets[i], sets[j]) >= o.Threshold && (o.Spare == 0 || facts[i].Key(o.Spare) == facts[j].Key(o.Spare)) {
				t.Fatalf("sparing %q, %q and %q are kept", o.Spare, text[ids[i]], text[ids[j]])
			}
		}
	}
}

// Facts of a reference that keeps no texts are not known: that is said, and not guessed.
func TestSpareOfAnIndex(t *testing.T) {
	t.Parallel()
	all := numbered(rand.New(rand.NewPCG(5, 32)), 200, 5)
	refs, inputs := files(t, all[:100]), files(t, all[100:])
	o := options()
	o.Spare, o.Keep = explain.Numbers, Keep{Way: First}
	want, _ := ran(t, []string{refs}, []string{inputs}, o)
	settings := DefaultSettings()
	got, _ := ran(t, []string{indexed(t, settings, index.KeepText, refs)}, []string{inputs}, o)
	if got[run.RemovedName] != want[run.RemovedName] {
		t.Errorf("an index with texts removes something else than its files:\n%s\n%s", got[run.RemovedName], want[run.RemovedName])
	}
	_, err := runTo(t.Context(), t.TempDir()+"/out", []string{indexed(t, settings, index.KeepNothing, refs)}, []string{inputs}, o)
	if err == nil || !strings.Contains(err.Error(), "no texts whose facts") {
		t.Errorf("an index without texts: %v", err)
	}
}

// Of documents with the same words, of which some differ in how often a number stands there, the first is kept of
// each that does. They are not compared with near documents of other words.
func TestSpareOfOneSet(t *testing.T) {
	t.Parallel()
	const form = "one of the many words that stand here costs 12 "
	all := []string{form, form + "12", form + "12 12", form + "or 12", form + "12", form + "12 12"}
	in := files(t, append(all, "another"))
	o := options()
	o.Spare, o.Keep = explain.Numbers, Keep{Way: First}
	_, result := ran(t, nil, []string{in}, o)
	if result.Removed != 2 || result.Exact != 2 || result.Differs.Any != 0 {
		t.Errorf("%d are removed, %d of them exact: %+v", result.Removed, result.Exact, result.Differs)
	}
}

// Of documents with another name than the center, one of those is kept that are near each other.
func TestSpareOfNames(t *testing.T) {
	t.Parallel()
	const form = "one of the many long words that stand here in a row is the name of the keeper of our mill and bridge, "
	in := files(t, []string{form + "Anna", form + "Anna says", form + "Eva", form + "Eva says", form + "Eva knows", form + "anna"})
	o := options()
	o.Spare, o.Keep = explain.Names, Keep{Way: First}
	if _, result := ran(t, nil, []string{in}, o); result.Kept != 2 || result.Differs.Any != 0 {
		t.Errorf("%d are kept: %+v", result.Kept, result.Differs)
	}
}
