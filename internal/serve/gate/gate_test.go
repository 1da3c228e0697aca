package gate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
	"simsearch/internal/tests/testkit"
)

// newGate returns the gate of an index in memory, that takes a Snapshot after a few changes.
func newGate(t *testing.T, s analysis.Settings, most int, fields string) *Gate {
	t.Helper()
	live, err := index.NewMemory(s, index.WriterOptions{Threads: 2, FlushBytes: 1 << 16, Input: index.Input{KeepFields: fields}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(live, 0)
	if err != nil {
		t.Fatal(err)
	}
	g.most = most
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// analysed returns a candidate.
func analysed(t testing.TB, g *Gate, id, text string, near index.Predicate) Candidate {
	t.Helper()
	r, err := g.Live().Analysis().Analyse(&document.Document{ID: []byte(id), Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return Candidate{Result: r, Near: near}
}

// A model is what an index has: the analyses of its documents by their ids.
type model map[string]analysis.Result

// near returns the ids of the documents near r, sorted as answers are.
func (m model) near(t testing.TB, r *analysis.Result, p index.Predicate) (ids []string) {
	t.Helper()
	measures := map[string]index.Measures{}
	for id, other := range m {
		how := p.Kind.Compare(r, &other)
		if p.Reached(&how) && (!p.BySets() || len(r.Set) > 0) {
			if p.BySets() { // the order is that of similarities
				how.Distance = 0
			}
			measures[id] = how
		}
	}
	return slices.SortedFunc(maps.Keys(measures), func(a, b string) int {
		x, y := measures[a], measures[b]
		if c := x.Compare(&y); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
}

// nearTexts returns texts of which many are near others, and some are empty.
func nearTexts(n int) (texts []string) {
	r, g := rand.New(rand.NewPCG(5, 4)), testkit.NewWords(9)
	for i := range n {
		switch {
		case i%40 == 7:
			texts = append(texts, "...")
		case i == 0 || r.IntN(3) == 0:
			texts = append(texts, g.Text(5+r.IntN(200)))
		default:
			words := strings.Fields(texts[r.IntN(i)])
			for range r.IntN(1 + len(words)/5) {
				words[r.IntN(len(words))] = fmt.Sprint("w", r.IntN(1000))
			}
			texts = append(texts, strings.Join(words, " "))
		}
	}
	return texts
}

// Whatever is done, by whomever, decisions and answers are those of a model that compares all documents.
func TestHistories(t *testing.T) {
	if testkit.Race {
		t.Skip("it does one thing after the other")
	}
	t.Parallel()
	texts := nearTexts(300)
	predicates := []index.Predicate{index.Similar(0.8), index.Similar(0.5), index.Similar(0.95), index.Within(3), index.Within(9),
		index.Contained.Predicate(0.9, 0), index.WithinAndSimilar(12, 0.7)}
	for seed := range uint64(testkit.Of(6, 24)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			g := newGate(t, analysis.Default(), 3+r.IntN(30), "")
			m := model{}
			for range 400 {
				switch r.IntN(11) {
				case 10:
					compareFresh(t, g, m)
				case 0:
					deleteSome(t, g, m, r)
				case 1:
					addBeside(t, g, m, texts, r)
				case 2, 3:
					compareNear(t, g, m, texts[r.IntN(len(texts))], predicates[r.IntN(len(predicates))], r)
				default:
					checkSome(t, g, m, texts, predicates, r)
				}
			}
			compareFresh(t, g, m)
		})
	}
}

// compareFresh compares the number of documents of a Snapshot that is as new as can be.
func compareFresh(t *testing.T, g *Gate, m model) {
	v, err := g.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	if v.Len() != len(m) || g.Live().Len() != len(m) || v.Changes() != 0 {
		t.Errorf("%d documents and %d, %d changes, want %d", v.Len(), g.Live().Len(), v.Changes(), len(m))
	}
	if err := g.Release(v); err != nil {
		t.Error(err)
	}
}

func deleteSome(t *testing.T, g *Gate, m model, r *rand.Rand) {
	var ids []string
	for range 1 + r.IntN(4) {
		ids = append(ids, fmt.Sprint(r.IntN(60)))
	}
	were, err := g.Delete(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if _, ok := m[id]; ok != were[i] {
			t.Errorf("deleting %s: %v, want %v", id, were[i], ok)
		}
		delete(m, id)
	}
}

// addBeside adds documents by the Live.
func addBeside(t *testing.T, g *Gate, m model, texts []string, r *rand.Rand) {
	n := 1 + r.IntN(5)
	if r.IntN(20) == 0 {
		n = 200 // more than is written down
	}
	added := map[string]string{}
	for range n {
		added[fmt.Sprint(r.IntN(60+n))] = texts[r.IntN(len(texts))]
	}
	var all iter.Seq2[*document.Document, error] = func(yield func(*document.Document, error) bool) {
		for id, text := range added {
			if !yield(&document.Document{ID: []byte(id), Text: []byte(text)}, nil) {
				return
			}
		}
	}
	if _, err := g.Live().Add(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for id, text := range added {
		m[id] = analysed(t, g, id, text, index.Predicate{}).Result
	}
}

func compareNear(t *testing.T, g *Gate, m model, text string, p index.Predicate, r *rand.Rand) {
	v, err := g.View()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = g.Release(v) }()
	c := analysed(t, g, "", text, p)
	want := m.near(t, &c.Result, p)
	limit := r.IntN(4)
	a, err := v.Near(t.Context(), &c.Result, index.Options{Predicate: p, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := g.Live().Analysis().AnalyseAll([]document.Document{{Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	together, err := v.NearBatch(t.Context(), batch, index.Options{Predicate: p, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	shown := want
	if limit > 0 {
		shown = want[:min(limit, len(want))]
	}
	for _, a := range []Answer{a, together[0]} {
		var got []string
		for _, m := range a.Matches {
			got = append(got, m.ID)
		}
		if a.Total != len(want) || !slices.Equal(got, shown) {
			t.Errorf("%v, limit %d: %q of %d, want %q of %d", p, limit, got, a.Total, shown, len(want))
		}
	}
}

// checkSome checks some documents at once, and does by the model what the rules say.
func checkSome(t *testing.T, g *Gate, m model, texts []string, predicates []index.Predicate, r *rand.Rand) {
	var candidates []Candidate
	p := predicates[0]
	if r.IntN(3) == 0 {
		p = predicates[r.IntN(len(predicates))]
	}
	policy := Policy(r.IntN(4))
	if r.IntN(4) == 0 {
		p = index.Predicate{} // whatever is near
	}
	for range 1 + r.IntN(6) {
		c := analysed(t, g, fmt.Sprint(r.IntN(60)), texts[r.IntN(len(texts))], p)
		if c.IfNear = policy; r.IntN(5) == 0 {
			c.ID, c.OfContent = []byte(fmt.Sprintf("of %x", c.Text)), true
		}
		candidates = append(candidates, c)
	}
	decisions, _, err := g.Check(t.Context(), candidates, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range candidates {
		id := string(c.ID)
		was, there := m[id]
		want, match := Added, ""
		var near []string
		if c.Near.Kind != nil {
			near = m.near(t, &c.Result, c.Near)
		}
		if !c.OfContent && c.IfNear != Reject && c.IfNear != Tell {
			near = slices.DeleteFunc(near, func(other string) bool { return other == id })
		}
		differs := explain.FactKinds(0)
		if len(near) > 0 {
			match = near[0]
		}
		if c.IfNear == Tell {
			for at, other := range near[:min(len(near), compared)] {
				own, of := explain.Read(c.Text), explain.Read(m[other].Text)
				kinds := own.Differ(&of) & explain.Content
				if at == 0 || kinds == 0 {
					match, differs = other, kinds
				}
				if kinds == 0 {
					break
				}
			}
		}
		same := there && string(was.Text) == string(c.Text)
		others := slices.ContainsFunc(near, func(other string) bool { return other != id })
		switch {
		case len(near) > 0 && (c.IfNear == Reject || c.IfNear == Tell && differs == 0):
			want = Rejected
		case same && (c.IfNear != Take || !others):
			want = Unchanged
		case there:
			want = Replaced
		}
		if want == Added || want == Replaced {
			if c.IfNear == Take {
				for _, other := range near {
					delete(m, other)
				}
			}
			m[id] = c.Result
		}
		got := ""
		if decisions[i].Match != nil {
			got = decisions[i].Match.ID
		}
		if decisions[i].Outcome != want || got != match || decisions[i].Differs != differs {
			t.Fatalf("%s, policy %d, %v: %d near %q, want %d near %q", id, c.IfNear, c.Near, decisions[i].Outcome, got, want, match)
		}
	}
}

// Nothing is decided by a search after which more has changed than is written down.
func TestSearchThatIsTooOld(t *testing.T) {
	t.Parallel()
	const most = 3
	g := newGate(t, analysis.Default(), most, "")
	_, _, err := g.Check(t.Context(), []Candidate{analysed(t, g, "first", "a text that makes the next View another one", index.Predicate{})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	words := testkit.NewWords(11)
	var texts []string
	var documents iter.Seq2[*document.Document, error] = func(yield func(*document.Document, error) bool) {
		for i := range 2*lostMost*most + 2 {
			texts = append(texts, words.Text(30))
			if !yield(&document.Document{ID: fmt.Append(nil, i), Text: []byte(texts[i])}, nil) {
				return
			}
		}
	}
	if _, err := g.Live().Add(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	last := []Candidate{analysed(t, g, "new", texts[len(texts)-1], index.Similar(0.8))}
	if decisions, _, err := g.check(t.Context(), v, last, nil); !errors.Is(err, errOld) {
		t.Errorf("%+v, %v", decisions, err)
	}
	if decisions, _, err := g.Check(t.Context(), last, nil); err != nil || decisions[0].Outcome != Rejected {
		t.Errorf("%+v, %v", decisions, err)
	}
	if err := g.Release(v); err != nil {
		t.Error(err)
	}
}

// What a memory takes for candidates has all that is near, whatever the sizes of sets are.
func TestMemoryAgainstAll(t *testing.T) {
	t.Parallel()
	g := newGate(t, analysis.Default(), 10, "")
	r, words := rand.New(rand.NewPCG(3, 3)), testkit.NewWords(2)
	m := newMemory(index.Similar(0.8))
	texts := nearTexts(400)
	for n := 1; n < 3000; n = n*5/4 + 1 { // long ones, and copies of them
		text := words.Text(n)
		texts = append(texts, text, text+" and", text+" "+words.Text(1+n/6), text+" "+words.Text(1+n*2))
	}
	r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	v, err := g.View()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = g.Release(v) }()
	found := 0
	for i, text := range texts {
		c := analysed(t, g, fmt.Sprint(i), text, index.Predicate{})
		for _, p := range []index.Predicate{index.Similar(0.8), index.Similar(0.3), index.Similar(1), index.Within(3), index.Within(0)} {
			want := map[int]bool{}
			for j := range m.all {
				if how := p.Kind.Compare(&c.Result, &m.all[j]); p.Reached(&how) && (!p.BySets() || len(c.Set) > 0) {
					want[j] = true
				}
			}
			got := map[int]bool{}
			err := m.near(v.Snapshot, &c.Result, index.Options{Predicate: p}, func(j int, _ index.Measures) {
				if got[j] {
					t.Errorf("%d comes twice", j)
				}
				got[j] = true
			})
			if err != nil || !maps.Equal(got, want) {
				t.Fatalf("%v: %v, want %v: %v", p, got, want, err)
			}
			found += len(got)
		}
		m.add(c.Result)
	}
	if found < len(texts) {
		t.Errorf("only %d are near", found)
	}
}

// While many goroutines check near documents, delete and search, exactly one of each group is there, and no search
// fails.
func TestConcurrently(t *testing.T) {
	t.Parallel()
	g := newGate(t, analysis.Default(), 50, "")
	const groups, clients = 60, 16
	words := testkit.NewWords(4)
	texts := make([]string, groups)
	for i := range texts {
		texts[i] = words.Text(30)
	}
	p := index.Similar(0.8)
	var mu sync.Mutex
	there := map[int]int{}
	var wg, searches sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		searches.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				v, err := g.View()
				if err == nil {
					r := analysed(t, g, "", texts[3], p).Result
					_, err = v.Near(context.Background(), &r, index.Options{Predicate: p, Limit: 3})
					if fresh, err := g.Fresh(); err != nil {
						t.Error(err)
					} else if err := g.Release(fresh); err != nil {
						t.Error(err)
					}
					_ = g.Release(v)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for client := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(client), 2))
			for n := range testkit.Of(150, 600) {
				group := r.IntN(groups)
				id := fmt.Sprintf("%d-%d-%d", group, client, n)
				d, _, err := g.Check(context.Background(), []Candidate{analysed(t, g, id, texts[group]+fmt.Sprint(" x", client), p)}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if d[0].Outcome != Added {
					continue
				}
				mu.Lock()
				if there[group]++; there[group] > 1 {
					t.Errorf("%d of group %d are new", there[group], group)
				}
				mu.Unlock()
				if r.IntN(2) == 0 {
					mu.Lock()
					there[group]--
					mu.Unlock()
					if were, err := g.Delete(context.Background(), []string{id}); err != nil || !were[0] {
						t.Errorf("%v, %v", were, err)
					}
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	searches.Wait()
	all := 0
	for _, n := range there {
		all += n
	}
	if g.Live().Len() != all {
		t.Errorf("%d documents, want %d", g.Live().Len(), all)
	}
}

// decided checks one candidate, and returns what became of it, and the id of what is near.
func decided(t *testing.T, g *Gate, c Candidate) (o Outcome, near string) {
	t.Helper()
	decisions, _, err := g.Check(t.Context(), []Candidate{c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := decisions[0].Match; m != nil {
		near = m.ID
	}
	return decisions[0].Outcome, near
}

// fresh makes the Snapshot have all that has been added.
func fresh(t *testing.T, g *Gate) {
	t.Helper()
	v, err := g.Fresh()
	if err == nil {
		err = g.Release(v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// If the nearest documents have been deleted, a document is rejected that is near others.
func TestNearestAreGone(t *testing.T) {
	t.Parallel()
	g := newGate(t, analysis.Default(), 1000, "")
	words := strings.Fields(testkit.NewWords(4).Text(60))
	var ids []string
	for i := range atFirst + 2 {
		ids = append(ids, fmt.Sprint("d", i))
		decided(t, g, analysed(t, g, ids[i], strings.Join(words[i:], " "), index.Predicate{}))
	}
	fresh(t, g)
	if _, err := g.Delete(t.Context(), ids[:atFirst]); err != nil {
		t.Fatal(err)
	}
	like := analysed(t, g, "new", strings.Join(words, " "), index.Similar(0.7))
	if o, near := decided(t, g, like); o != Rejected || near != ids[atFirst] {
		t.Errorf("outcome %d, near %q", o, near)
	}
	if _, err := g.Delete(t.Context(), ids[atFirst:]); err != nil {
		t.Fatal(err)
	}
	if o, near := decided(t, g, like); o != Added || near != "" {
		t.Errorf("when all are gone: outcome %d, near %q", o, near)
	}
}

// A document is unchanged if its text and its fields are, wherever it is by now.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	g := newGate(t, analysis.Default(), 1000, "lang")
	for _, c := range []struct {
		text, lang string
		want       Outcome
	}{
		{"a text of some words", "en", Added}, {"a text of some words", "en", Unchanged}, {"a text of some words", "fr", Replaced},
		{"a text of some words", "", Replaced}, {"a text of some words", "", Unchanged}, {"a text of other words", "", Replaced},
	} {
		d := analysed(t, g, "id", c.text, index.Predicate{})
		fields := map[string]string{}
		if c.lang != "" {
			fields["lang"] = c.lang
		}
		d.Fields = AppendFields(nil, []string{"lang"}, fields)
		if o, _ := decided(t, g, d); o != c.want {
			t.Errorf("%+v: outcome %d", c, o)
		}
		fresh(t, g)
		if o, _ := decided(t, g, d); o != Unchanged {
			t.Errorf("%+v again: outcome %d", c, o)
		}
	}
}

// Nothing is decided by a View that has lost what has come since.
func TestLostChanges(t *testing.T) {
	t.Parallel()
	g := newGate(t, analysis.Default(), 1, "")
	decided(t, g, analysed(t, g, "first", "a text", index.Predicate{}))
	fresh(t, g) // the first View has room for more
	v, err := g.View()
	if err != nil {
		t.Fatal(err)
	}
	texts := testkit.NewWords(6)
	var many []Candidate
	for i := range lostMost + 1 {
		many = append(many, analysed(t, g, fmt.Sprint(i), texts.Text(40), index.Predicate{}))
	}
	if _, _, err := g.Check(t.Context(), many, nil); err != nil {
		t.Fatal(err)
	}
	again := many[2]
	again.ID, again.Near = []byte("again"), index.Similar(0.8)
	if decisions, _, err := g.check(t.Context(), v, []Candidate{again}, nil); !errors.Is(err, errOld) {
		t.Errorf("%+v, %v", decisions, err)
	}
	if err := g.Release(v); err != nil {
		t.Fatal(err)
	}
	if o, near := decided(t, g, again); o != Rejected || near != "2" {
		t.Errorf("outcome %d, near %q", o, near)
	}
}

// A document is added if all near ones have other facts, and is not if a near one has the same, behind a nearer one
// with others.
func TestTell(t *testing.T) {
	t.Parallel()
	g := newGate(t, analysis.Default(), 100, "")
	const form = "the ferry to the islands of the north leaves the old harbour of our town each Saturday in summer for the small port of the south and back at "
	for _, test := range []struct {
		id, text string
		want     Outcome
		match    string
		differs  explain.FactKinds
	}{
		{"nine", form + "9", Added, "", 0},
		{"ten", form + "10, please note", Added, "nine", explain.Numbers},
		{"again", form + "10", Rejected, "ten", 0},
		{"not", "not " + form + "9", Added, "nine", explain.Negations},
		{"nine", form + "8", Replaced, "nine", explain.Numbers},
	} {
		c := analysed(t, g, test.id, test.text, index.Similar(0.8))
		c.IfNear = Tell
		all, _, err := g.Check(t.Context(), []Candidate{c}, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, match := all[0], ""
		if d.Match != nil {
			match = d.Match.ID
		}
		if d.Outcome != test.want || match != test.match || d.Differs != test.differs {
			t.Errorf("%s: %d near %q, differs in %q, want %+v", test.id, d.Outcome, match, d.Differs, test)
		}
	}
}

// A short text is known by its facts, although hardly half of its words are those of the other one.
func TestTellFewWords(t *testing.T) {
	t.Parallel()
	g := newGate(t, analysis.Default(), 100, "")
	for _, test := range []struct {
		text    string
		want    Outcome
		verdict explain.Verdict
	}{
		{"User prefers Python 3.12", Added, ""},
		{"The user likes Python 3.11", Added, ""},
		{"user prefers python3.12!", Rejected, explain.Same},
		{"He bought a boat", Added, ""},
		{"he purchased a boat", Rejected, explain.Copy},
		{"The user prefers Ruby 3.12", Added, ""},
	} {
		c := analysed(t, g, test.text, test.text, index.Copy.Predicate(index.DefaultCopy, 0))
		c.IfNear = Tell
		all, _, err := g.Check(t.Context(), []Candidate{c}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if all[0].Outcome != test.want || all[0].Verdict != test.verdict {
			t.Errorf("%s: %d, %q near %v", test.text, all[0].Outcome, all[0].Verdict, all[0].Match)
		}
	}
}
