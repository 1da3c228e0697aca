package dedup

import (
	"context"
	"errors"
	"slices"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
)

// caught is what is taken of the texts of some units while files are read: of documents, or of parts of them. Readers
// of different files use it at the same time. A nil one wants nothing.
type caught[T any] struct {
	wanted []uint32 // units, ascending
	of     []T      // of each
	known  []bool
	take   func(unit uint32, doc *document.Document) T
}

// catch returns what take takes of units, of which nothing is known yet. It keeps the list.
func catch[T any](units []uint32, take func(unit uint32, doc *document.Document) T) *caught[T] {
	slices.Sort(units)
	units = slices.Compact(units)
	return &caught[T]{units, make([]T, len(units)), make([]bool, len(units)), take}
}

// A catcher is a caught of any type.
type catcher interface {
	unknown(from, to uint32) []uint32
	see(unit uint32, doc *document.Document)
}

// unknown returns which of the units from one before another are wanted, and not known.
func (c *caught[T]) unknown(from, to uint32) (units []uint32) {
	for i, _ := c.find(from); c != nil && i < len(c.wanted) && c.wanted[i] < to; i++ {
		if !c.known[i] {
			units = append(units, c.wanted[i])
		}
	}
	return units
}

// find returns where a unit is among those that are wanted.
func (c *caught[T]) find(unit uint32) (i int, ok bool) {
	if c == nil {
		return 0, false
	}
	return slices.BinarySearch(c.wanted, unit)
}

// see takes what is wanted of a unit whose text or picture doc has, unless that is known.
func (c *caught[T]) see(unit uint32, doc *document.Document) {
	if i, ok := c.find(unit); ok && !c.known[i] {
		c.of[i], c.known[i] = c.take(unit, doc), true
	}
}

// put says what a unit has, if that is wanted.
func (c *caught[T]) put(unit uint32, is T) {
	if i, ok := c.find(unit); ok {
		c.of[i], c.known[i] = is, true
	}
}

// at returns what a unit has: the zero value if that is not known.
func (c *caught[T]) at(unit uint32) (is T) {
	if i, ok := c.find(unit); ok {
		is = c.of[i]
	}
	return is
}

// each calls do with the units of which it is known.
func (c *caught[T]) each(do func(unit uint32, is T)) {
	if c == nil {
		return
	}
	for i, unit := range c.wanted {
		if c.known[i] {
			do(unit, c.of[i])
		}
	}
}

// readAgain reads those documents of a file again of which something is wanted and not known. Of an index, that is
// the texts that it keeps. In a file that an earlier run has read, they are where they were; if one is not, all of the
// file is read.
func (c *Collection) readAgain(ctx context.Context, file int, all ...catcher) (err error) {
	var wanted []uint32
	for _, of := range all {
		wanted = append(wanted, of.unknown(c.Starts[file], c.Starts[file+1])...)
	}
	if len(wanted) == 0 {
		return nil
	}
	see := func(at uint32, doc *document.Document) error {
		for _, of := range all {
			of.see(at, doc)
		}
		return nil
	}
	if c.isIndex(file) || c.isKnownFile(file) {
		slices.Sort(wanted)
		if found, err := c.reread(ctx, file, slices.Compact(wanted), see); found || err != nil {
			return err
		}
	}
	follow := c.Follow(file)
	return follow.Read(ctx, see)
}

// reread reads documents where they lie. found is false if one is not there.
func (c *Collection) reread(
	ctx context.Context, file int, wanted []uint32, see func(at uint32, doc *document.Document) error,
) (found bool, err error) {
	var ix *index.Snapshot
	o := c.Options.reading(file < c.Refs)
	if o.Context = ctx; c.isIndex(file) {
		ix = c.Indexes[file-(c.Refs-len(c.Indexes))]
		is := ix.Input()
		o = corpus.Options{TextField: is.TextField, FingerprintField: is.FingerprintField, MailWithout: is.MailWithout, HTML: is.HTML,
			MaxDocument: o.MaxDocument, Memory: o.Memory, Context: c.Options.Corpus.Context}
	}
	again, err := corpus.NewRereader(o)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, again.Close()) }()
	for _, at := range wanted {
		var text []byte
		if ix == nil {
			text, err = again.Text(c.Origin(file, at))
		} else {
			var kept string
			kept, err = ix.Text(at-c.Starts[file], again)
			text = []byte(kept)
		}
		switch {
		case ix != nil && errors.Is(err, index.ErrCorrupt):
			return false, err
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case ix != nil && err != nil: // it is neither shown nor compared
			continue
		case ix == nil && (err != nil || !c.hasText(at, text)):
			return false, nil
		}
		_ = see(at, &document.Document{Text: text}) // which fails for nothing
	}
	return true, nil
}
