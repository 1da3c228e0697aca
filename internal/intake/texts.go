package intake

import (
	"context"
	"fmt"

	"simsearch/corpus"
	"simsearch/index"
)

// Texts are the texts of an index: those that it keeps, or else their sources, read again. They must not be
// used by several goroutines at once.
type Texts struct {
	ix    *index.Snapshot
	again *corpus.Rereader
}

// OpenTexts opens the texts of an index. The error wraps index.ErrNoText if it keeps none. Sources are not read
// any more when ctx is done.
func OpenTexts(ctx context.Context, ix *index.Snapshot) (*Texts, error) {
	if ix.Keep() == index.KeepNothing {
		return nil, fmt.Errorf("nothing can be shown: %w", index.ErrNoText)
	}
	again, err := corpus.NewRereader(corpus.Options{TextField: ix.Input().TextField, FingerprintField: ix.Input().FingerprintField, MailWithout: ix.Input().MailWithout, Context: ctx})
	return &Texts{ix, again}, err
}

// Text returns the text of a document. The errors are those of index.Snapshot.Text.
func (t *Texts) Text(doc uint32) (string, error) { return t.ix.Text(doc, t.again) }

// Close closes the source that was read last.
func (t *Texts) Close() error { return t.again.Close() }
