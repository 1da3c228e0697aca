package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

// A model is what an index should hold: the text of each id.
type model map[string]string

// contents returns what an index holds.
func contents(t testing.TB, ix *Snapshot) model {
	t.Helper()
	m := model{}
	for doc := range uint32(ix.Len()) {
		id, err := ix.ID(doc)
		if err != nil {
			t.Fatal(err)
		}
		text, err := ix.Text(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := m[string(id)]; ok {
			t.Fatalf("%s is there twice", id)
		}
		m[string(id)] = text
		if found, ok, err := ix.Find(id); found != doc || !ok || err != nil {
			t.Fatalf("%s is document %d, but found as %d, %v, %v", id, doc, found, ok, err)
		}
	}
	return m
}

// fresh returns a new index of what m has.
func (m model) fresh(t testing.TB) *Snapshot {
	t.Helper()
	var all []string
	for _, id := range slices.Sorted(maps.Keys(m)) {
		all = append(all, id, m[id])
	}
	dir := t.TempDir()
	if err := commitChanges(unfailing, dir, all, nil); err != nil {
		t.Fatal(err)
	}
	return mustOpen(t, dir)
}

// changeSettings have all that a segment may have.
func changeSettings() analysis.Settings {
	s := withoutStopWords()
	s.Mode, s.Positions = analysis.Both, 16
	return s.Canonical()
}

// sameAnswers compares the answers of two indexes with the same documents: near, by each predicate, and pairs.
func sameAnswers(t testing.TB, what string, got, want *Snapshot, queries []string) {
	t.Helper()
	for _, p := range []Predicate{Within(3), Within(12), Similar(0.8), Similar(0.4), searchedBy(0.6, 0.9, Exact)} {
		for _, q := range queries {
			a, b := found(t, got, q, p, 0), found(t, want, q, p, 0)
			if p.Recall == 0 && !slices.Equal(a, b) {
				t.Fatalf("%s: near %.20q by %+v: %v, want %v", what, q, p, a, b)
			}
		}
		if p.Recall > 0 {
			continue
		}
		if a, b := pairsByID(t, got, p, false), pairsByID(t, want, p, false); !slices.Equal(a, b) {
			t.Fatalf("%s: %d pairs by %+v, want %d", what, len(a), p, len(b))
		}
		pairsByID(t, got, p, true)
	}
	for _, q := range queries {
		if a, b := found(t, got, q, Similar(0.5), 3), found(t, want, q, Similar(0.5), 3); !slices.Equal(a, b) {
			t.Fatalf("%s: the nearest of %.20q: %v, want %v", what, q, a, b)
		}
	}
}

// found returns the ids near a text, with how near they are. A nearest above 0 asks for the nearest.
func found(t testing.TB, ix *Snapshot, text string, p Predicate, nearest int) (out []string) {
	t.Helper()
	a, err := ix.Near(context.Background(), Text([]byte(text)), Options{Predicate: p, Nearest: nearest})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range a.Matches {
		if nearest > 0 {
			out = append(out, fmt.Sprint(m.Value)) // equally near ones may be others
			continue
		}
		out = append(out, fmt.Sprint(string(m.ID), m.Distance, m.Value))
	}
	return out
}

func pairsByID(t testing.TB, ix *Snapshot, p Predicate, groups bool) (out []string) {
	t.Helper()
	err := ix.Pairs(context.Background(), p, PairOptions{Threads: 2, Groups: groups}, func(pair Pair) error {
		a, errA := ix.ID(pair.A)
		b, errB := ix.ID(pair.B)
		ids := []string{string(a), string(b)}
		slices.Sort(ids)
		out = append(out, strings.Join(ids, " "))
		return errors.Join(errA, errB)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// A changer makes random changes to an index and to a model of it.
type changer struct {
	rng  *rand.Rand
	text *testkit.Words
	now  model
	ids  int
}

// some returns a text that is new, near one of the index, or that of another id.
func (c *changer) some() string {
	if len(c.now) > 0 && c.rng.IntN(2) == 0 {
		keys := slices.Sorted(maps.Keys(c.now))
		words := strings.Fields(c.now[keys[c.rng.IntN(len(keys))]])
		for range c.rng.IntN(3) {
			if len(words) > 0 {
				words[c.rng.IntN(len(words))] = "changed"
			}
		}
		return strings.Join(words, " ")
	}
	if c.rng.IntN(10) == 0 {
		return "..." // no features
	}
	return c.text.Text(20 + c.rng.IntN(200))
}

// change draws documents to add and ids to delete, and changes the model.
func (c *changer) change(most int) (puts []string, deletes []string) {
	keys := slices.Sorted(maps.Keys(c.now))
	known := func() string {
		if len(keys) == 0 {
			return "nobody"
		}
		return keys[c.rng.IntN(len(keys))]
	}
	for range c.rng.IntN(1 + most/4) {
		id := known()
		deletes = append(deletes, id)
		delete(c.now, id)
	}
	put := map[string]bool{}
	for range c.rng.IntN(1 + most) {
		id := fmt.Sprint("id", c.ids)
		if c.rng.IntN(3) == 0 {
			id = known()
		} else {
			c.ids++
		}
		if put[id] {
			continue
		}
		put[id] = true
		text := c.some()
		puts = append(puts, id, text)
		c.now[id] = text
	}
	return puts, deletes
}

// commit makes the changes.
func commitChanges(fsys disk.FS, dir string, puts, deletes []string) (err error) {
	w, err := openWriter(fsys, dir, changeSettings(), WriterOptions{Keep: KeepText})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, id := range deletes {
		if err := w.Delete([]byte(id)); err != nil {
			return err
		}
	}
	if err := w.Ingest(context.Background(), docs(puts...)); err != nil {
		return err
	}
	if err := changeCatalogue(w, puts, deletes); err != nil {
		return err
	}
	_, err = w.Commit(context.Background())
	return err
}

// After any history of additions, replacements, deletions and merges, the index answers as one that is made of the
// documents that are left.
func TestHistories(t *testing.T) {
	t.Parallel()
	commits := 25
	if *torture {
		commits = 60
	}
	eachHistory(t, 9, [3]int{1, 4, 200}, func(t *testing.T, _ int, c *changer) {
		dir := t.TempDir()
		for step := range commits {
			puts, deletes := c.change(1 + c.rng.IntN(40))
			before := len(c.now)
			if err := commitChanges(unfailing, dir, puts, deletes); err != nil {
				t.Fatal(err)
			}
			if c.rng.IntN(12) == 0 {
				compact(t, dir)
			}
			m, err := store.ReadManifest(disk.OS, dir)
			if errors.Is(err, ErrNoIndex) && before == 0 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Segments) > store.MostSegments {
				t.Fatalf("%d segments", len(m.Segments))
			}
			ix := mustOpen(t, dir)
			if got := contents(t, ix); !maps.Equal(got, c.now) {
				t.Fatalf("step %d: %d documents, want %d, or others", step, len(got), len(c.now))
			}
			if step%8 == 7 && len(c.now) > 0 {
				var queries []string
				for range 10 {
					queries = append(queries, c.some())
				}
				sameAnswers(t, fmt.Sprint("step ", step), ix, c.now.fresh(t), queries)
			}
			noneIsLeftLying(t, dir)
		}
	})
}

// eachHistory calls do with a source of changes for each of so many seeds, of which there are those of an ordinary
// test, a long one and a torture. stream tells the changes of one test from those of another.
func eachHistory(t *testing.T, stream uint64, seeds [3]int, do func(t *testing.T, seed int, c *changer)) {
	level := 0
	switch {
	case *torture:
		level = 2
	case testkit.IsLong():
		level = 1
	}
	for seed := range seeds[level] {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			do(t, seed, &changer{rng: rand.New(rand.NewPCG(uint64(seed), stream)), text: testkit.NewWords(uint64(seed)), now: model{}})
		})
	}
}

func compact(t testing.TB, dir string) {
	t.Helper()
	w, err := openWriter(unfailing, dir, changeSettings(), WriterOptions{})
	if err == nil {
		err = errors.Join(w.Compact(t.Context()), w.Close())
	}
	if err != nil && !errors.Is(err, ErrNoIndex) {
		t.Fatal(err)
	}
	if m, err := store.ReadManifest(disk.OS, dir); err == nil && (len(m.Segments) > 1 || len(m.Segments) == 1 && m.Segments[0].Deleted != nil) {
		t.Fatalf("a compact index has %+v", m.Segments)
	}
}

// noneIsLeftLying checks that the directory has no file but those of the index.
func noneIsLeftLying(t testing.TB, dir string) {
	t.Helper()
	m, err := store.ReadManifest(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	names, err := disk.OS.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name != ManifestName && name != store.LockName && !m.Names(name) {
			t.Fatalf("%s is left lying", name)
		}
	}
}

// A step of a history whose faults are tried.
type changeStep struct{ puts, deletes []string }

// faultHistory replaces and deletes documents, empties a segment, and merges.
func faultHistory() (steps []changeStep, states []model) {
	now := model{}
	states = append(states, model{})
	text := func(i int) string { return historyTexts()[2*(i%10)+1] + fmt.Sprint(" ", i) }
	for _, s := range []changeStep{
		{puts: []string{"a", text(1), "b", text(2), "c", text(3)}},
		{puts: []string{"b", text(4), "d", text(5)}, deletes: []string{"c"}},
		{puts: []string{"d", text(6)}, deletes: []string{"b"}},
		{puts: []string{"e", text(7), "a", text(8)}},
		{puts: []string{"f", text(9), "g", text(10)}, deletes: []string{"nobody"}},
		{deletes: []string{"e", "f", "g"}},
	} {
		for _, id := range s.deletes {
			delete(now, id)
		}
		for at := 0; at < len(s.puts); at += 2 {
			now[s.puts[at]] = s.puts[at+1]
		}
		steps, states = append(steps, s), append(states, maps.Clone(now))
	}
	return steps, states
}

// stateOf returns which of the states the index in dir has.
func stateOf(t testing.TB, what, dir string, states []model, from int) int {
	t.Helper()
	ix, err := Open(dir)
	if errors.Is(err, ErrNoIndex) && from == 0 {
		return 0
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer ix.Close()
	if err := ix.VerifyChecksums(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	now := contents(t, ix)
	for i := from; i < len(states); i++ {
		if maps.Equal(now, states[i]) {
			return i
		}
	}
	t.Fatalf("%s: the index has %v, which it never had after the commit %d that was acknowledged", what, slices.Sorted(maps.Keys(now)), from)
	return 0
}

// checkCatalogued checks that the catalogue of the index in dir, if there is an index, has the documents of the index.
func checkCatalogued(t testing.TB, what, dir string) {
	t.Helper()
	ix, err := Open(dir)
	if errors.Is(err, ErrNoIndex) {
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer ix.Close()
	now := slices.Sorted(maps.Keys(contents(t, ix)))
	if names := catalogued(t, dir); !slices.Equal(names, now) {
		t.Fatalf("%s: the catalogue has %v, and the index %v", what, names, now)
	}
}

// runChanges makes the changes from the given step on. It tries again what fails without ErrUncertain.
func runChanges(fsys disk.FS, dir string, steps []changeStep, acknowledged func(steps int)) error {
	for i, s := range steps {
		err := commitChanges(fsys, dir, s.puts, s.deletes)
		if err != nil && !errors.Is(err, disk.ErrUncertain) {
			err = commitChanges(fsys, dir, s.puts, s.deletes)
		}
		if err != nil {
			return err
		}
		acknowledged(i + 1)
	}
	return nil
}

// Whichever operation fails while documents are replaced, deleted and merged, the index has what was acknowledged, and
// the same changes lead to the same end.
func TestEveryOperationOfChangesFails(t *testing.T) {
	t.Parallel()
	steps, states := faultHistory()
	for _, forGood := range []bool{false, true} {
		t.Run(fmt.Sprint("good=", forGood), func(t *testing.T) {
			t.Parallel()
			failed := 0
			stride := 4
			switch {
			case *torture:
				stride = 1
			case !testkit.IsLong():
				stride = 16
			}
			for at := 0; ; at += stride {
				n, hit := 0, ""
				fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
					n++
					if n-1 == at {
						hit = fmt.Sprintf("%s %s", op.Kind, filepath.Base(op.Path))
					}
					if n-1 == at || forGood && n-1 > at {
						return 10, syscall.EIO
					}
					return 0, nil
				}}
				dir := filepath.Join(t.TempDir(), "idx")
				acked := 0
				err := runChanges(fsys, dir, steps, func(n int) { acked = n })
				if hit == "" {
					break
				}
				what := fmt.Sprintf("operation %d, %s, fails: %v", at, hit, err)
				if err != nil {
					failed++
				}
				checkCatalogued(t, what, dir)
				if got := stateOf(t, what, dir, states, acked); got > acked+1 {
					t.Fatalf("%s: state %d, %d acknowledged", what, got, acked)
				}
				finishChanges(t, what, dir, steps[acked:], states)
			}
			if failed < 20/stride {
				t.Errorf("only %d operations could fail: the test tests little", failed)
			}
		})
	}
}

// finishChanges makes the changes that are left and checks the end.
func finishChanges(t testing.TB, what, dir string, steps []changeStep, states []model) {
	t.Helper()
	steps = append(slices.Clip(steps), changeStep{}) // the last writer puts things in order
	if err := runChanges(unfailing, dir, steps, func(int) {}); err != nil {
		t.Fatalf("%s: going on: %v", what, err)
	}
	if got := contents(t, mustOpen(t, dir)); !maps.Equal(got, states[len(states)-1]) {
		t.Fatalf("%s: going on leads to %v", what, got)
	}
	noneIsLeftLying(t, dir)
}

// Whenever the power is cut, what was acknowledged is there, what was deleted stays deleted, and nothing is there in
// part.
func TestPowerCutDuringChanges(t *testing.T) {
	t.Parallel()
	images := 2
	switch {
	case *torture:
		images = 100
	case !testkit.IsLong():
		images = 1
	}
	steps, states := faultHistory()
	root := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 7))
	shadow := disktest.NewShadow(root)
	total, acked, writes := 0, 0, 0
	fsys := &disktest.FS{Base: disk.OS, After: func(op disktest.Op) {
		shadow.Done(op)
		if !op.Writes() {
			return
		}
		if writes++; writes%testkit.Of(5, 1) > 0 {
			return
		}
		for i := range images {
			var by *rand.Rand
			if i > 0 {
				by = rng
			}
			total++
			image := t.TempDir()
			if err := shadow.Image(image, by); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("power cut after %s %s", op.Kind, filepath.Base(op.Path))
			dir := filepath.Join(image, "idx")
			checkCatalogued(t, what, dir)
			if got := stateOf(t, what, dir, states, acked); got > acked+1 {
				t.Fatalf("%s: state %d, %d acknowledged", what, got, acked)
			}
			finishChanges(t, what, dir, steps[acked:], states)
			if err := os.RemoveAll(image); err != nil {
				t.Fatal(err)
			}
		}
	}}
	if err := runChanges(fsys, filepath.Join(root, "idx"), steps, func(n int) { acked = n }); err != nil {
		t.Fatal(err)
	}
	if total < testkit.Of(20, 100)*images {
		t.Errorf("only %d images", total)
	}
}
