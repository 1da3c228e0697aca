package simsearch_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
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

// All answers are those of comparing each text with each, in memory and on the disk, and after the index was opened
// again.
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
			if _, err := simsearch.Open(dir); !errors.Is(err, simsearch.ErrLocked) {
				t.Errorf("an index is open twice: %v", err)
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
			text := strings.Repeat(fmt.Sprintf("a%d b%d c%d d%d e%d f%d g%d h%d i%d j%d k%d l%d ", group, group, group, group, group, group, group, group, group, group, group, group), 4) + "end" + strings.Repeat("x", i)
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
	const nine, ten = "the ferry to the islands leaves at nine every Saturday in May", "the ferry to the islands leaves at ten every Saturday in May"
	if err := ix.Add(t.Context(), simsearch.Document{ID: "nine", Text: nine}); err != nil {
		t.Fatal(err)
	}
	if ok, match, err := ix.CheckAndAdd(t.Context(), simsearch.Document{ID: "ten", Text: ten}, simsearch.Options{Reject: true}); ok || match.ID != "nine" || match.Differs != nil || err != nil {
		t.Errorf("%v %v (%v)", ok, match, err)
	}
	if ok, match, err := ix.CheckAndAdd(t.Context(), simsearch.Document{ID: "ten", Text: ten}, simsearch.Options{}); !ok || match.ID != "nine" || match.Verdict != "form" || !slices.Equal(match.Differs, []string{"numbers"}) || err != nil {
		t.Errorf("%v %v (%v)", ok, match, err)
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
		for i, d := range kept {
			k := d.For
			if is := jaccard(all[i].Text, all[k].Text); kept[k].For != k || is < limit || is != d.Jaccard || d.Distance != -1 {
				t.Errorf("%d stands for %d, at a similarity of %v: %+v", k, i, is, d)
			}
			if k != i {
				removed++
				continue
			}
			for j := range i {
				if kept[j].For == j && jaccard(all[i].Text, all[j].Text) >= limit {
					t.Errorf("%d and %d are kept, and near", i, j)
				}
			}
		}
		if removed < 50 {
			t.Errorf("only %d are removed", removed)
		}
	}
	if kept, err := simsearch.Dedup(t.Context(), documents, simsearch.DedupOptions{Near: simsearch.Hamming(0)}); err != nil || len(kept) != len(all) || kept[0].Distance != 0 {
		t.Error(len(kept), err)
	}
	inside := slices.Values([]string{"one two three four five six", "zero one two three four five six seven eight nine ten"})
	decisions, err := simsearch.Dedup(t.Context(), func(yield func(simsearch.Document, error) bool) {
		for text := range inside {
			yield(simsearch.Document{Text: text}, nil)
		}
	}, simsearch.DedupOptions{Contained: 0.9, Features: "word:3"})
	if err != nil || decisions[0].For != 1 || decisions[0].Contained != 1 || decisions[1].For != 1 {
		t.Errorf("%+v (%v)", decisions, err)
	}
	broken := errors.New("broken")
	if _, err := simsearch.Dedup(t.Context(), func(yield func(simsearch.Document, error) bool) { yield(simsearch.Document{}, broken) }, simsearch.DedupOptions{}); !errors.Is(err, broken) {
		t.Errorf("an iterator that fails: %v", err)
	}
}

// What an index keeps comes back, and a document is found by its text, its id and its fingerprint.
func TestQueries(t *testing.T) {
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "idx")
	settings := simsearch.Settings{Features: "word:3", Near: simsearch.Jaccard(0.6), Fields: []string{"lang", "url"}, Passages: true}
	ix, err := settings.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	base := "the old harbour opens on tuesday at nine and closes at six and the boat calls at the three islands every second friday"
	all := []simsearch.Document{
		{ID: "long", Text: base + " with a guide who knows all birds of the coast and their names in several languages", Fields: map[string]string{"lang": "en"}},
		{ID: "base", Text: base, Fields: map[string]string{"lang": "en", "url": "u"}},
		{ID: "near", Text: strings.Replace(base, "friday", "sunday", 1)},
		{ID: "far", Text: "something else altogether that has nothing in common with any of the others"},
	}
	if err := ix.Add(ctx, all...); err != nil {
		t.Fatal(err)
	}
	ids := func(matches []simsearch.Match, err error) string {
		if err != nil {
			t.Error(err)
		}
		var all []string
		for _, m := range matches {
			all = append(all, m.ID)
		}
		return strings.Join(all, " ")
	}
	fp, err := simsearch.Fingerprint(base)
	if err != nil {
		t.Fatal(err)
	}
	c, err := simsearch.Compare(base, base+" more")
	if err != nil || c.AInB != 1 || c.BInA >= 1 || c.Distance > 10 {
		t.Errorf("%+v (%v)", c, err)
	}
	for what, is := range map[string][2]string{
		"near":        {ids(ix.Near(ctx, base, simsearch.Options{})), "base near"},
		"limited":     {ids(ix.Near(ctx, base, simsearch.Options{Limit: 1})), "base"},
		"contained":   {ids(ix.Near(ctx, base, simsearch.Options{Near: simsearch.Contained(1)})), "base long"},
		"nearest":     {ids(ix.Near(ctx, base, simsearch.Options{Nearest: 3})), "base near long"},
		"id":          {ids(ix.NearID(ctx, "near", simsearch.Options{})), "base"},
		"id, nearest": {ids(ix.NearID(ctx, "near", simsearch.Options{Nearest: 1})), "base"},
		"fingerprint": {ids(ix.NearFingerprint(ctx, fp, simsearch.Options{Near: simsearch.Hamming(64), Limit: 9})), "base near long far"},
	} {
		if is[0] != is[1] && what != "fingerprint" {
			t.Errorf("%s: %s, want %s", what, is[0], is[1])
		}
		if what == "fingerprint" && len(strings.Fields(is[0])) != len(all) {
			t.Errorf("%s: %s, want all", what, is[0])
		}
	}
	matches, err := ix.Near(ctx, base, simsearch.Options{Near: simsearch.Contained(0.9), Limit: 1})
	if err != nil || len(matches) != 1 || matches[0].Contained != 1 || matches[0].Jaccard != 0 || matches[0].Fields["url"] != "u" {
		t.Errorf("%+v (%v)", matches, err)
	}
	passage := strings.Join(strings.Fields(all[0].Text)[:30], " ") + " and then " + strings.Repeat("it goes on along the coast until the evening comes ", 3)
	if err := ix.Add(ctx, simsearch.Document{ID: "quoted", Text: "Before it. " + passage + "Behind it."}); err != nil {
		t.Fatal(err)
	}
	query := "It says that " + passage + "which is all."
	quotes, err := ix.Passages(ctx, query, simsearch.Options{})
	if err != nil || len(quotes) != 1 || quotes[0].ID != "quoted" || quotes[0].QueryShare < 0.8 {
		t.Errorf("%+v (%v)", quotes, err)
	} else if p := quotes[0].Passages[0]; !strings.HasPrefix(query[p.Query[0]:p.Query[1]], "the old harbour opens") || p.Words < 50 {
		t.Errorf("%+v", p)
	}
	if _, err := ix.Delete(ctx, "quoted"); err != nil {
		t.Fatal(err)
	}
	if added, match, err := ix.CheckAndAdd(ctx, simsearch.Document{ID: "x", Text: base}, simsearch.Options{}); added || match.ID != "base" || match.Fields["lang"] != "en" || match.Jaccard != 1 || err != nil {
		t.Errorf("%v, %+v (%v)", added, match, err)
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if ix, err = simsearch.Open(dir); err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	if d, err := ix.Get("base"); err != nil || d.Text != base || d.Fields["lang"] != "en" || d.Fields["url"] != "u" {
		t.Errorf("%+v (%v)", d, err)
	}
	if is := ids(ix.Near(ctx, base, simsearch.Options{})); is != "base near" {
		t.Errorf("opened again: %s", is)
	}
}

// Settings of an index stay what they are, and presets are those of the command.
func TestSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	bare := simsearch.Settings{Near: simsearch.Hamming(5)}
	ix, err := bare.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := ix.Add(t.Context(), simsearch.Document{ID: "a", Text: "ferry island harbour"}); err != nil {
		t.Fatal(err)
	}
	if _, err := ix.Near(t.Context(), "one", simsearch.Options{Near: simsearch.Jaccard(0.5)}); !errors.Is(err, simsearch.ErrNoSearch) {
		t.Errorf("sets in an index of fingerprints: %v", err)
	}
	if d, err := ix.Get("a"); err != nil || d.Text != "" {
		t.Errorf("%+v (%v)", d, err)
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	for _, other := range []simsearch.Settings{{Features: "word:2"}, {Near: simsearch.Hamming(5), Fields: []string{"x"}}, {Preset: "fineweb"}} {
		if _, err := other.Open(dir); !errors.Is(err, simsearch.ErrSettings) {
			t.Errorf("%+v: %v", other, err)
		}
	}
	for _, s := range []simsearch.Settings{bare, {}} {
		if ix, err = s.Open(dir); err != nil {
			t.Fatal(err)
		}
		if m, err := ix.Near(t.Context(), "ferry island harbour", simsearch.Options{}); err != nil || len(m) != 1 || m[0].Distance != 0 {
			t.Errorf("%+v (%v)", m, err)
		}
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"classic", "shingles", "characters", "fineweb", "nemo", "text-dedup"} {
		ix, err := simsearch.Settings{Preset: name}.Memory()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ix.Close()
	}
	for _, wrong := range []simsearch.Settings{
		{Features: "wörd"}, {Language: "xx"}, {Preset: "none"}, {Preset: "nemo", Features: "words"}, {Preset: "shingles", Near: simsearch.Jaccard(0.5)},
		{Near: simsearch.Contained(0.5)}, {Near: simsearch.Jaccard(2)}, {Passages: true, Forget: true}, {Fields: []string{"a,b"}},
	} {
		if _, err := wrong.Memory(); !errors.Is(err, simsearch.ErrInvalid) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

func TestErrors(t *testing.T) {
	ix, err := simsearch.Memory()
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	one := simsearch.Document{ID: "a", Text: "one"}
	if err := ix.Add(t.Context(), one, simsearch.Document{ID: "a", Text: "two"}); !errors.Is(err, simsearch.ErrConflict) {
		t.Errorf("two texts with one id: %v", err)
	}
	if d, err := ix.Get("a"); err != nil || d.Text != one.Text {
		t.Errorf("%+v (%v)", d, err)
	}
	for _, wrong := range []simsearch.Document{{Text: "no id"}, {ID: "x\x00", Text: "a zero"}, {ID: "f", Text: "a field", Fields: map[string]string{"lang": "en"}}} {
		if err := ix.Add(t.Context(), wrong); !errors.Is(err, simsearch.ErrInvalid) {
			t.Errorf("%+v: %v", wrong, err)
		}
		if _, _, err := ix.CheckAndAdd(t.Context(), wrong, simsearch.Options{}); !errors.Is(err, simsearch.ErrInvalid) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	_, got := ix.Get("nowhere")
	_, near := ix.NearID(t.Context(), "nowhere", simsearch.Options{})
	if !errors.Is(got, simsearch.ErrNotFound) || !errors.Is(near, simsearch.ErrNotFound) {
		t.Errorf("%v, %v", got, near)
	}
	if _, err := ix.Near(t.Context(), "one", simsearch.Options{Near: simsearch.Contained(0.5), Nearest: 1}); !errors.Is(err, simsearch.ErrNoSearch) {
		t.Error(err)
	}
	if _, err := ix.NearFingerprint(t.Context(), 1, simsearch.Options{Near: simsearch.Jaccard(0.5)}); !errors.Is(err, simsearch.ErrNoSearch) {
		t.Error(err)
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := simsearch.Open(full); !errors.Is(err, simsearch.ErrNotIndex) {
		t.Errorf("a directory of something else: %v", err)
	}
	for _, near := range []simsearch.Criterion{simsearch.Jaccard(0), simsearch.Jaccard(1.5), simsearch.Hamming(-1), simsearch.Hamming(65)} {
		if _, err := ix.Near(t.Context(), "one", simsearch.Options{Near: near}); !errors.Is(err, simsearch.ErrInvalid) {
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
	if c, err := simsearch.Compare("👍", "👍"); err != nil || c.Jaccard != 1 || c.Distance != 0 {
		t.Errorf("a text without words, and itself: %+v (%v)", c, err)
	}
	for _, o := range []simsearch.DedupOptions{{Near: simsearch.Hamming(64)}, {Near: simsearch.Contained(1)}, {Contained: 2}, {Features: "x"}} {
		if _, err := simsearch.Dedup(t.Context(), nil, o); !errors.Is(err, simsearch.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := errors.Join(ix.Close(), ix.Close()); err != nil {
		t.Error(err)
	}
	_, err = ix.Near(t.Context(), "one", simsearch.Options{})
	_, err2 := ix.Len()
	_, _, err3 := ix.CheckAndAdd(t.Context(), one, simsearch.Options{})
	for i, err := range []error{err, err2, err3, ix.Add(t.Context(), one)} {
		if !errors.Is(err, simsearch.ErrClosed) {
			t.Errorf("%d: %v, of a closed index", i, err)
		}
	}
}
