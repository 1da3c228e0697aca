package dedup

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"simsearch/corpus"
	"simsearch/document"
)

// textsOf are the texts of some units, documents or parts, which are caught while files are read. It is safe for concurrent
// use. A nil one wants no texts.
type textsOf struct {
	pairs  []uint32 // removed documents, or places of cuts.near, whose texts are shown with those of the units kept for them
	wanted []uint32 // units, ascending

	mu   sync.Mutex
	of   map[uint32]caught // with an entry for each unit that is wanted; guarded by mu
	glue *glue             // what the texts show of groups, or nil; guarded by mu
}

// A caught text is the beginning of a text.
type caught struct {
	text string
	cut  bool // there is more
	// picture is a small copy of a picture, of which text is the size.
	picture []byte
}

// newTexts returns the texts of units, which are still empty.
func newTexts(pairs []uint32, units map[uint32]caught) *textsOf {
	return &textsOf{pairs: pairs, wanted: slices.Sorted(maps.Keys(units)), of: units}
}

// between returns which of the units from one before another are wanted.
func (t *textsOf) between(from, to uint32) []uint32 {
	if t == nil {
		return nil
	}
	i, _ := slices.BinarySearch(t.wanted, from)
	j, _ := slices.BinarySearch(t.wanted, to)
	return t.wanted[i:j]
}

// see takes the text of a unit that is wanted.
func (t *textsOf) see(unit uint32, text []byte) {
	shown := text[:min(len(text), mostText)]
	for len(shown) < len(text) && len(shown) > 0 && !utf8.RuneStart(text[len(shown)]) {
		shown = shown[:len(shown)-1]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.glue.see(unit, text)
	t.of[unit] = caught{text: string(shown), cut: len(shown) < len(text)}
}

// seeDocument takes the text of a document if that is wanted, or the picture that it is.
func (t *textsOf) seeDocument(at uint32, doc *document.Document) {
	switch {
	case len(t.between(at, at+1)) == 0:
	case doc.Picture == (document.Picture{}):
		t.see(at, doc.Text)
	default:
		c := caughtPicture(doc)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.of[at] = c
	}
}

// read reads the wanted documents of a file.
func (t *textsOf) read(ctx context.Context, c *Collection, file int) error {
	switch {
	case len(t.between(c.starts[file], c.starts[file+1])) == 0:
		return nil
	case c.isIndex(file):
		return t.readIndex(c, file)
	}
	f := c.follow(file)
	return f.read(ctx, func(at uint32, doc *document.Document) error {
		t.seeDocument(at, doc)
		return nil
	})
}

// A follower follows the documents of a file that is read again.
type follower struct {
	c    *Collection
	file int
	next uint32
}

func (c *Collection) follow(file int) follower { return follower{c, file, c.starts[file]} }

// document returns the number of the next document. The error is document.ErrChanged if it is not the one that was read before.
func (f *follower) document(doc *document.Document) (at uint32, err error) {
	if at = f.next; at == f.c.starts[f.file+1] || !f.c.isDocument(at, doc) {
		return at, f.changed()
	}
	f.next++
	return at, nil
}

// end returns document.ErrChanged if there were fewer documents than before.
func (f *follower) end() error {
	if f.next < f.c.starts[f.file+1] {
		return f.changed()
	}
	return nil
}

func (f *follower) changed() error { return changed(f.c.files[f.file].Path) }

// read calls do with all documents of the file.
func (f *follower) read(ctx context.Context, do func(at uint32, doc *document.Document) error) (err error) {
	r, err := f.c.reader(ctx, f.c.files[f.file])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for doc, err := range r.Documents() {
		if errors.As(err, new(*corpus.BadError)) {
			continue
		}
		at := uint32(0)
		if err == nil {
			at, err = f.document(doc)
		}
		if err == nil {
			err = do(at, doc)
		}
		if err != nil {
			return err
		}
	}
	return f.end()
}

// first returns the first of all, up to most of them, in an order.
func first[T any](all iter.Seq[T], most int, order func(a, b T) int) (some []T) {
	for x := range all {
		if some = append(some, x); len(some) == 64*most {
			slices.SortFunc(some, order)
			some = some[:most]
		}
	}
	slices.SortFunc(some, order)
	return some[:min(len(some), most)]
}

// leastNear returns those of units, up to mostPairs, that are least near the ones kept for them, the least near first.
func leastNear(units iter.Seq[uint32], similarity func(unit uint32) float64) []uint32 {
	return first(units, mostPairs, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(similarity(a), similarity(b)), cmp.Compare(a, b))
	})
}
