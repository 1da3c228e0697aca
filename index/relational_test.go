package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"simsearch/analysis"
	"simsearch/hamming"
	"simsearch/internal/shareddata"
	"simsearch/tables"
)

// sqlite runs statements in a new database of SQLite and returns the first column of the rows of
// a query of each set of lines.
func sqlite(t *testing.T, statements string, queries []string) [][]string {
	t.Helper()
	if err := exec.Command("python3", "-c", "import sqlite3").Run(); err != nil {
		shareddata.Skip(t, "python", "python3 with its sqlite3 module is not there")
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

// What a database finds by the queries of the relational form must be the candidates that the
// engine looks at.
func TestRelationalCandidates(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(*testing.T, string, []string) [][]string{"SQLite": sqlite, "PostgreSQL": postgres} {
		t.Run(name, func(t *testing.T) {
			texts := nearTexts(300)
			dir := t.TempDir()
			addWith(t, dir, minHash(analysis.Both), WriterOptions{}, numbered(texts[:200], 0))
			addWith(t, dir, minHash(analysis.Both), WriterOptions{}, numbered(texts[200:], 200))
			addWith(t, dir, minHash(analysis.Both), WriterOptions{}, docs("it's", texts[5], "broken \xff", texts[6]))
			ix := mustOpen(t, dir)
			r := ix.Relational(3)
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
				queries = append(queries, r.SetQuery(set))
				c := Similar(DefaultThreshold)
				c.Verify = Unverified
				ms, err := ix.Similar(nil, set, c)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, documentsOf(ms))
				fp, _, err := ix.Analysis().Fingerprint(&s, []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				queries = append(queries, r.FingerprintQuery(fp))
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

func documentsOf(ms []Match) []string {
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

// agreeOnAHeader returns the documents whose fingerprint has all bits of some mask in common with fp,
// and every one within distance 3 must be one of them.
func agreeOnAHeader(ix *Snapshot, perms []tables.Permutation, fp uint64) []string {
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
