package dedup

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/rewrite"
)

// checkFormats returns an error if the texts of a file cannot be replaced. It looks at the first file of each
// extension.
func (p *divided) checkFormats(ctx context.Context, files []corpus.File) error {
	seen := map[string]bool{}
	for _, f := range files {
		name := strings.ToLower(path.Base(f.Path))
		if _, extension, ok := strings.Cut(name, "."); seen[extension] || f.Once {
			continue
		} else if ok {
			seen[extension] = true
		}
		if err := p.checkFormat(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (p *divided) checkFormat(ctx context.Context, f corpus.File) (err error) {
	o := p.rewriteOptions(ctx).Corpus
	o.Decided = nil
	r, err := corpus.OpenFile(f, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for doc, err := range r.Documents() {
		if err == nil {
			return p.checkText(r, doc)
		}
		break // the reading will tell of it
	}
	return nil
}

// checkText returns an error if the text of a document cannot be replaced.
func (p *divided) checkText(r *corpus.Reader, doc *document.Document) error {
	if rewrite.ReplacesText(r.Layout()) {
		return nil
	}
	return fmt.Errorf("%w: %s is read as %s", ErrText, doc.Source, r.Format())
}
