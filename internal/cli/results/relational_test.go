package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/tests/testkit"
	"simsearch/preprocess"
)

// sqlite runs statements in a new database of SQLite. It returns the first column of the rows of
// each query.
func sqlite(t *testing.T, statements string, queries []string) [][]string {
	t.Helper()
	if err := exec.Command("python3", "-c", "import sqlite3").Run(); err != nil {
		testkit.Skip(t, "python", "python3 with its sqlite3 module is not there")
	}
	const program = `
import json, sqlite3, sys
job = json.load(sys.stdin)
db = sqlite3.connect(":memory:")
db.isolation_level = None
db.executescript(job["statements"])
print(json.dumps([[str(row[0]) for row in db.execute(q)] for q in job["queries"]]))
`
	cmd := exec.Command("python3", "-c", program)
	job, err := json.Marshal(map[string]any{"statements": statements, "queries": queries})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = bytes.NewReader(job)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// someTexts returns n texts. Many of them are copies of others with one word replaced, and some
// have no words.
func someTexts(n int) []string {
	r := rand.New(rand.NewPCG(11, 4))
	g := testkit.NewWords(9)
	var texts []string
	for i := range n {
		switch {
		case i%10 == 7:
			texts = append(texts, "...")
		case i > 10 && i%2 == 0:
			words := strings.Fields(texts[r.IntN(i)])
			words[r.IntN(len(words))] = "other"
			texts = append(texts, strings.Join(words, " "))
		default:
			texts = append(texts, g.Text(30))
		}
	}
	return texts
}

// indexOfTexts returns an index of texts and of two more documents with ids that are hard to write. Two
// thirds of the texts are in a segment of their own.
func indexOfTexts(t *testing.T, texts []string) *index.Snapshot {
	t.Helper()
	s := analysis.Classic()
	s.Positions = analysis.DefaultPositions
	s.Mode, s.Features, s.Language = analysis.Both, preprocess.FeatureSpec{Kind: preprocess.WordN, N: 2}, "none"
	dir := t.TempDir()
	w, err := index.OpenWriter(dir, s, index.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(ids, texts []string) {
		err := w.Ingest(t.Context(), func(yield func(*document.Document, error) bool) {
			for i, text := range texts {
				if !yield(&document.Document{ID: []byte(ids[i]), Text: []byte(text)}, nil) {
					return
				}
			}
		})
		if _, commitErr := w.Commit(t.Context()); err != nil || commitErr != nil {
			t.Fatal(err, commitErr)
		}
	}
	var ids []string
	for i := range texts {
		ids = append(ids, fmt.Sprintf("%04d", i))
	}
	add(ids[:len(ids)*2/3], texts[:len(ids)*2/3])
	add(ids[len(ids)*2/3:], texts[len(ids)*2/3:])
	add([]string{"it's", "broken \xff"}, []string{texts[5], texts[6]})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
	})
	return ix
}

// A database must find the candidates that the engine looks at, and have the pairs that it finds.
func TestRelationalCandidates(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(*testing.T, string, []string) [][]string{"SQLite": sqlite, "PostgreSQL": postgres} {
		t.Run(name, func(t *testing.T) {
			texts := someTexts(300)
			ix := indexOfTexts(t, texts)
			var statements bytes.Buffer
			if err := PrintSQL(t.Context(), ix, index.PairOptions{}, &statements); err != nil {
				t.Fatal(err)
			}
			bands := *ix.Info().Segments[0].Bands
			var queries []string
			var want [][]string
			for _, text := range texts[:40] {
				var s analysis.Scratch
				set := ix.Analysis().Set(&s, []byte(text))
				if len(set) == 0 {
					continue
				}
				query, signature := candidates(bands), ix.Analysis().AppendSignature(nil, &s, set)
				for i := range bands.Bands {
					query = strings.Replace(query, "?", fmt.Sprint(int64(bands.Key(signature, i))), 1)
				}
				p := index.Similar(index.DefaultThreshold)
				p.Verify = index.Unverified
				a, err := ix.Near(t.Context(), index.Analysed(analysis.Result{Set: set}), index.Options{Predicate: p})
				if err != nil {
					t.Fatal(err)
				}
				queries, want = append(queries, query), append(want, documentsOf(a.Matches))
			}
			var pairs []string
			err := ix.Pairs(t.Context(), index.Similar(index.DefaultThreshold), index.PairOptions{}, func(p index.Pair) error {
				pairs = append(pairs, fmt.Sprintf("%d %d %.6f", p.A, p.B, p.Value))
				return nil
			})
			if err != nil || len(pairs) < 50 {
				t.Fatalf("%d pairs, %v", len(pairs), err)
			}
			queries = append(queries, "SELECT a || ' ' || b || ' ' || substr(cast(jaccard + 0.0000005 AS TEXT), 1, 8) FROM pairs ORDER BY a, b")
			want = append(want, pairs)
			queries = append(queries, "SELECT id FROM documents WHERE document >= 300 ORDER BY document")
			want = append(want, []string{"it's", "broken \uFFFDFF"})
			got := database(t, statements.String(), queries)
			for i := range queries {
				if !slices.Equal(got[i], want[i]) {
					t.Errorf("%s\nfinds %v, want %v", queries[i], got[i], want[i])
				}
			}
		})
	}
}

func documentsOf(ms []index.Match) []string {
	var docs []int
	for _, m := range ms {
		docs = append(docs, int(m.Document))
	}
	slices.Sort(docs)
	out := []string{}
	for _, doc := range docs {
		out = append(out, fmt.Sprint(doc))
	}
	return out
}
