package dedup

import (
	"context"
	"fmt"

	"simsearch/internal/files/document"
	"simsearch/internal/quality/explain"
)

// differs returns in which facts a removed document differs from the one kept for it, as far as texts have been seen.
func differs(d *Decisions, doc uint32) explain.FactKinds {
	kept := d.kept[doc]
	if kept == doc || d.exact(doc) {
		return 0
	}
	return d.facts.at(doc).Differ(d.facts.at(kept))
}

// verdict returns what a removed document is to the one kept for it.
func verdict(d *Decisions, doc uint32) explain.Verdict {
	switch a, b := d.facts.at(doc), d.facts.at(d.kept[doc]); {
	case d.exact(doc):
		return explain.Same
	case !a.Known() || !b.Known():
		return ""
	default:
		return explain.VerdictByFacts(a, b, d.contained(doc) > 0)
	}
}

// hasTexts reports whether documents have texts, and are compared as a whole.
func hasTexts(d *Decisions) bool { return d.c.Ends == nil && d.c.Options.Settings.Image == 0 }

// wantFacts wants the facts of removed documents and of those kept for them, unless the texts are equal, for the time
// when files are written.
func wantFacts(d *Decisions) {
	if !hasTexts(d) {
		return
	}
	var wanted []uint32
	for i, kept := range d.kept {
		if doc := uint32(i); kept != doc && !d.exact(doc) {
			wanted = append(wanted, doc, kept)
		}
	}
	seen := d.facts // with Options.Spare
	d.takeFacts(wanted)
	seen.each(d.facts.put)
}

// spare makes sets near only if their documents do not differ in the facts of Options.Spare: those of the documents
// that are kept of each. It reads the files again that have documents of sets that are near another one, or of
// several documents.
func spare(ctx context.Context, d *Decisions) error {
	c := d.c
	if c.Options.Spare == 0 {
		return nil
	}
	several := make([]bool, len(c.Sizes)) // sets of different texts
	for doc, set := range c.SetOf {
		if set != NoSet && c.Digests[doc] != c.Digests[d.best[set]] {
			several[set] = true
		}
	}
	var near []bool
	if d.grouper.Few() {
		near = d.grouper.Paired()
	}
	for set := range several {
		several[set] = several[set] || near == nil || near[set]
	}
	var wanted []uint32
	for doc, set := range c.SetOf {
		if set != NoSet && several[set] {
			wanted = append(wanted, uint32(doc))
		}
	}
	d.takeFacts(wanted)
	if err := readDocuments(ctx, d, d.facts); err != nil {
		return err
	}
	for _, doc := range wanted {
		if doc < c.Starts[c.Refs] && !d.facts.at(doc).Known() {
			return fmt.Errorf("%s has no texts whose facts could be compared: give the files of the reference", c.Files[c.fileOf(doc)].Path)
		}
	}
	d.class = make([]uint64, len(c.Sizes))
	for set := range d.class {
		d.class[set] = d.facts.at(d.best[set]).Key(d.c.Options.Spare &^ (explain.Names | explain.Order))
	}
	d.grouper.Divide(d.class)
	return nil
}

// apart divides sets once more: those whose documents differ from those of their centers are near only what has the
// same facts of Options.Spare. It reports whether there are any.
func apart(d *Decisions, centers []uint32) (some bool) {
	for set := range d.class {
		if doc, center := d.best[set], d.best[centers[set]]; spared(d, doc, center) {
			d.class[set], some = d.facts.at(doc).Key(d.c.Options.Spare), true
		}
	}
	if some {
		d.grouper.Divide(d.class)
	}
	return some
}

// spared reports whether documents differ in the facts of Options.Spare.
func spared(d *Decisions, a, b uint32) bool {
	return a != b && d.facts.at(a).Differ(d.facts.at(b))&d.c.Options.Spare != 0
}

// takeFacts makes d.facts those of some documents, which are known as far as an earlier run has seen them, or another
// process.
func (d *Decisions) takeFacts(wanted []uint32) {
	c, e := d.c, d.c.earlier
	d.facts = catch(wanted, func(_ uint32, doc *document.Document) explain.Facts { return explain.FactsOf(doc.Text) })
	if e != nil {
		for i, was := range e.FactsOf {
			d.facts.put(e.nowDocument(was), explain.Facts(e.Facts[i*explain.FactWords:]))
		}
	}
	if c.Facts != nil {
		for _, doc := range d.facts.wanted {
			d.facts.put(doc, c.Facts[doc])
		}
	}
}

// readDocuments reads the documents of which something is wanted and not known.
func readDocuments(ctx context.Context, d *Decisions, of catcher) error {
	c := d.c
	if c.Facts != nil { // there are no files
		return nil
	}
	c.Options.Next(sparing)
	return c.Options.Each(ctx, len(c.Files), 1, c.Options.DidParts, func(ctx context.Context, file, _ int) error {
		return c.readAgain(ctx, file, of)
	})
}

// keptFor returns, for each unit, the one that is kept in its place, given the centers of sets.
func keptFor(d *Decisions, centers []uint32) []uint32 {
	c := d.c
	kept, first := make([]uint32, len(c.SetOf)), c.unitsEnd(c.Starts[c.Refs])
	for unit, set := range c.SetOf {
		kept[unit] = uint32(unit)
		if set != NoSet && uint32(unit) >= first {
			kept[unit] = d.best[centers[set]]
		}
	}
	if c.Options.Spare == 0 {
		return kept
	}
	// Of a set, there may be documents that differ from the one that is kept: of these, too, the first of each class
	// is kept.
	type ofSet struct {
		set   uint32
		class uint64
	}
	others := map[ofSet]uint32{}
	differ := func(unit uint32) (of ofSet, ok bool) {
		if spared(d, unit, kept[unit]) {
			of, ok = ofSet{c.SetOf[unit], d.facts.at(unit).Key(c.Options.Spare)}, true
		}
		return of, ok
	}
	for i := range kept {
		unit := uint32(i)
		if of, ok := differ(unit); ok {
			if best, known := others[of]; !known || d.before(unit, best) {
				others[of] = unit
			}
		}
	}
	for i := range kept {
		if of, ok := differ(uint32(i)); ok {
			kept[i] = others[of]
		}
	}
	return kept
}
