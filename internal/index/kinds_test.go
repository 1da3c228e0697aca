package index

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
	"simsearch/internal/tests/testkit"
)

// A scan is the reference of every kind of nearness: it compares each document with each.
type scan struct {
	p     Predicate
	a     *analysis.Analysis
	texts map[uint32]*analysis.Result // of the documents that are in the index
	all   map[[2]uint32]Measures      // of two documents, the first one first
}

func newScan(t *testing.T, ix *Snapshot, p Predicate) *scan {
	t.Helper()
	s := &scan{p, ix.Analysis(), map[uint32]*analysis.Result{}, map[[2]uint32]Measures{}}
	for doc := range uint32(ix.Len()) {
		text, err := ix.Text(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.texts[doc] = s.analysed(t, []byte(text))
	}
	for a, x := range s.texts {
		for b, y := range s.texts {
			if a > b {
				continue
			}
			if m := s.measure(t, x, y); s.near(x, y, &m) {
				s.all[[2]uint32{a, b}] = m
			}
		}
	}
	return s
}

func (s *scan) analysed(t *testing.T, text []byte) *analysis.Result {
	t.Helper()
	r, err := analysed(s.a, text)
	if err != nil {
		t.Fatal(err)
	}
	return &r
}

func (s *scan) measure(t *testing.T, x, y *analysis.Result) Measures {
	t.Helper()
	m := s.p.Kind.Compare(x, y)
	m.Distance = distanceOf(x, y)
	return m
}

// near reports whether two documents with measures m are near. Those without features are near nothing.
func (s *scan) near(x, y *analysis.Result, m *Measures) bool {
	has := func(r *analysis.Result) bool {
		return (!s.p.Kind.Fingerprints || r.HasFingerprint) && (!s.p.Kind.Sets || len(r.Set) > 0)
	}
	return has(x) && has(y) && s.p.Reached(m)
}

// matches returns the matches of a query among the documents that pass: those that are near or, if that is not 0, the
// nearest.
func (s *scan) matches(t *testing.T, ix *Snapshot, text string, nearest int, passes func(doc uint32) bool) (out []Match) {
	t.Helper()
	q := s.analysed(t, []byte(text))
	for doc, r := range s.texts {
		m := s.measure(t, q, r)
		near := s.near(q, r, &m)
		if nearest > 0 {
			near = s.p.Kind.Bare && m.Distance != NoDistance || m.Value > 0
		}
		id, err := ix.ID(doc)
		if err != nil {
			t.Fatal(err)
		}
		if near && passes(doc) {
			out = append(out, Match{Document: doc, ID: id, Measures: m})
		}
	}
	slices.SortFunc(out, s.order)
	if nearest > 0 {
		out = out[:min(nearest, len(out))]
	}
	return out
}

// order is that of the matches of a query. Distances do not count where fingerprints find nothing.
func (s *scan) order(x, y Match) int {
	if s.p.Kind.Sets {
		x.Distance, y.Distance = 0, 0
	}
	return segment.MatchOrder(x, y)
}

// told returns matches as they are compared. Sums of squares are not the same in each order.
func told(matches []Match) (out []string) {
	for _, m := range matches {
		out = append(out, fmt.Sprintf("%d %s %d %.9f", m.Document, m.ID, m.Distance, m.Value))
	}
	return out
}

// predicates returns predicates of a kind that miss nothing.
func predicates(k *Kind) (out []Predicate) {
	for _, x := range []struct {
		threshold float64
		distance  int
	}{{0.3, 24}, {0.7, 6}} {
		p := k.Predicate(x.threshold, x.distance)
		if p.Recall > 0 {
			p.Recall = 1
		}
		out = append(out, p)
	}
	return out
}

// ofKinds makes an index of several segments, with deleted documents and kept fields.
func ofKinds(t *testing.T) (*Snapshot, string, []string) {
	t.Helper()
	texts, dir := nearTexts(testkit.Of(120, 300)), t.TempDir()
	half := len(texts) / 2
	addWith(t, dir, analysis.Default(), WriterOptions{Threads: 2, Input: Input{KeepFields: "three,five"}}, withFields(texts[:half], 0))
	addWith(t, dir, analysis.Default(), WriterOptions{Threads: 1}, withFields(texts[half:], half))
	w, err := OpenWriter(dir, analysis.Default(), WriterOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for doc := 0; doc < len(texts); doc += 9 {
		err = errors.Join(err, w.Delete(fmt.Appendf(nil, "%04d", doc)))
	}
	_, commit := w.Commit(t.Context())
	if err := errors.Join(err, commit, w.Close()); err != nil {
		t.Fatal(err)
	}
	return mustOpen(t, dir), dir, texts
}

// By each kind of nearness, queries, pairs and groups find what comparing each document with each finds, in several
// segments with deleted documents, and with conditions. What cannot be asked is refused.
func TestKindsAgainstTheScan(t *testing.T) {
	t.Parallel()
	ix, _, texts := ofKinds(t)
	where := []Where{{"three", func(v []byte) bool { return string(v) == "1" }}}
	third, err := ix.only(where)
	if err != nil {
		t.Fatal(err)
	}
	all := func(uint32) bool { return true }
	for _, k := range Kinds() {
		for _, p := range predicates(k) {
			s, found := newScan(t, ix, p), 0
			check := func(what string, got, want []Match) {
				t.Helper()
				if found += len(want); !slices.Equal(told(got), told(want)) {
					t.Errorf("%v, %s:\n%q, want\n%q", p, what, told(got), told(want))
				}
			}
			near := func(text string, o Options) []Match {
				o.Predicate, o.Threads = p, 1
				a, err := ix.Near(t.Context(), Text([]byte(text)), o)
				if err != nil {
					t.Fatalf("%v: %v", p, err)
				}
				return a.Matches
			}
			for _, text := range append(texts[:12:12], "no word of these is there", "...") {
				want := s.matches(t, ix, text, 0, all)
				check("all", near(text, Options{}), want)
				check("limit", near(text, Options{Limit: 2}), want[:min(2, len(want))])
				check("where", near(text, Options{Where: where}), s.matches(t, ix, text, 0, func(doc uint32) bool { return third[doc] }))
				if k.NoNearest == "" {
					check("nearest", near(text, Options{Nearest: 5}), s.matches(t, ix, text, 5, all))
				}
			}
			i := 0
			err := ix.NearAll(t.Context(), numbered(texts[:40], 0), Options{Predicate: p, Threads: 2}, func(a Answer) error {
				check("batch", a.Matches, s.matches(t, ix, texts[i], 0, all))
				i++
				return nil
			})
			if err != nil || i != 40 {
				t.Errorf("%v: %d answers, %v", p, i, err)
			}
			_, err = ix.Near(t.Context(), Text([]byte(texts[0])), Options{Predicate: p, Nearest: 1})
			if refused := errors.Is(err, ErrNoSearch); refused != (k.NoNearest != "") || err != nil && !refused {
				t.Errorf("%v: the nearest: %v", p, err)
			}
			if how, _, err := ix.Explain(p); err != nil || len(how) < 2 {
				t.Errorf("%v: explained: %q, %v", p, how, err)
			}
			s.pairs(t, ix, PairOptions{Threads: 2}, all)
			s.pairs(t, ix, PairOptions{Threads: 1, Where: where}, func(doc uint32) bool { return third[doc] })
			s.groups(t, ix)
			if found < 80 || len(s.all) < 120 {
				t.Errorf("%v: %d matches and %d pairs are too few for the test", p, found, len(s.all))
			}
		}
	}
}

// pairs compares the pairs of an index with all that are near and pass.
func (s *scan) pairs(t *testing.T, ix *Snapshot, o PairOptions, passes func(doc uint32) bool) {
	t.Helper()
	var want []Match
	for pair, m := range s.all {
		if pair[0] != pair[1] && passes(pair[0]) && passes(pair[1]) {
			want = append(want, Match{Document: pair[0], ID: fmt.Append(nil, pair[1]), Measures: m})
		}
	}
	byDocuments := func(x, y Match) int {
		return cmp.Or(cmp.Compare(x.Document, y.Document), cmp.Compare(len(x.ID), len(y.ID)), slices.Compare(x.ID, y.ID))
	}
	slices.SortFunc(want, byDocuments)
	var got []Match
	for _, p := range similarPairs(t, ix, s.p, o) {
		got = append(got, Match{Document: p.A, ID: fmt.Append(nil, p.B), Measures: p.Measures})
	}
	if !slices.Equal(told(got), told(want)) {
		t.Errorf("%v: %d pairs, want %d", s.p, len(got), len(want))
	}
	o.Groups = true // pairs with equal documents only
	for _, p := range similarPairs(t, ix, s.p, o) {
		if _, ok := s.all[[2]uint32{p.A, p.B}]; !ok {
			t.Errorf("%v: %d and %d are not near", s.p, p.A, p.B)
		}
	}
}

// groups compares the groups of an index with what is near: all of a group are near its representative, and no two
// representatives are near each other. The measures are those of the two documents that are the least near.
func (s *scan) groups(t *testing.T, ix *Snapshot) {
	t.Helper()
	near := func(a, b uint32) bool { _, ok := s.all[[2]uint32{min(a, b), max(a, b)}]; return ok }
	represented, representatives := map[uint32]bool{}, []uint32{}
	for _, g := range allGroups(t, ix, s.p, PairOptions{Threads: 2}) {
		representatives = append(representatives, g.Representative)
		least := s.measure(t, s.texts[g.Documents[0]], s.texts[g.Documents[0]])
		for _, a := range g.Documents {
			if represented[a] = true; !near(a, g.Representative) {
				t.Errorf("%v: %d is not near its representative %d", s.p, a, g.Representative)
			}
			for _, b := range g.Documents {
				m := s.measure(t, s.texts[a], s.texts[b])
				least.Farthest(&m)
			}
		}
		far := g.Distance != least.Distance && (s.p.Kind.Within || !s.p.Kind.Sets) // sets alone have no distance in groups
		if far || math.Abs(g.Value-least.Value) > 1e-9 || g.Apart == s.p.Reached(&least) {
			t.Errorf("%v: group %v has %+v, apart %v; want %+v", s.p, g.Documents, g.Measures, g.Apart, least)
		}
	}
	if len(representatives) == 0 {
		t.Errorf("%v: no groups", s.p)
	}
	for pair := range s.all {
		if pair[0] != pair[1] && !represented[pair[0]] && !represented[pair[1]] {
			t.Errorf("%v: neither %d nor %d is in a group, and they are near", s.p, pair[0], pair[1])
		}
	}
	for i, a := range representatives {
		for _, b := range representatives[:i] {
			if near(a, b) {
				t.Errorf("%v: representatives %d and %d are near", s.p, a, b)
			}
		}
	}
	connected := 0
	for _, g := range allGroups(t, ix, s.p, PairOptions{Threads: 2, Chain: true}) {
		connected += len(g.Documents) - 1
	}
	of := make([]uint32, ix.Len())
	for i := range of {
		of[i] = uint32(i)
	}
	for changed := true; changed; {
		changed = false
		for pair := range s.all {
			if a, b := of[pair[0]], of[pair[1]]; a != b {
				of[pair[0]], of[pair[1]], changed = min(a, b), min(a, b), true
			}
		}
	}
	want := 0
	for _, g := range join.Groups(of) {
		want += len(g.Documents) - 1
	}
	if connected != want {
		t.Errorf("%v: chains leave %d documents out, want %d", s.p, connected, want)
	}
}

// A damaged index answers by each kind as before, or says that it is damaged.
func TestKindsNoticeDamage(t *testing.T) {
	t.Parallel()
	ix, dir, texts := ofKinds(t)
	answers := func(ix *Snapshot, k *Kind) (string, error) {
		p := predicates(k)[0]
		m, err := matches(ix, Text([]byte(texts[3])), p)
		if err != nil {
			return "", err
		}
		pairs := 0
		err = ix.Pairs(t.Context(), p, PairOptions{Threads: 1}, func(Pair) error { pairs++; return nil })
		return fmt.Sprint(told(m), pairs), err
	}
	want := map[*Kind]string{}
	for _, k := range Kinds() {
		var err error
		if want[k], err = answers(ix, k); err != nil {
			t.Fatal(err)
		}
	}
	segments, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	if err != nil || len(segments) == 0 {
		t.Fatal(segments, err)
	}
	rng, noticed := rand.New(rand.NewPCG(31, 1)), map[*Kind]int{}
	for range testkit.Of(20, 200) {
		path := segments[rng.IntN(len(segments))]
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		broken := slices.Clone(data)
		for at := rng.IntN(len(data)); at < len(data); at += 512 {
			broken[at] ^= 1 << rng.IntN(8)
		}
		if err := os.WriteFile(path, broken, 0o666); err != nil {
			t.Fatal(err)
		}
		damaged, err := openUnverified(dir)
		for _, k := range Kinds() {
			got, answered := "", err
			if err == nil {
				got, answered = answers(damaged, k)
			}
			if answered == nil && got != want[k] || answered != nil && !errors.Is(answered, ErrCorrupt) {
				t.Errorf("%s: %s, %v; want %s", k.Name, got, answered, want[k])
			}
			if answered != nil {
				noticed[k]++
			}
		}
		if err == nil {
			err = damaged.Close()
		} else {
			err = nil
		}
		if err := errors.Join(err, os.WriteFile(path, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range Kinds() {
		if noticed[k] == 0 {
			t.Errorf("by %s, no damage is noticed", k.Name)
		}
	}
}

// A descriptor says of its kind what commands tell.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	flags := map[string]bool{}
	for _, k := range Kinds() {
		named := k.Name != "" && k.Short != "" && k.Key != "" && (k.Usage == "" || !flags[k.Key])
		reasons := (k.Banded || k.Exactly != "") && (k.Usage == "" || k == Jaccard || k.NoDistance != "")
		if !named || !reasons || k.Compare == nil || k.open == nil || !k.Sets && !k.Fingerprints || k.Bare && !k.Within {
			t.Errorf("%s: %+v", k.Name, k)
		}
		flags[k.Key] = flags[k.Key] || k.Usage != ""
		for _, p := range []Predicate{k.Predicate(-1, 3), k.Predicate(math.NaN(), 3)} {
			if !k.Bare && !errors.Is(p.Check(analysis.Default()), ErrNoSearch) {
				t.Errorf("%v is taken", p)
			}
		}
	}
}
