package index

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"simsearch/analysis"
	"simsearch/document"
)

// sourced returns documents of the texts. Every third one has no source.
func sourced(texts []string, from int) func(yield func(*document.Document, error) bool) {
	return func(yield func(*document.Document, error) bool) {
		for i, text := range texts {
			d := &document.Document{ID: fmt.Appendf(nil, "%d", from+i), Text: []byte(text)}
			if i%3 > 0 {
				d.Origin = document.Origin{Path: fmt.Sprintf("/texts/%d", i%7), Format: "lines", Offset: int64(from + i), Length: int64(len(text))}
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// again reads texts by the number that is their offset.
type again struct {
	texts   []string
	changed int
	gone    int
}

func (a again) Text(from document.Origin) ([]byte, error) {
	switch i := int(from.Offset); {
	case i == a.gone:
		return nil, &os.PathError{Op: "open", Path: from.Path, Err: fs.ErrNotExist}
	case from.Format != "lines" || from.Length != int64(len(a.texts[i])) || !strings.HasPrefix(from.Path, "/texts/"):
		return nil, fmt.Errorf("%+v", from)
	case i == a.changed:
		return []byte("another text"), nil
	default:
		return []byte(a.texts[i]), nil
	}
}

// longTexts returns texts of all sizes, of which some are longer than a block and some are empty.
func longTexts(n int) []string {
	rng := rand.New(rand.NewPCG(8, 1))
	texts := nearTexts(n)
	for i := range texts {
		switch rng.IntN(20) {
		case 0:
			texts[i] = strings.Repeat(texts[i]+" ", 1+rng.IntN(300))
		case 1:
			texts[i] = ""
		case 2:
			texts[i] += "\xff\x00\n"
		}
	}
	return texts
}

// What is kept of texts comes back, whatever else is added with them.
func TestTexts(t *testing.T) {
	t.Parallel()
	texts := longTexts(900)
	for _, keep := range []Keep{KeepDefault, KeepText, KeepSource, KeepNothing} {
		dir := t.TempDir()
		o := WriterOptions{Threads: 2, Keep: keep, SetBytesInMemory: 1 << 14}
		addWith(t, dir, minHash(analysis.Both), o, sourced(texts[:500], 0))
		addWith(t, dir, minHash(analysis.Both), o, sourced(texts, 0)) // the first ones are known
		ix := mustOpen(t, dir)
		r := again{texts, 4, 601}
		for doc, want := range texts {
			got, err := ix.Text(uint32(doc), r)
			source := keep == KeepSource && (doc%3 > 0)
			switch {
			case keep == KeepNothing:
				if !errors.Is(err, ErrNoText) {
					t.Fatalf("document %d, nothing is kept: %q, %v", doc, got, err)
				}
			case source && doc == r.changed:
				if !errors.Is(err, ErrSourceChanged) || !strings.Contains(err.Error(), "/texts/") {
					t.Errorf("a source that has changed: %q, %v", got, err)
				}
			case source && doc == r.gone:
				if !errors.Is(err, ErrSourceGone) || !strings.Contains(err.Error(), "/texts/") {
					t.Errorf("a source that is gone: %q, %v", got, err)
				}
			case err != nil || got != want:
				t.Fatalf("document %d, %v is kept: %.40q, %v, want %.40q", doc, keep, got, err, want)
			}
			if source {
				if _, err := ix.Text(uint32(doc), nil); !errors.Is(err, ErrNoText) {
					t.Fatalf("document %d without a reader: %v", doc, err)
				}
			}
		}
	}
}

// What an index keeps is chosen once.
func TestKeepIsStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	addWith(t, dir, analysis.Default(), WriterOptions{Keep: KeepSource}, docs("a", "some text"))
	if _, err := OpenWriter(dir, analysis.Default(), WriterOptions{Keep: KeepText}); !errors.Is(err, ErrSettings) {
		t.Errorf("another choice: %v", err)
	}
	addWith(t, dir, analysis.Default(), WriterOptions{}, docs("b", "more text"))
	if ix := mustOpen(t, dir); ix.Keep() != KeepSource {
		t.Errorf("%v is kept", ix.Keep())
	}
	dir = t.TempDir()
	addWith(t, dir, analysis.Classic(), WriterOptions{}, docs("a", "some text"))
	if ix := mustOpen(t, dir); ix.Keep() != KeepNothing {
		t.Errorf("of an index of fingerprints, %v is kept", ix.Keep())
	}
	for _, name := range []string{"", "default", "all"} {
		if k, err := ParseKeep(name); err == nil {
			t.Errorf("%q is %v", name, k)
		}
	}
}
