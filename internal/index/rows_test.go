package index

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index/segment"
)

// Rows that come together make the index that they make one by one, byte for byte, whatever comes between them: also
// one of 32 bits, and one that is written as a stream.
func TestRowsTogether(t *testing.T) {
	t.Parallel()
	narrow := withoutStopWords()
	narrow.Bits = 32
	for name, c := range map[string]struct {
		settings analysis.Settings
		o        WriterOptions
		mask     uint64
	}{
		"in memory": {analysis.Classic(), WriterOptions{}, ^uint64(0)},
		"a stream":  {analysis.Classic(), WriterOptions{Memory: 2, stream: 1}, ^uint64(0)},
		"32 bits":   {narrow, WriterOptions{}, 1<<32 - 1},
	} {
		together := func(yield func(*document.Document, error) bool) {
			rng := rand.New(rand.NewPCG(1, 1))
			for row := 1; row < 20_000; {
				doc := document.Document{ID: fmt.Appendf(nil, "a.u64#%d", row), HasFingerprint: true}
				n := []int{1, 2, 70, 512}[rng.IntN(4)]
				for range n {
					doc.Rows = append(doc.Rows, rng.Uint64N(1<<20)*0x9e3779b97f4a7c15&c.mask) // some are equal
				}
				if doc.Fingerprint = doc.Rows[0]; n == 1 {
					doc.Rows = nil
				}
				if row += n; !yield(&doc, nil) {
					return
				}
			}
			yield(&document.Document{ID: []byte("z.u64#5"), HasFingerprint: true, Fingerprint: 7}, nil)
		}
		var segments [][]byte
		var results []Result
		for i := range 2 {
			dir, documents := t.TempDir(), together
			if i == 1 {
				documents = segment.Singly(together)
			}
			results = append(results, addWith(t, dir, c.settings, c.o, documents))
			files, err := filepath.Glob(filepath.Join(dir, "*.seg"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			segments = append(segments, data)
		}
		if !bytes.Equal(segments[0], segments[1]) || results[0] != results[1] || results[0].Added < 20_000 {
			t.Errorf("%s: %+v and %d bytes, want %+v and %d, the same", name, results[0], len(segments[0]), results[1], len(segments[1]))
		}
	}
}

// An index that wants texts refuses rows as it refuses a fingerprint.
func TestRowsForTexts(t *testing.T) {
	s := analysis.Default()
	s.Mode = analysis.MinHash
	w, err := OpenWriter(t.TempDir(), s, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Ingest(t.Context(), func(yield func(*document.Document, error) bool) {
		yield(&document.Document{ID: []byte("a#1"), HasFingerprint: true, Fingerprint: 1, Rows: []uint64{1, 2}}, nil)
	})
	if err := errors.Join(err, w.Close()); !errors.Is(err, ErrKind) {
		t.Errorf("%v, want ErrKind", err)
	}
}

// Fingerprint is Long for fingerprints of 64 bits.
func (ix *Snapshot) Fingerprint(doc uint32) (fp uint64, ok bool, err error) {
	all, ok, err := ix.Long(doc)
	return all[0], ok, err
}
