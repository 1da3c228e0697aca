package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/tests/testkit"
	"simsearch/preprocess"
	"simsearch/tables"
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

// The queries of the relational form must find the candidates that the engine looks at.
func TestRelationalCandidates(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(*testing.T, string, []string) [][]string{"SQLite": sqlite, "PostgreSQL": postgres} {
		t.Run(name, func(t *testing.T) {
			texts := someTexts(300)
			ix := indexOfTexts(t, texts)
			r := NewRelational(ix, 3)
			var statements bytes.Buffer
			if err := r.Write(t.Context(), &statements); err != nil {
				t.Fatal(err)
			}
			var queries []string
			var want [][]string
			for _, text := range texts[:40] {
				var s analysis.Scratch
				set := ix.Analysis().Set(&s, []byte(text))
				if len(set) == 0 {
					continue
				}
				queries = append(queries, setQuery(r, set))
				p := index.Similar(index.DefaultThreshold)
				p.Verify = index.Unverified
				a, err := ix.Near(t.Context(), index.Set(set), index.Options{Predicate: p})
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, documentsOf(a.Matches))
				fp, _, err := ix.Analysis().Fingerprint(&s, []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				queries = append(queries, fingerprintQuery(r, fp))
				want = append(want, agreeOnAHeader(ix, r.tables, fp))
			}
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

// fingerprintQuery returns the SQL query for the candidates of a fingerprint.
func fingerprintQuery(r *Relational, fp uint64) string {
	query := candidates("headers", "tbl", "header", len(r.tables))
	for _, p := range r.tables {
		query = strings.Replace(query, "?", fmt.Sprint(header(p, fp)), 1)
	}
	return query
}

// setQuery returns the SQL query for the candidates of a set.
func setQuery(r *Relational, set []uint64) string {
	var scratch analysis.Scratch
	signature := r.c.Analysis().AppendSignature(nil, &scratch, set)
	query := candidates("bands", "band", "key", r.bands.Bands)
	for i := range r.bands.Bands {
		query = strings.Replace(query, "?", fmt.Sprint(int64(r.bands.Key(signature, i))), 1)
	}
	return query
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

// agreeOnAHeader returns the documents whose fingerprints have all bits of some mask in common with
// fp. It includes every document within distance 3.
func agreeOnAHeader(ix *index.Snapshot, perms []tables.Permutation, fp uint64) []string {
	out := []string{}
	for doc := range uint32(ix.Len()) {
		other, ok, _ := ix.Fingerprint(doc)
		agrees := slices.ContainsFunc(perms, func(p tables.Permutation) bool { return (fp^other)&p.Header() == 0 })
		if ok && agrees {
			out = append(out, fmt.Sprint(doc))
		} else if ok && hamming.Distance(fp, other) <= 3 {
			out = append(out, fmt.Sprintf("document %d is missed", doc))
		}
	}
	return out
}

func TestHeaderOfATable(t *testing.T) {
	t.Parallel()
	if got := header(tables.NewPermutation(64, 0xff0000000000f0f0), 0xfedcba9876543210); got != 0xfe31 {
		t.Errorf("%x", got)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		x, mask := r.Uint64(), r.Uint64()
		var want string
		for bit := 63; bit >= 0; bit-- {
			if mask>>bit&1 == 1 {
				want += fmt.Sprint(x >> bit & 1)
			}
		}
		got := uint64(header(tables.NewPermutation(64, mask), x))
		if n, _ := strconv.ParseUint(want, 2, 64); got != n {
			t.Errorf("%x of %x: %x, want %x", mask, x, got, n)
		}
	}
}
