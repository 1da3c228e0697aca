package dedup

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/quality/explain"
)

// stand finds out what an earlier result says of each document, with Options.Append.
func (d *Decisions) stand() {
	c := d.c
	if !c.Options.Append {
		return
	}
	c.Stands = slices.Repeat([]uint8{standsNew}, len(c.Lengths))
	for doc := range c.Stands {
		if was, ok := c.wasDocument(uint32(doc)); ok {
			c.Stands[doc] = standsKept + c.earlier.Removed[was]
		}
	}
}

// isKnown reports whether an earlier run has read a file.
func (c *Collection) isKnownFile(file int) bool {
	if c.earlier == nil {
		return false
	}
	_, is := c.earlier.of[file]
	return is
}

// takeFacts takes the facts that an earlier run has seen.
func (d *Decisions) takeFacts() {
	e := d.c.earlier
	if e == nil {
		return
	}
	for _, f := range e.Facts {
		if doc := e.nowDocument(f.Document); doc != noDocument {
			d.facts.Take(doc, f.Facts)
		}
	}
}

// nowDocument returns the number that a document of the earlier result has now, or noDocument.
func (e *earlier) nowDocument(was uint32) uint32 {
	if int64(was) >= int64(len(e.now)) {
		return noDocument
	}
	return e.now[was]
}

// takeTexts takes the texts that an earlier run has seen, as far as they are not to be analysed.
func (t *textsOf) takeTexts(d *Decisions) {
	e := d.c.earlier
	if e == nil || t == nil {
		return
	}
	for _, is := range e.Texts {
		doc := e.nowDocument(is.Document)
		if wanted, shown := t.of[doc]; shown && max(mostText, wanted.most) == is.Most {
			t.of[doc] = caught{text: string(is.Text), cut: is.More, most: is.Most, seen: true}
		}
	}
}

// save saves what was decided and seen for the next run.
func (o *outputs) save() error {
	d, c := o.d, o.d.c
	if c.Options.State == "" || c.Ends != nil {
		return nil
	}
	is := &past{run: c.run}
	if c.stored != nil && c.isWhole() {
		is.Parts = c.kept
		place := func(doc uint32) uint32 { return doc }
		is.Removed = make([]byte, len(d.kept))
		if c.earlier != nil && c.stored.places != nil {
			place = func(doc uint32) uint32 { return c.place[doc] }
			is.Removed = slices.Repeat([]byte{wasGone}, c.documentsKept)
		}
		for doc, kept := range d.kept {
			is.Removed[place(uint32(doc))] = wasKept
			if kept != uint32(doc) {
				is.Removed[place(uint32(doc))] = wasRemoved
			}
		}
		d.facts.Each(func(doc uint32, facts explain.Facts) { is.Facts = append(is.Facts, seenFacts{place(doc), facts}) })
		for _, unit := range o.texts.wanted {
			if t := o.texts.of[unit]; t.seen {
				is.Texts = append(is.Texts, seenText{Document: place(unit), Text: []byte(t.text), More: t.cut, Most: t.most})
			}
		}
		if is.Near = c.Near; c.nearOfOwn {
			is.Near = nil
		} else if c.Near != nil && c.stored.places != nil {
			is.Near = &NearPairs{At: c.Near.At, Copies: c.Near.Copies}
			c.Near.each(func(a, b uint32, similarity float64) { is.Near.Add(c.stored.places[a], c.stored.places[b], similarity) })
		}
	}
	if _, err := disk.MkdirAll(c.Dir, filepath.Dir(stateName)); err != nil {
		return err
	}
	return is.write(part{c.Dir, filepath.FromSlash(stateName)})
}

// stays reports whether the output of a file is that of the earlier result, which becomes that of this one without
// being written again.
func (o *outputs) stays(file int) (bool, error) {
	d, c := o.d, o.d.c
	if !c.isKnownFile(file) {
		return false, nil
	}
	was := c.earlier.of[file]
	isTable := strings.HasPrefix(was.format, corpus.Parquet.String())
	if c.Options.Annotate || c.Options.From != "" || isTable { // a table may be copied as it is, since it cannot be written
		return false, nil
	}
	removed := 0
	for doc := c.Starts[file]; doc < c.Starts[file+1]; doc++ {
		is := d.kept[doc] != doc
		if is != (c.earlier.Removed[was.from+doc-c.Starts[file]] == wasRemoved) {
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

// look reads those documents of a file again of which something is wanted, and nothing is known. If one is not where
// it was, it reads the file.
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
