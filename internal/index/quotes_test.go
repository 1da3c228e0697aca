package index_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/match/sequences"
)

// words returns random words.
func words(rng *rand.Rand, n int) string {
	var all []string
	for range n {
		all = append(all, fmt.Sprintf("w%d", rng.IntN(9000)))
	}
	return strings.Join(all, " ")
}

func made(t *testing.T, o index.WriterOptions, texts ...string) *index.Snapshot {
	t.Helper()
	w, err := index.OpenWriter(filepath.Join(t.TempDir(), "idx"), analysis.Default(), o)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Ingest(t.Context(), func(yield func(*document.Document, error) bool) {
		for i, text := range texts {
			if !yield(&document.Document{ID: fmt.Appendf(nil, "%d", i), Text: []byte(text)}, nil) {
				return
			}
		}
	})
	if err == nil {
		_, err = w.Commit(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	ix, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close(); _ = w.Close() })
	return ix
}

// Shares, the order of matches, and what the base takes out, with the sections of passages and without.
func TestNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 33))
	licence, essay, other := words(rng, 100), words(rng, 120), words(rng, 80)
	query := licence + "\n" + essay
	for _, o := range []index.WriterOptions{{Passages: true}, {}} {
		ix := made(t, o, licence+" "+other, other, essay+" "+other, query)
		for _, c := range []struct {
			base []string
			want string
		}{
			{nil, "3 1.00 1.00 1; 2 0.55 0.60 1; 0 0.45 0.56 1"},
			{[]string{licence}, "2 1.00 0.60 1; 3 1.00 1.00 1"},
			{[]string{other, essay}, "0 1.00 1.00 1; 3 1.00 1.00 1"},
			{[]string{query}, ""},
		} {
			read := false
			s, err := index.NewQuoter(ix, index.QuoteOptions{Bounds: sequences.Usual, Base: c.base, Text: func(doc uint32) (string, error) { return ix.Text(doc, nil) },
				Reading: func() { read = true }})
			if err != nil {
				t.Fatal(err)
			}
			found, unread, err := s.Near(t.Context(), []byte(query), nil)
			if err != nil || unread > 0 || read == o.Passages {
				t.Fatal(unread, read, err)
			}
			var got []string
			for _, m := range found {
				got = append(got, fmt.Sprintf("%s %.2f %.2f %d", m.ID, m.QueryShare, m.DocumentShare, len(m.Passages)))
				for _, p := range m.Passages {
					if a, b := query[p.Query[0]:p.Query[1]], m.Text[p.Document[0]:p.Document[1]]; p.Edits > 0 || strings.Join(strings.Fields(a), " ") != strings.Join(strings.Fields(b), " ") {
						t.Errorf("%q and %q with %d edits", a, b, p.Edits)
					}
				}
			}
			if all := strings.Join(got, "; "); all != c.want {
				t.Errorf("with the base %.20q: %s, want %s", c.base, all, c.want)
			}
		}
	}
}

// All threads find what one finds, in the same order, and several queries may be asked at a time.
func TestThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 33))
	shared, licence := words(rng, 80), words(rng, 60)
	texts := make([]string, 3*256)
	for i := range texts {
		texts[i] = words(rng, 30)
		if i%5 > 0 {
			texts[i] += " " + strings.Join(strings.Fields(shared)[i%20:], " ")
		}
		if i%3 > 0 {
			texts[i] += " " + licence
		}
	}
	for _, o := range []index.WriterOptions{{Passages: true}, {}} {
		ix := made(t, o, texts...)
		ask := func(s *index.Quoter) string {
			found, _, err := s.Near(t.Context(), []byte(licence+" "+shared), func(doc uint32) bool { return doc%7 == 0 })
			return fmt.Sprint(found, err)
		}
		of := index.QuoteOptions{Bounds: sequences.Usual, Base: []string{licence}, Text: func(doc uint32) (string, error) { return ix.Text(doc, nil) }}
		one, err := index.NewQuoter(ix, of)
		if err != nil {
			t.Fatal(err)
		}
		want := ask(one)
		of.Threads = 4
		s, err := index.NewQuoter(ix, of)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if got := ask(s); got != want {
					t.Errorf("%.2000s, want %.2000s", got, want)
				}
			})
		}
		wait.Wait()
		if strings.Count(want, "{[") < 2*256 {
			t.Error(want)
		}
	}
}
