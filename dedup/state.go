package dedup

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"simsearch/internal/dedupreport"
	"simsearch/prefix"
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
)

// A savedState is the JSON of a state.
type savedState struct {
	Run       about
	Names     escapedNames // of the outputs
	Documents []uint32     // of each file
	Bad       []int
	BadAt     [][]uint32 `json:",omitempty"` // as Collection.badAt
	Sets      int
	Below     []dedupreport.AtThreshold // thresholds below that of the run
	Glued     bool                      // there are suspicious groups, whose glue is in all sets: they have to be read again
}

// A known is what is known of an earlier run.
type known struct {
	best, order []uint32 // as Collection.best and Collection.order return them
	refSets     int
	settings    []dedupreport.Setting
	threshold   float64                   // below it, similarities are unknown
	below       []dedupreport.AtThreshold // what was counted there
}

// at returns the settings of a run at another threshold.
func (k *known) at(threshold float64) []dedupreport.Setting {
	settings := slices.Clone(k.settings)
	for i, s := range settings {
		if s.Name == "jaccard" {
			settings[i].Value = fmt.Sprint(threshold)
		}
	}
	return settings
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

// readDocuments appends what writeDocuments has written of some documents and sets. After an error nothing is appended.
func (c *Collection) readDocuments(f *section.File, documents, sets int) error {
	lengths, err := f.Uint32s(secLengths, uint64(documents))
	if err != nil {
		return err
	}
	digests, err := f.Uint64s(secDigests, uint64(documents))
	if err != nil {
		return err
	}
	of, err := f.Uint32s(secOf, uint64(documents))
	if err != nil {
		return err
	}
	ids, err := f.Bytes(secIDs)
	if err != nil {
		return err
	}
	ends, err := f.Uint64s(secIDEnds, uint64(documents))
	if err != nil {
		return err
	}
	sizes, err := f.Uint32s(secSizes, uint64(sets))
	if err != nil {
		return err
	}
	at := uint64(len(c.ids))
	for i, end := range ends {
		if end < at || end > uint64(len(c.ids)+len(ids)) {
			return f.Corruptf(secIDEnds, 8*uint64(i), "id %d ends at %d", i, end)
		}
		at = end
	}
	for i, set := range of {
		if set != noSet && int(set) >= len(c.sizes)+sets {
			return f.Corruptf(secOf, 4*uint64(i), "set %d of %d", set, len(c.sizes)+sets)
		}
	}
	c.lengths, c.digests, c.of = append(c.lengths, lengths...), append(c.digests, digests...), append(c.of, of...)
	c.ids, c.idEnds, c.sizes = append(c.ids, ids...), append(c.idEnds, ends...), append(c.sizes, sizes...)
	return nil
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
	s := savedState{Run: c.run, Names: c.names, Documents: c.counts, Bad: c.bad, BadAt: c.badAt, Sets: len(c.sizes), Below: d.below, Glued: c.earlier == nil && len(d.suspicious(d.clusters())) > 0}
	best := c.best()
	order, _ := c.order(best)
	near := make([]uint64, len(d.near))
	for i, x := range d.near {
		near[i] = math.Float64bits(x)
	}
	var failed error
	err = writeSections(c.o.FS, filepath.Join(c.o.State, StateName), func(w *section.Writer) {
		w.Begin(secAbout)
		_, _ = w.Write(marshal(s))
		c.writeDocuments(w, 0, 0)
		w.Begin(secKept)
		w.Uint32s(d.kept)
		w.Begin(secNear)
		w.Uint64s(near)
		w.Begin(secBest)
		w.Uint32s(best)
		w.Begin(secOrder)
		w.Uint32s(order)
		failed = d.coded.WriteSome(w, func(i uint32) bool { return some[i] })
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
	return removeParts(c.o.FS, c.o.State, 0)
}

// nearSets returns which sets are near another one. Sets of the reference that are near those alone may be left out.
func (d *Decisions) nearSets(ctx context.Context) ([]bool, error) {
	c := d.c
	some := make([]bool, len(c.sizes))
	best := c.best()
	order, _ := c.order(best)
	for set, center := range d.centers {
		if center != uint32(set) {
			some[set], some[center] = true, true
		}
	}
	if c.o.Chain {
		return some, nil // near sets are in a group
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
	touching, err := d.coded.Touching(ctx, c.o.Threshold, removed, others, c.o.Threads)
	for i, set := range others {
		some[set] = err == nil && touching[i]
	}
	return some, err
}

// countBelow counts what would be removed at those thresholds of a report that are less than that of the run.
func (d *Decisions) countBelow(ctx context.Context) (counts []dedupreport.AtThreshold, err error) {
	var at []float64
	for _, t := range d.c.reportedAt() {
		if t < d.c.o.Threshold {
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

// parseState checks a state.
func parseState(data []byte) (f *section.File, s savedState, err error) {
	if f, err = section.Parse(data); err != nil {
		return nil, s, err
	}
	if err := f.Verify(); err != nil {
		return nil, s, err
	}
	head, err := f.Bytes(secAbout)
	if err != nil {
		return nil, s, err
	}
	if err := json.Unmarshal(head, &s); err != nil || s.Run.V != aboutVersion {
		return nil, s, fmt.Errorf("%w: of another version of simsearch", section.ErrVersion)
	}
	documents := uint64(0)
	for _, n := range s.Documents {
		documents += uint64(n)
	}
	if len(s.Documents) != len(s.Run.Files) || len(s.Bad) != len(s.Run.Files) || len(s.BadAt) != len(s.Run.Files) || documents > maxDocuments || s.Sets < 0 || s.Sets > maxDocuments {
		return nil, s, f.Corruptf(secAbout, 0, "%d files with %d documents", len(s.Run.Files), documents)
	}
	return f, s, nil
}

// restore takes up what was saved, of which the files are known.
func (c *Collection) restore(f *section.File, s *savedState) (*Decisions, error) {
	c.counts, c.bad, c.badAt = s.Documents, s.Bad, s.BadAt
	documents := 0
	c.starts = nil
	for _, n := range append(s.Documents, 0) {
		c.starts = append(c.starts, uint32(documents))
		documents += int(n)
	}
	if err := c.readDocuments(f, documents, s.Sets); err != nil {
		return nil, err
	}
	k := &known{settings: s.Run.Settings, threshold: s.Run.Threshold, below: s.Below}
	d := &Decisions{c: c}
	var err error
	if d.kept, err = numbers(f, secKept, documents, documents); err != nil {
		return nil, err
	}
	if k.best, err = numbers(f, secBest, s.Sets, documents); err != nil {
		return nil, err
	}
	if k.order, err = numbers(f, secOrder, s.Sets, s.Sets); err != nil {
		return nil, err
	}
	seen := make([]bool, s.Sets)
	for i, set := range k.order {
		if seen[set] {
			return nil, f.Corruptf(secOrder, 4*uint64(i), "set %d stands there twice", set)
		}
		seen[set] = true
	}
	for doc, kept := range d.kept {
		if d.kept[kept] != kept || int(kept) != doc && c.of[doc] == noSet {
			return nil, f.Corruptf(secKept, 4*uint64(doc), "document %d is kept for document %d", kept, doc)
		}
	}
	near, err := f.Uint64s(secNear, uint64(s.Sets))
	if err != nil {
		return nil, err
	}
	d.near = make([]float64, len(near))
	for i, x := range near {
		if d.near[i] = math.Float64frombits(x); !(d.near[i] >= 0 && d.near[i] <= 1) {
			return nil, f.Corruptf(secNear, 8*uint64(i), "a similarity of %v", d.near[i])
		}
	}
	if d.coded, err = prefix.LoadSome(f, uint64(s.Sets)); err != nil {
		return nil, err
	}
	for _, set := range k.order {
		if k.best[set] < c.starts[c.refs] {
			k.refSets++
		}
	}
	c.earlier = k
	return d, nil
}

// numbers returns a section of n integers less than most.
func numbers(f *section.File, name string, n, most int) ([]uint32, error) {
	xs, err := f.Uint32s(name, uint64(n))
	if err != nil {
		return nil, err
	}
	for i, x := range xs {
		if int(x) >= most {
			return nil, f.Corruptf(name, 4*uint64(i), "%d of %d", x, most)
		}
	}
	return xs, nil
}
