package dedup

import (
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/files/corpus"
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

// nowDocument returns the number that a document of the earlier result has now, or noDocument.
func (e *earlier) nowDocument(was uint32) uint32 {
	if int64(was) >= int64(len(e.now)) {
		return noDocument
	}
	return e.now[was]
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
		d.facts.each(func(doc uint32, facts explain.Facts) {
			is.FactsOf, is.Facts = append(is.FactsOf, place(doc)), append(is.Facts, facts[:]...)
		})
		o.texts.each(func(doc uint32, text seenText) {
			text.Document = place(doc)
			is.Texts = append(is.Texts, text)
		})
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
