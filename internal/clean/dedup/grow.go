package dedup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/quality/explain"
)

// known takes up what an earlier run has seen of the files that this one has not read, if the Collection goes on from its result. What
// cannot be read is as good as absent: all files are written anew then. It returns the facts.
func (d *Decisions) known() []seenFacts {
	c := d.c
	if d.was != nil {
		return d.was.Facts
	}
	if len(c.Was)+len(c.WasDocument) == 0 {
		return nil
	}
	r, err := readSeen(c.Options.FS, filepath.Join(c.Options.earlier(), seenName))
	if err != nil {
		return nil
	}
	for file, first := range c.Was {
		if !r.Move(first, c.Starts[file], c.Starts[file+1]-c.Starts[file]) {
			return nil
		}
	}
	d.was = r
	return r.Facts
}

// stand finds out what an earlier result says of each document, with Options.Append.
func (d *Decisions) stand() error {
	c := d.c
	if !c.Options.Append || c.Decided != nil { // then it is known
		return nil
	}
	if d.known(); len(c.Was)+len(c.WasDocument) > 0 && d.was == nil {
		return fmt.Errorf("%w: %s: what was removed is not known", ErrState, filepath.Join(c.Options.State, seenName))
	}
	c.Stands = slices.Repeat([]uint8{standsNew}, len(c.Lengths))
	for file, first := range c.Was {
		for doc := c.Starts[file]; doc < c.Starts[file+1]; doc++ {
			c.Stands[doc] = standsKept + d.was.Removed[first+doc-c.Starts[file]]
		}
	}
	for doc, was := range c.WasDocument {
		c.Stands[doc] = standsKept + d.was.Removed[was]
	}
	return nil
}

// isKnown reports whether an earlier run has read a file, and has told what it has seen.
func (d *Decisions) isKnown(file int) bool {
	_, is := d.c.Was[file]
	return is && d.was != nil
}

// takeFacts takes the facts that an earlier run has seen.
func (d *Decisions) takeFacts() {
	for _, f := range d.known() {
		if doc, ok := d.was.Now(f.Document); ok {
			d.facts.Take(doc, f.Facts)
		}
	}
}

// takeTexts takes the texts that an earlier run has seen, as far as they are not to be analysed.
func (t *textsOf) takeTexts(d *Decisions) {
	if d.was == nil || t == nil {
		return
	}
	for _, is := range d.was.Texts {
		doc, ok := d.was.Now(is.Document)
		if wanted, shown := t.of[doc]; ok && shown && max(mostText, wanted.most) == is.Most {
			t.of[doc] = caught{text: string(is.Text), cut: is.More, most: is.Most, seen: true}
		}
	}
}

// save saves what was seen for the next run.
func (o *outputs) save() error {
	d, c := o.d, o.d.c
	if c.Options.State == "" || c.Ends != nil || c.Options.Settings.Image != 0 {
		return nil
	}
	r := &seenRun{Removed: make([]byte, len(d.kept))}
	for doc := range r.Removed {
		if d.kept[doc] != uint32(doc) {
			r.Removed[doc] = 1
		}
	}
	d.facts.Each(func(doc uint32, is explain.Facts) { r.Facts = append(r.Facts, seenFacts{Document: doc, Facts: is}) })
	for _, unit := range o.texts.wanted {
		if is := o.texts.of[unit]; is.seen {
			r.Texts = append(r.Texts, seenText{Document: unit, Text: []byte(is.text), More: is.cut, Most: is.most})
		}
	}
	if _, err := disk.MkdirAll(c.Dir, filepath.Dir(seenName)); err != nil {
		return err
	}
	return writeSeen(c.Dir, filepath.FromSlash(seenName), r)
}

// stays reports whether the output of a file is that of the earlier result, which becomes that of this one without being written again.
func (o *outputs) stays(file int) (bool, error) {
	d, c := o.d, o.d.c
	first := c.Was[file]
	isTable := strings.HasPrefix(c.Origin(file, c.Starts[file]).Format, corpus.Parquet.String())
	if !d.isKnown(file) || c.Options.Annotate || c.Options.From != "" || isTable { // a table may be copied as it is, since it cannot be written
		return false, nil
	}
	removed := 0
	for doc := c.Starts[file]; doc < c.Starts[file+1]; doc++ {
		is := d.kept[doc] != doc
		if is != (d.was.Removed[first+doc-c.Starts[file]] == 1) {
			return false, nil
		}
		if is {
			removed++
		}
	}
	if name := c.keptPath(file - c.Refs); removed < int(c.Starts[file+1]-c.Starts[file]) {
		return c.Dir.Keep(filepath.ToSlash(name))
	}
	return false, nil // there may be no output, which is soon found out
}

// look reads those documents of a file again of which something is wanted, and nothing is known. If one is not where it was, it
// reads the file.
func (o *outputs) look(ctx context.Context, file int) (err error) {
	d, c := o.d, o.d.c
	wanted := d.facts.unknown(c.Starts[file], c.Starts[file+1])
	for _, unit := range o.texts.between(c.Starts[file], c.Starts[file+1]) {
		if o.texts.unseen(unit) {
			wanted = append(wanted, unit)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	slices.Sort(wanted)
	was := c.Options.Corpus
	if file < c.Refs && c.Options.AgainstField != "" {
		was.TextField = c.Options.AgainstField
	}
	was.Context = ctx
	again, err := corpus.NewRereader(was)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, again.Close()) }()
	for _, at := range slices.Compact(wanted) {
		text, err := again.Text(c.Origin(file, at))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || !c.hasText(at, text) {
			follow := c.Follow(file)
			return follow.Read(ctx, func(at uint32, doc *document.Document) error {
				d.facts.See(at, doc.Text)
				o.texts.seeDocument(at, doc)
				return nil
			})
		}
		d.facts.See(at, text)
		o.texts.seeDocument(at, &document.Document{Text: text})
	}
	return nil
}

// unseen reports whether the text of a unit is not known.
func (t *textsOf) unseen(unit uint32) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.of[unit].seen
}
