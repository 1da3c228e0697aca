package index

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/sequences"
)

// quoting returns ids and texts of 60 words, most of which have half of some of the sources, with some words changed.
func quoting(rng *rand.Rand, from, to int, sources [][]string) (idsAndTexts []string) {
	for i := from; i < to; i++ {
		var words []string
		for range 60 {
			words = append(words, fmt.Sprintf("w%d", rng.IntN(5000)))
		}
		if s := sources[rng.IntN(len(sources))]; rng.IntN(4) > 0 {
			at := rng.IntN(len(s) / 2)
			part := slices.Clone(s[at : at+len(s)/2])
			for range rng.IntN(12) {
				part[rng.IntN(len(part))] = "changed"
			}
			words = slices.Insert(words, rng.IntN(len(words)), part...)
		}
		idsAndTexts = append(idsAndTexts, fmt.Sprint(i), strings.Join(words, " "))
	}
	return idsAndTexts
}

// sharing returns the documents that are taken to share passages with a query.
func sharing(ix *Snapshot, q *sequences.Query) (docs []uint32, err error) {
	err = ix.reading(func() error {
		docs, _ = storedCodes{ix}.Leads(nil, q)
		docs = storedCodes{ix}.Sharing(q, docs)
		return nil
	})
	return docs, err
}

// checkQuoting compares what an index finds with the passages of all its texts, and returns how many texts have some.
func checkQuoting(t *testing.T, ix *Snapshot, sources [][]string) (found int) {
	t.Helper()
	others := 0
	for _, source := range sources {
		query := sequences.NewText([]byte(strings.Join(source, " ")))
		q := sequences.NewQuery(query, sequences.Usual)
		docs, err := sharing(ix, q)
		if err != nil || !slices.IsSorted(docs) {
			t.Fatal(docs, err)
		}
		for doc := range uint32(ix.Len()) {
			text, err := ix.Text(doc, nil)
			if err != nil {
				t.Fatal(err)
			}
			has := sequences.Reference(query, sequences.NewText([]byte(text)), sequences.Usual)
			if len(has) > 0 {
				found++
			}
			switch is := slices.Contains(docs, doc); {
			case !is && len(has) > 0:
				t.Fatalf("document %d has %v, and %v are found", doc, has, docs)
			case is && len(has) == 0:
				others++
			}
		}
	}
	if others > found/10 {
		t.Errorf("%d documents have passages, and %d others may have some", found, others)
	}
	return found
}

// Passages are found in segments, after deletions and merges, in logs, and in what a repair has made again.
func TestQuoting(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	var sources [][]string
	for range 5 {
		var s []string
		for range 200 {
			s = append(s, fmt.Sprintf("w%d", rng.IntN(3000)))
		}
		sources = append(sources, s)
	}
	dir := t.TempDir()
	with := WriterOptions{Passages: true, Threads: 2}
	addWith(t, dir, analysis.Default(), with, docs(quoting(rng, 0, 40, sources)...))
	addWith(t, dir, analysis.Default(), WriterOptions{OnConflict: Replace}, docs(quoting(rng, 20, 60, sources)...))
	ix := mustOpen(t, dir)
	if n := checkQuoting(t, ix, sources); !ix.HasPassages() || n < 20 {
		t.Fatalf("%d texts have passages", n)
	}
	l, err := OpenLive(dir, analysis.Default(), WriterOptions{OnConflict: Replace})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Add(t.Context(), docs(quoting(rng, 50, 80, sources)...)); err != nil {
		t.Fatal(err)
	}
	logged := t.TempDir() // as it is while the log has documents
	if err := os.CopyFS(logged, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	checkQuoting(t, mustOpen(t, logged), sources)
	w, err := OpenWriter(dir, analysis.Default(), WriterOptions{})
	if err == nil {
		err = errors.Join(w.Delete([]byte("3")), w.Compact(t.Context()))
		_, committed := w.Commit(t.Context())
		err = errors.Join(err, committed, w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	checkQuoting(t, mustOpen(t, dir), sources)
	if _, err := Verify(t.Context(), dir); err != nil {
		t.Fatal(err)
	}

	files := map[string][]byte{}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil {
			files[filepath.Base(name)] = data
		}
	}
	for name := range maps.Clone(files) {
		if !strings.HasSuffix(name, ".seg") {
			continue
		}
		f, err := section.Parse("", slices.Clone(files[name]))
		if err != nil {
			t.Fatal(err)
		}
		data := files[name]
		f.Sections(func(name string, offset, length uint64) bool {
			if strings.HasPrefix(name, "passages.") && length > 0 {
				data[offset] ^= 1
			}
			return true
		})
	}
	fsys := inMemory(t, files)
	damaged, err := openDir(fsys, "idx")
	if err == nil {
		q := sequences.NewQuery(sequences.NewText([]byte(strings.Join(sources[0], " "))), sequences.Usual)
		_, err = sharing(damaged, q)
	}
	if !errors.Is(err, ErrCorrupt) {
		t.Fatalf("damage: %v", err)
	}
	if _, losses, err := runRepair(fsys, RepairOptions{}); err != nil || len(losses) > 0 {
		t.Fatal(losses, err)
	}
	repaired, err := openDir(fsys, "idx")
	if err != nil {
		t.Fatal(err)
	}
	checkQuoting(t, repaired, sources)
}

func TestPassagesAreRefused(t *testing.T) {
	dir := t.TempDir()
	addWith(t, dir, analysis.Default(), WriterOptions{}, docs("a", "some text"))
	for _, o := range []WriterOptions{{Passages: true}, {Passages: true, Keep: KeepNothing}} {
		in := dir
		if o.Keep == KeepNothing {
			in = t.TempDir()
		}
		if w, err := openWriter(disk.OSAsDirectory, in, analysis.Default(), o); !errors.Is(err, ErrSettings) {
			t.Errorf("%+v: %v, %v", o, w, err)
		}
	}
	if addWith(t, dir, analysis.Default(), WriterOptions{}, docs("b", "another")); mustOpen(t, dir).HasPassages() {
		t.Error("an index without passages has some")
	}
}
