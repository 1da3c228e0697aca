package dedup

import (
	"context"
	"errors"
	"sync"
	"unicode/utf8"

	"simsearch/corpus"
	"simsearch/document"
)

// textsOf are the texts of some documents, which are caught while files are read. It is safe for concurrent use.
type textsOf struct {
	pairs []uint32 // removed documents whose texts are wanted, with those of the ones kept for them

	mu sync.Mutex
	of map[uint32]caught // with an entry for each document that is wanted; guarded by mu

	glue *glue // what the texts show of groups, or nil; guarded by mu
}

// A caught text is the beginning of a text.
type caught struct {
	text string
	cut  bool // there is more
	// picture is a small copy of a picture, of which text is the size.
	picture []byte
}

// newTexts returns the texts of pairs of d, which are still empty.
func newTexts(d *Decisions, pairs []uint32) *textsOf {
	t := &textsOf{pairs: pairs, of: map[uint32]caught{}}
	for _, doc := range pairs {
		t.of[doc], t.of[d.kept[doc]] = caught{}, caught{}
	}
	return t
}

// want adds the documents that show what groups share.
func (t *textsOf) want(g *glue) {
	if t.glue = g; g == nil {
		return
	}
	for doc := range g.texts {
		t.of[doc] = caught{}
	}
}

// see takes the text of a document if it is wanted.
func (t *textsOf) see(at uint32, doc *document.Document) {
	t.mu.Lock()
	_, ok := t.of[at]
	t.mu.Unlock()
	if !ok {
		return
	}
	if doc.Picture != (document.Picture{}) {
		c := caughtPicture(doc)
		t.mu.Lock()
		t.of[at] = c
		t.mu.Unlock()
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.glue.see(at, doc.Text)
	text := doc.Text
	cut := len(text) > mostText
	if cut {
		text = text[:mostText]
		for len(text) > 0 && !utf8.RuneStart(doc.Text[len(text)]) {
			text = text[:len(text)-1]
		}
	}
	t.of[at] = caught{text: string(text), cut: cut}
}

// read reads the wanted documents of files from file from to before file to.
func (t *textsOf) read(ctx context.Context, c *Collection, from, to int) error {
	for file := from; file < to; file++ {
		wanted := false
		for doc := range t.of {
			wanted = wanted || c.starts[file] <= doc && doc < c.starts[file+1]
		}
		if !wanted {
			continue
		}
		if err := t.readFile(ctx, c, file); err != nil {
			return err
		}
	}
	return nil
}

func (t *textsOf) readFile(ctx context.Context, c *Collection, file int) (err error) {
	if c.isIndex(file) {
		return t.readIndex(c, file)
	}
	o := c.rewriteOptions(ctx).Corpus
	o.Decided = nil
	r, err := corpus.OpenFile(c.files[file], o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	at := c.starts[file]
	for doc, err := range r.Documents() {
		switch {
		case errors.As(err, new(*corpus.BadError)):
			continue
		case err != nil:
			return err
		case at == c.starts[file+1]:
			return document.ErrChanged
		}
		t.see(at, doc)
		at++
	}
	return nil
}
