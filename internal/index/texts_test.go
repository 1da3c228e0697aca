package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// sourced returns documents of the texts. Every third one has no source.
func sourced(texts []string) func(yield func(*document.Document, error) bool) {
	return func(yield func(*document.Document, error) bool) {
		for i, text := range texts {
			d := &document.Document{ID: fmt.Appendf(nil, "%d", i), Text: []byte(text)}
			if i%3 > 0 {
				d.Origin = document.Origin{Path: fmt.Sprintf("/texts/%d", i%7), Format: "lines", Offset: int64(i), Length: int64(len(text))}
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
		o := WriterOptions{Threads: 2, Keep: keep, hold: 1 << 14}
		addWith(t, dir, minHash(analysis.Both), o, sourced(texts[:500]))
		addWith(t, dir, minHash(analysis.Both), o, sourced(texts)) // the first ones are known
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
				if !errors.Is(err, errSourceChanged) || !strings.Contains(err.Error(), "/texts/") {
					t.Errorf("a source that has changed: %q, %v", got, err)
				}
			case source && doc == r.gone:
				if !errors.Is(err, errSourceGone) || !strings.Contains(err.Error(), "/texts/") {
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

// Numbers that lead astray, with right checksums, are errors that name the segment, and so are sections of
// another size.
func TestTextsAndSourcesAreChecked(t *testing.T) {
	t.Parallel()
	all := append(longTexts(19), "the end")
	block := 0 // bytes of the block with all texts
	for _, text := range all {
		block += len(binary.AppendUvarint(nil, 2*uint64(len(text)))) + len(text)
	}
	text := func(ix *Snapshot) error {
		var errs []error
		for doc := range uint32(len(all)) {
			_, err := ix.Text(doc, again{all, -1, -1})
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	}
	for name, tt := range map[string]struct {
		keep    Keep
		section string
		change  func(b []byte)
		want    string
	}{
		"a block beyond the blocks":      {KeepText, "texts.places", put64(3, 1<<32), "document 3 is in block 1 of 1"},
		"a text beyond its block":        {KeepText, "texts.places", put64(3, 1<<32-1), "begins at byte 4294967295 of"},
		"a text that ends too late":      {KeepText, "texts.places", put64(3, uint64(block-1)), fmt.Sprintf("begins at byte %d of %d of a block", block-1, block)}, // a letter for a length
		"a block beyond the bytes":       {KeepText, "texts.blocks.ends", put64(0, 1<<40), "item 0 spans [0, 1099511627776)"},
		"a block that is not compressed": {KeepText, "texts.blocks", func(b []byte) { clear(b) }, "block 0: "},
		"a source beyond its block":      {KeepSource, "texts.places", put64(1, 1<<32-1), "begins at byte 4294967295 of"},
	} {
		dir := t.TempDir()
		addWith(t, dir, minHash(analysis.MinHash), WriterOptions{Keep: tt.keep}, sourced(all))
		checkForged(t, name, dir, tt.section, tt.change, text, tt.want)
	}
}

// A flipped bit of what is kept of texts is an error that names the segment, and never gives another text.
func TestFlippedBitsOfTextsAndSources(t *testing.T) {
	t.Parallel()
	all := nearTexts(12)
	for _, keep := range []Keep{KeepText, KeepSource} {
		dir := t.TempDir()
		addWith(t, dir, withoutStopWords(), WriterOptions{Keep: keep}, sourced(all))
		path := filepath.Join(dir, "000001.seg")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := section.Parse("", data)
		if err != nil {
			t.Fatal(err)
		}
		flipped := 0
		f.Sections(func(sec string, offset, length uint64) bool {
			if !strings.HasPrefix(sec, "texts.") {
				return true
			}
			for at := offset; at < offset+length; at += testkit.Of(uint64(13), 1) {
				damaged := slices.Clone(data)
				damaged[at] ^= 1 << (at % 8)
				if err := os.WriteFile(path, damaged, 0o666); err != nil {
					t.Fatal(err)
				}
				ix, err := openUnverified(dir)
				if err != nil {
					t.Fatal(err)
				}
				found := false
				for doc, want := range all {
					text, err := ix.Text(uint32(doc), again{all, -1, -1})
					if err == nil && text != want || err != nil && (!errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path)) {
						t.Errorf("%v, byte %d of %s: document %d is %.40q, %v", keep, at-offset, sec, doc, text, err)
					}
					found = found || err != nil
				}
				if !found {
					t.Errorf("%v, byte %d of %s: nobody is told", keep, at-offset, sec)
				}
				if err := ix.Close(); err != nil {
					t.Error(err)
				}
				flipped++
			}
			return true
		})
		if flipped < 100 {
			t.Errorf("%v: only %d bits are flipped", keep, flipped)
		}
	}
}

// Sections of texts and sources have the sizes that the number of documents says.
func TestSizesOfTextsAndSourcesAreChecked(t *testing.T) {
	t.Parallel()
	for name, keep := range map[string]Keep{
		"texts.places": KeepText, "texts.blocks.ends": KeepSource,
	} {
		dir := t.TempDir()
		addWith(t, dir, analysis.Default(), WriterOptions{Keep: keep}, sourced(nearTexts(5)))
		forged := false
		forge(t, dir, "000001.seg", func(sec string, contents []byte) []byte {
			if sec == name {
				forged = true
				return contents[1:]
			}
			return contents
		})
		if !forged {
			t.Fatalf("there is no section %s", name)
		}
		if _, err := Open(dir); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "000001.seg") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want ErrCorrupt that names it", name, err)
		}
	}
}

// Why a source cannot be read again is told, with its name.
func TestSourceThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	texts := nearTexts(3)
	addWith(t, dir, analysis.Default(), WriterOptions{Keep: KeepSource}, sourced(texts))
	ix := mustOpen(t, dir)
	for _, tt := range []struct{ err, want error }{
		{syscall.EIO, syscall.EIO},
		{fmt.Errorf("%w: it ends early", document.ErrChanged), errSourceChanged},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, errSourceGone},
	} {
		text, err := ix.Text(1, failing{tt.err})
		if text != "" || !strings.Contains(fmt.Sprint(err), "/texts/1") {
			t.Errorf("%v: %q, %v", tt.err, text, err)
		}
		for _, class := range []error{syscall.EIO, errSourceChanged, errSourceGone, ErrNoText, ErrCorrupt} {
			if errors.Is(err, class) != errors.Is(tt.want, class) {
				t.Errorf("%v: %v, want %v", tt.err, err, tt.want)
			}
		}
	}
}

// failing cannot read.
type failing struct{ err error }

func (f failing) Text(document.Origin) ([]byte, error) { return nil, f.err }
