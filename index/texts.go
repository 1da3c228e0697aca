package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/fingerprint"
	"simsearch/internal/segment"
	"simsearch/internal/store"
)

// A Keep says what an index keeps of texts, so that they can be shown. Searches need none of it. Its String
// is "text", "source" or "nothing".
type Keep = store.Keep

const (
	// KeepDefault is what the index keeps already, and in a new one KeepText if there are sets of
	// features, or else KeepNothing.
	KeepDefault = store.KeepDefault
	// KeepText keeps texts, compressed.
	KeepText = store.KeepText
	// KeepSource keeps where texts were read, and a digest of each. A text without a source, such as one
	// of standard input, is kept itself.
	KeepSource = store.KeepSource
	// KeepNothing keeps nothing.
	KeepNothing = store.KeepNothing
)

// ParseKeep returns the Keep called name, as String returns it.
func ParseKeep(name string) (Keep, error) { return store.ParseKeep(name) }

// chooseKeep sets what the index keeps, which its manifest says if it has documents.
func (w *Writer) chooseKeep() error {
	want := w.o.Keep
	if w.New() {
		switch {
		case want != KeepDefault:
		case w.dir.Manifest.Settings.Sets():
			want = KeepText
		default:
			want = KeepNothing
		}
		w.dir.Manifest.Keep = want
	}
	if has := w.dir.Manifest.Kept(); want != KeepDefault && want != has {
		return fmt.Errorf("%w: the index keeps %v of its texts, not %v", ErrSettings, has, want)
	}
	if want, has := w.o.Input.KeepFields, w.dir.Manifest.Input.KeepFields; want != "" && want != has {
		return fmt.Errorf("%w: the index keeps %s, not %s", ErrSettings, fieldsKept(has), want)
	}
	w.pending = w.newBuilder()
	return nil
}

// A kept is what an index keeps of some documents: their texts and the values of their fields, nil if none
// are kept.
type kept struct{ texts, fields *segment.Packed }

// A keeping says what an index keeps of its documents.
type keeping struct {
	keep   Keep
	fields bool
}

func (w *Writer) keeping() keeping {
	return keeping{w.dir.Manifest.Kept(), w.dir.Manifest.Input.KeepFields != ""}
}

// pack compresses what is to be kept of a batch.
func (g keeping) pack(_ context.Context, b *analysis.Batch) (kept, error) {
	return g.packed(b.Len(), b.Result), nil
}

// packed compresses what is to be kept of n results.
func (g keeping) packed(n int, result func(i int) analysis.Result) (k kept) {
	if g.keep != KeepNothing {
		k.texts = segment.Pack(n, func(i int) segment.Kept { return g.of(result(i)) })
	}
	if g.fields {
		k.fields = segment.Pack(n, func(i int) (k segment.Kept) {
			if fields := result(i).Fields; len(fields) > 0 {
				k.Text = fields
			}
			return k
		})
	}
	return k
}

// of returns what is to be kept of the text of a result.
func (g keeping) of(r analysis.Result) (k segment.Kept) {
	from := r.Origin
	switch {
	case r.Given:
	case g.keep == KeepSource && from != document.Origin{}:
		k.Source = &segment.Source{Path: from.Path, Format: from.Format, Offset: from.Offset, Length: from.Length, Digest: fingerprint.Murmur3.Sum(r.Text)}
	default:
		k.Text = append([]byte{}, r.Text...)
	}
	return k
}

// document returns a document of a segment, of which number i of k is kept. Its slices are those of r.
func (g keeping) document(r *analysis.Result, k kept, i int) segment.Document {
	return segment.Document{ID: r.ID, HasFingerprint: r.HasFingerprint, Fingerprint: r.Fingerprint, Set: r.Set, Signature: r.Signature, Digest: r.Digest, Texts: k.texts, Fields: k.fields, Number: i}
}

var (
	// ErrNoText is returned by Snapshot.Text for a document whose text is not kept.
	ErrNoText = errors.New("the index keeps no text of this document")
	// ErrSourceChanged is returned by Snapshot.Text if the source of a document has another text by now, or
	// none.
	ErrSourceChanged = document.ErrChanged
	// ErrSourceGone is returned by Snapshot.Text if the source of a document is no longer there.
	ErrSourceGone = errors.New("the source is gone")
)

// Keep returns what the index keeps of its texts.
func (ix *Snapshot) Keep() Keep { return ix.manifest.Kept() }

// A SourceReader reads texts again. corpus.Rereader is one. The text is valid until the next call. The error
// wraps fs.ErrNotExist if the file is gone, and document.ErrChanged if there is no text at that place.
type SourceReader interface {
	Text(from document.Origin) ([]byte, error)
}

// Text returns the text of document doc, doc < Len(), as it was when it was added. If the index keeps
// sources, it reads the text by r, which may be nil otherwise. The error is ErrNoText, ErrSourceChanged,
// ErrSourceGone, ErrCorrupt, ErrClosed, or that of r. If it is about a source, it names the file.
func (ix *Snapshot) Text(doc uint32, r SourceReader) (text string, err error) {
	var from *segment.Source
	hasText := false
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) error {
		k, err := s.Text(local)
		text, from, hasText = string(k.Text), k.Source, k.Text != nil
		return err
	})
	switch {
	case err != nil || hasText:
		return text, err
	case from == nil || r == nil:
		return "", ErrNoText
	}
	again, err := r.Text(document.Origin{Path: from.Path, Format: from.Format, Offset: from.Offset, Length: from.Length})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: %s", ErrSourceGone, from.Path)
	case err != nil:
		return "", fmt.Errorf("%s: %w", from.Path, err)
	case fingerprint.Murmur3.Sum(again) != from.Digest:
		return "", fmt.Errorf("%w: %s", ErrSourceChanged, from.Path)
	}
	return string(again), nil
}

// textIfThere returns the text of a document, or nil if it is not kept and cannot be read as it was.
func (ix *Snapshot) textIfThere(doc uint32, r SourceReader) ([]byte, error) {
	text, err := ix.Text(doc, r)
	switch {
	case errors.Is(err, ErrNoText), errors.Is(err, ErrSourceChanged), errors.Is(err, ErrSourceGone):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []byte(text), nil
}
