package filesync

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
)

// Rows that come together are recorded as those that come one by one, also those of a file that has changed.
func TestRecordOfRows(t *testing.T) {
	t.Parallel()
	docs := t.TempDir()
	write := func(name string, n int) {
		var data []byte
		for i := range n {
			data = binary.LittleEndian.AppendUint64(data, uint64(i)*0x9e3779b97f4a7c15+uint64(len(name)))
		}
		if err := os.WriteFile(filepath.Join(docs, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// catalogue returns the files of the catalogue after each day, and their ids.
	catalogue := func(together func() int) (all []map[string][]string) {
		dir := filepath.Join(t.TempDir(), "idx")
		for day := range 3 {
			write("a.u64", 2000)
			write("ab.u64", 700+100*day)
			write("abc.npz.u64", 1)
			var paths []string
			for _, name := range []string{"a.u64", "ab.u64", "abc.npz.u64"} {
				paths = append(paths, filepath.Join(docs, name))
			}
			r, err := corpus.Open(paths, corpus.Options{Base: docs, Format: corpus.Fingerprints})
			if err != nil {
				t.Fatal(err)
			}
			r.Together(together)
			w, err := index.OpenWriter(dir, analysis.Classic(), index.WriterOptions{Base: docs, Parts: true})
			if err != nil {
				t.Fatal(err)
			}
			d, _, err := NewRecord(w, r, 1)
			if err == nil {
				err = w.Ingest(context.Background(), d.Part(good(r, &Sync{}), func(*document.Document) bool { return false }, new(bool)))
			}
			_, _ = d.Hand() // never fails
			if err == nil {
				_, err = w.Commit(context.Background())
			}
			if err != nil {
				t.Fatal(err)
			}
			c, _, err := w.Catalogue()
			if err := errors.Join(err, w.Close(), r.Close()); err != nil {
				t.Fatal(err)
			}
			files := map[string][]string{}
			for _, f := range c.Files {
				files[fmt.Sprint(f.Path, f.Size, f.Whole, f.Added, f.Read, f.Again)] = slices.Collect(f.IDs.All())
			}
			all = append(all, files)
		}
		return all
	}
	got, want := catalogue(corpus.NoLimit), catalogue(nil)
	if !reflect.DeepEqual(got, want) || len(want[2]) != 3 {
		t.Errorf("%v, want %v", got, want)
	}
}
