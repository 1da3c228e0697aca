package dedup

import (
	"context"

	"simsearch/internal/dedupreport"
	"simsearch/internal/setjoin"
	"simsearch/section"
)

// StateName is the name of the file in the directory of Write that has what was decided: --rethreshold and a run that
// was interrupted read it.
const StateName = "state"

// readingName is the name of the file in Options.State that says what the parts of a journal are of.
const readingName = "reading"

// Names of sections.
const (
	secAbout         = "about"
	secLengths       = "documents.lengths"
	secDigests       = "documents.digests"
	secOf            = "documents.sets"
	secIDs           = "documents.ids"
	secIDEnds        = "documents.idends"
	secSizes         = "sets.sizes"
	secDigestsOfSets = "sets.digests"
	secFeatures      = "sets.features"
	secKept          = "kept"
	secNear          = "near"
	secBest          = "best"
	secOrder         = "order"
	secInside        = "inside" // with Options.Contained
)

// A savedState is the JSON of a state.
type savedState struct {
	Run       about
	Names     escapedNames // of the outputs
	Documents []uint32     // of each file
	Bad       []int
	Sets      int
	Out       boilerplate
	Unread    int                       // documents without a key
	First     string                    // the place of the first of them
	Below     []dedupreport.AtThreshold // thresholds below that of the run; with Options.Contained others, too
	Glued     bool                      // there are suspicious groups, whose glue is in all sets: they have to be read again
}

// A known is what is known of an earlier run.
type known struct {
	best, order []uint32 // as Collection.best and Collection.order return them
	refSets     int
	below       []dedupreport.AtThreshold // what was counted of other thresholds
}

// writeDocuments writes what is known of documents and of the sizes of sets, from the given numbers on. A column that a
// Collection has for each document or set stands here and in readDocuments.
func (c *Collection) writeDocuments(w *section.Writer, fromDocument, fromSet int) {
	w.Begin(secLengths)
	w.Uint32s(c.lengths[fromDocument:])
	w.Begin(secDigests)
	w.Uint64s(c.digests[fromDocument:])
	w.Begin(secOf)
	w.Uint32s(c.of[fromDocument:])
	ids := uint64(0)
	if fromDocument > 0 {
		ids = c.idEnds[fromDocument-1]
	}
	w.Begin(secIDs)
	_, _ = w.Write(c.ids[ids:])
	w.Begin(secIDEnds)
	w.Uint64s(c.idEnds[fromDocument:])
	w.Begin(secSizes)
	w.Uint32s(c.sizes[fromSet:])
}

// save writes the decisions to Options.State, if there is one, with all that is needed to write the result, and to decide
// again at higher thresholds. What was kept of the reading is removed, unless it is needed for the glue of suspicious groups.
func (d *Decisions) save(ctx context.Context) error {
	c := d.c
	if c.o.State == "" {
		return nil
	}
	some, err := d.nearSets(ctx)
	if err != nil {
		return err
	}
	if d.below, err = d.countBelow(ctx); err != nil {
		return err
	}
	s := savedState{Run: c.run, Names: c.names, Documents: c.counts, Bad: c.bad, Sets: len(c.sizes), Out: c.out, Below: d.below, Glued: c.earlier == nil && len(d.suspicious(d.clusters())) > 0}
	if c.keys != nil {
		s.Unread, s.First = c.keys.unread, c.keys.first
	}
	best := c.best()
	order, _ := c.order(best)
	var failed error
	err = writeSections(c.dir, StateName, func(w *section.Writer) {
		w.Begin(secAbout)
		_, _ = w.Write(marshal(s))
		c.writeDocuments(w, 0, 0)
		w.Begin(secKept)
		w.Uint32s(d.kept)
		writeShares(w, secNear, d.near)
		if d.inside != nil {
			writeShares(w, secInside, d.inside)
		}
		w.Begin(secBest)
		w.Uint32s(best)
		w.Begin(secOrder)
		w.Uint32s(order)
		failed = d.coded.write(w, func(i uint32) bool { return some[i] })
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if s.Glued {
		return nil
	}
	return removeParts(c.dir, 0)
}

// nearSets returns which sets are near another one. Sets of the reference that are near those alone may be left out.
func (d *Decisions) nearSets(ctx context.Context) ([]bool, error) {
	c := d.c
	coded, ok := d.coded.(*similarSets)
	if ok && d.grouper.Few() {
		return d.grouper.Paired(), nil
	}
	some := make([]bool, len(c.sizes))
	if !ok { // all are written
		return some, nil
	}
	best := c.best()
	order, _ := c.order(best)
	for set, center := range d.centers {
		if center != uint32(set) {
			some[set], some[center] = true, true
		}
	}
	if c.o.Chain || c.o.Contained > 0 { // near sets are in a group, or it is not decided again
		return some, nil
	}
	// A set that is kept, and that nothing belongs to, may be near one that is removed.
	var removed, others []uint32
	for _, set := range order {
		switch {
		case d.centers[set] != set:
			removed = append(removed, set)
		case !some[set]:
			others = append(others, set)
		}
	}
	how := setjoin.StarOptions{First: len(removed), OnlyFirst: true}
	stars, err := setjoin.Stars(ctx, coded.Sets.Sets, c.o.Threshold, append(removed, others...), how, setjoin.Options{Threads: c.o.Threads})
	for _, set := range others {
		some[set] = err == nil && stars[set].Center != set
	}
	return some, err
}

// countBelow counts what would be removed at those thresholds of a report that are less than that of the run. At higher
// ones, too, if contained documents are removed: the sets that are saved do not tell.
func (d *Decisions) countBelow(ctx context.Context) (counts []dedupreport.AtThreshold, err error) {
	var at []float64
	for _, t := range d.c.reportedAt() {
		if t < d.c.o.Threshold || d.c.o.Contained > 0 {
			at = append(at, t)
		}
	}
	removed, err := d.removedAt(ctx, at)
	for i, n := range removed {
		counts = append(counts, dedupreport.AtThreshold{Threshold: at[i], Removed: n})
	}
	return counts, err
}

// removedAt is RemovedAt for thresholds of which some have been counted before.
func (d *Decisions) removedAt(ctx context.Context, at []float64) ([]int, error) {
	counted := map[float64]int{}
	for _, k := range d.below {
		counted[k.Threshold] = k.Removed
	}
	if k := d.c.earlier; k != nil {
		for _, b := range k.below {
			counted[b.Threshold] = b.Removed
		}
	}
	var left []float64
	for _, t := range at {
		if _, ok := counted[t]; !ok {
			left = append(left, t)
		}
	}
	if len(left) > 0 {
		d.c.phase(Trying)
	}
	removed, err := d.RemovedAt(ctx, left)
	if err != nil {
		return nil, err
	}
	for i, n := range removed {
		counted[left[i]] = n
	}
	all := make([]int, len(at))
	for i, t := range at {
		all[i] = counted[t]
	}
	return all, nil
}
