package intake

import (
	"context"
	"fmt"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/index"
	"simsearch/internal/disk"
)

// Texts are the texts of an index: those that it keeps, or else their sources, read again. They must not be
// used by several goroutines at once.
type Texts struct {
	// Readers, if not nil, sees the sources that are read.
	Readers *disk.Readers
	ix      *index.Snapshot
	again   *corpus.Rereader
}

// OpenTexts opens the texts of an index. The error wraps index.ErrNoText if it keeps none. Sources are not read
// any more when ctx is done.
func OpenTexts(ctx context.Context, ix *index.Snapshot) (*Texts, error) {
	if ix.Keep() == index.KeepNothing {
		return nil, fmt.Errorf("nothing can be shown: %w", index.ErrNoText)
	}
	again, err := rereader(ctx, ix)
	return &Texts{ix: ix, again: again}, err
}

func rereader(ctx context.Context, ix *index.Snapshot) (*corpus.Rereader, error) {
	return corpus.NewRereader(corpus.Options{TextField: ix.Input().TextField, FingerprintField: ix.Input().FingerprintField, MailWithout: ix.Input().MailWithout, Context: ctx})
}

// Sources read the sources of the texts of an index again. They must not be used by several goroutines at once.
type Sources struct{ again *corpus.Rereader }

// OpenSources opens the sources of an index that keeps where its texts were read, if a search by p wants
// them.
func OpenSources(ctx context.Context, ix *index.Snapshot, p index.Predicate) (*Sources, error) {
	if p.Cosine == 0 || ix.Keep() != index.KeepSource {
		return &Sources{}, nil
	}
	again, err := rereader(ctx, ix)
	return &Sources{again}, err
}

// Text reads a text again.
func (s *Sources) Text(from document.Origin) ([]byte, error) {
	if s.again == nil {
		return nil, index.ErrNoText
	}
	return s.again.Text(from)
}

// Close closes the source that was read last.
func (s *Sources) Close() error {
	if s.again == nil {
		return nil
	}
	return s.again.Close()
}

// Text returns the text of a document. The errors are those of index.Snapshot.Text.
func (t *Texts) Text(doc uint32) (string, error) { return t.ix.Text(doc, sourcesOf{t}) }

// sourcesOf reads the sources of texts.
type sourcesOf struct{ *Texts }

func (t sourcesOf) Text(from document.Origin) ([]byte, error) {
	if t.Readers != nil {
		t.Readers.See(from.Path)
	}
	return t.again.Text(from)
}

// Close closes the source that was read last.
func (t *Texts) Close() error { return t.again.Close() }
