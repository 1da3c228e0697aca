package dedup

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"simsearch/internal/clean/review"
	"simsearch/internal/clean/run"
	"simsearch/internal/clean/warnings"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/join"
	"simsearch/internal/match/prefix"
	"simsearch/internal/quality/explain"
)

// Decisions say which units of a Collection are kept.
type Decisions struct {
	c     *Collection
	coded join.Relation // of the sets
	// Measured returns the similarity of two sets, in [0, 1], and the share of the first that the other has.
	measured func(set, other uint32) (similarity, inside float64)
	sets     warnings.Sets // or nil if they are fingerprints
	grouper  *join.Grouper // at the threshold
	best     []uint32      // the unit that is kept of those that have each set
	// Boilerplate says of each set whether it adds only boilerplate to one that is near. It is nil if that is not known.
	boilerplate []bool
	order       []uint32 // the sets in the order in which they are kept
	refs        int      // how many of these the reference has
	// Kept is, for each unit, the one that is kept in its place; itself if it is kept. units of the reference come
	// first.
	kept []uint32
	near []float64 // the similarity of each set to that of the unit kept for it
	// Inside is, for each set that is no nearer than Options.Contained wants, the share of its features that
	// the other one has, and else 0. It is nil without that option.
	inside []float64
	class  []uint64               // with Options.Spare: what Grouper.Divide has been given
	facts  *caught[explain.Facts] // of documents that are removed for others, and of these, once texts have been written

	// For a person who looks at some removals:
	asked      int           // how many
	marks      *review.Marks // what was said of some, or nil
	population review.Population
	reviewed   []review.Candidate

	centers []uint32     // the set that is kept in the place of each
	copies  []float64    // with Options.Copy: how likely each set is a copy of that one
	judged  []nearSets   // with Options.Copy, unless there are crowds: the pairs that were judged, ascending
	crowded bool         // with Options.Copy: near pairs are too many to be judged
	texts   *textRecords // that were read last, or nil
	losses  losses       // with Options.Lossless

	// Of parts of documents:
	removed []bool // documents of which nothing is left
	cut     Cuts
}

// Decide finds the near units, and decides which are kept. The decisions depend on the documents and the options
// alone, not on threads or memory. It takes about two bytes a feature of sets, in a temporary file beyond 64 MiB,
// and what prefix.Sets.Stars takes. It ends the use of what an earlier call has returned. The error is that of the
// file system, or the cause of ctx.
func Decide(ctx context.Context, of *Collection) (d *Decisions, err error) {
	c := of
	c.files = Files{}
	if len(c.Passes) > 0 { // else other processes have read the files, or there are none
		if err := c.findLeftOut(ctx, func(file int) bool { return c.hasNothing(file) || c.Unreadable(file) }); err != nil {
			return nil, err
		}
	}
	err = disk.Guarded(func() error {
		d, err = c.decide(ctx)
		return err
	})
	return d, err
}

func (c *Collection) decide(ctx context.Context) (_ *Decisions, err error) {
	d := &Decisions{c: c}
	defer func() { err = errors.Join(err, d.closeTexts()) }()
	if err := d.collect(ctx); err != nil {
		return nil, err
	}
	how := join.Options{Threads: c.Options.Threads, Progress: c.Options.DidParts}
	d.stand()
	d.best = d.firsts()
	least, err := d.relate(ctx, how)
	if err != nil {
		return nil, err
	}
	d.setOrder(d.grouper)
	if err := inTurn(ctx, d, losslessPairs, spare); err != nil {
		return nil, err
	}
	if d.centers, err = d.group(ctx, d.grouper, least, how); err != nil {
		return nil, err
	}
	if apart(d, d.centers) {
		if d.centers, err = d.group(ctx, d.grouper, least, how); err != nil {
			return nil, err
		}
	}
	if err := inTurn(ctx, d, judgeCenters, losslessCenters, measureCenters); err != nil {
		return nil, err
	}
	d.kept = keptFor(d, d.centers)
	if c.Ends != nil {
		d.choose()
	}
	if d.texts != nil {
		return d, d.texts.findFacts(ctx, d)
	}
	return d, nil
}

// inTurn does one after the other, until one fails.
func inTurn(ctx context.Context, d *Decisions, all ...func(context.Context, *Decisions) error) error {
	for _, do := range all {
		if err := do(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// relate finds the near pairs of sets and what is boilerplate by these, and remembers them for a state. It returns
// the value from which on they are near.
func (d *Decisions) relate(ctx context.Context, how join.Options) (least float64, err error) {
	c := d.c
	if c.Options.Copy > 0 {
		return judgePairs(ctx, d, how)
	}
	c.Options.Next(run.Comparing)
	d.grouper, err = join.NewGrouper(ctx, d.coded, c.Options.Threshold, how)
	if err == nil {
		err = findBoilerplate(d)
	}
	if err == nil && c.Near == nil && d.grouper.Few() && !c.Options.ByDistance() && c.stored != nil {
		d.remember()
	}
	return c.Options.Threshold, err
}

// remember remembers the near pairs for a state.
func (d *Decisions) remember() {
	d.c.Near = &NearPairs{At: d.c.Options.Threshold}
	_ = d.grouper.EachPair(func(a, b uint32, similarity float64) error {
		d.c.Near.Add(a, b, similarity)
		return nil
	})
}

// collect collects the sets, so that they can be compared.
func (d *Decisions) collect(ctx context.Context) error {
	c := d.c
	if c.Options.ByDistance() {
		all := make([]uint64, 0, len(c.Sizes))
		err := c.eachSet(ctx, func(_ uint32, one []uint64) error {
			all = append(all, one...)
			return nil
		})
		prints := join.NewFingerprints(all, c.Options.Settings.Bits)
		d.coded = prints
		d.measured = func(set, other uint32) (float64, float64) { return prints.Similarity(set, other), 0 }
		if c.Near != nil {
			d.coded = join.Known(len(c.Sizes), c.Near.each)
		}
		return err
	}
	near := c.Near
	if near == nil && c.Options.Threshold == 1 && c.Options.Contained == 0 && !c.Options.byTexts() {
		near = &NearPairs{} // equal sets are one
	}
	if near != nil {
		is, _ := c.sets.(Measured)
		d.coded = join.Known(len(c.Sizes), near.each)
		d.compares(is)
		return nil
	}
	sets := &join.Sets{Sets: c.coded(), Contained: c.Options.Contained, Memory: c.Options.Memory / 8}
	d.coded = sets
	d.compares(sets)
	if sets.Sets != nil {
		return nil
	}
	c.Options.Next(counting)
	if err := c.Codes.Close(); err != nil {
		return err
	}
	c.Codes = spill.NewBytes(c.Options.FS, c.Options.Temp, c.Options.holds())
	coded, err := prefix.Collect(ctx, comparedSets{c, len(c.Sizes)},
		prefix.Options{Threads: c.Options.Threads, Memory: c.Options.Memory / 4, Codes: &c.Codes, Progress: c.Options.Progress})
	sets.Sets = coded
	return err
}

// compares makes sets those that are near by the Jaccard similarity of their features.
func (d *Decisions) compares(sets Comparable) {
	d.sets = sets
	d.measured = func(set, other uint32) (similarity, inside float64) {
		shared, a, b := sets.Shared(set, other)
		return float64(shared) / float64(a+b-shared), float64(shared) / float64(a)
	}
}

// nearness is what d.measured says of two sets, which may be one.
func (d *Decisions) nearness(set, other uint32) (similarity, inside float64) {
	if set == other {
		return 1, 1
	}
	return d.measured(set, other)
}

// measureCenters finds out how near each set is to the one that is kept in its place.
func measureCenters(ctx context.Context, d *Decisions) error {
	const together = 1 << 14 // sets
	c := d.c
	d.near = make([]float64, len(d.centers))
	if c.Options.Contained > 0 {
		d.inside = make([]float64, len(d.centers))
	}
	return c.Options.Each(ctx, len(d.centers), together, nil, func(_ context.Context, from, to int) error {
		for set := from; set < to; set++ {
			similarity, inside := d.nearness(uint32(set), d.centers[set])
			if d.near[set] = similarity; d.inside != nil && similarity < c.Options.Threshold {
				d.inside[set] = inside
			}
		}
		return nil
	})
}

// before reports whether unit a is kept rather than b. Of parts of documents, it is the first.
func (d *Decisions) before(a, b uint32) bool {
	c := d.c
	if c.Ends != nil {
		return a < b
	}
	first := c.Starts[c.Refs]
	if inA, inB := a < first, b < first; inA != inB {
		return inA
	}
	switch {
	case c.Stands != nil && c.Stands[a] != c.Stands[b]:
		return c.Stands[a] < c.Stands[b]
	case c.Options.Keep.Way == Cleanest && adds(d, a) != adds(d, b):
		return adds(d, b)
	case c.Keys != nil && c.Keys.Compare(a, b) != 0:
		return c.Keys.Compare(a, b) > 0
	case c.Options.Keep.Way.isLongest() && c.Lengths[a] != c.Lengths[b]:
		return c.Lengths[a] > c.Lengths[b]
	}
	return a < b
}

// firsts returns, for each set, the unit that is kept of those that have it.
func (d *Decisions) firsts() []uint32 {
	c := d.c
	best := make([]uint32, len(c.Sizes))
	for i := range best {
		best[i] = NoSet
	}
	for unit, set := range c.SetOf {
		if set != NoSet && (best[set] == NoSet || d.before(uint32(unit), best[set])) {
			best[set] = uint32(unit)
		}
	}
	return best
}

// setOrder sets d.order and d.refs, for groups by some near pairs. If contained documents are removed, larger sets
// come first: what contains a document is kept before it is looked at. If the pairs are listed, sets that have none
// come in any order: first those of the reference, and last the others.
func (d *Decisions) setOrder(near *join.Grouper) {
	c, first := d.c, d.c.unitsEnd(d.c.Starts[d.c.Refs])
	var paired []bool // or nil
	if near.Few() && c.Options.Contained == 0 {
		paired = near.Paired()
	}
	d.order, d.refs = make([]uint32, 0, len(c.Sizes)), 0
	var sorted, rest []uint32
	for set := range uint32(len(c.Sizes)) {
		isRef := d.best[set] < first
		if isRef {
			d.refs++
		}
		switch {
		case paired == nil || paired[set]:
			sorted = append(sorted, set)
		case isRef:
			d.order = append(d.order, set)
		default:
			rest = append(rest, set)
		}
	}
	slices.SortFunc(sorted, func(a, b uint32) int {
		inA, inB := d.best[a], d.best[b]
		if bySize := cmp.Compare(c.Sizes[b], c.Sizes[a]); bySize != 0 && c.Options.Contained > 0 && inA >= first && inB >= first {
			return bySize
		}
		if d.before(inA, inB) {
			return -1
		}
		return 1 // no two sets have one unit
	})
	d.order = append(append(d.order, sorted...), rest...)
}

// group returns, for each set, the one that is kept in its place at similarity t.
func (d *Decisions) group(ctx context.Context, near *join.Grouper, t float64, how join.Options) (centers []uint32, err error) {
	if d.c.Options.Chain {
		return near.Components(ctx, t, d.order, how)
	}
	return near.Stars(ctx, t, d.order, d.refs, how)
}

// exact reports whether a removed document has the text of the one kept for it.
func (d *Decisions) exact(doc uint32) bool {
	c, kept := d.c, d.kept[doc]
	return c.SetOf[doc] == c.SetOf[kept] && c.Digests[doc] == c.Digests[kept] && c.Lengths[doc] == c.Lengths[kept]
}

// similarity returns the similarity of a document to the one kept for it.
func (d *Decisions) similarity(doc uint32) float64 {
	if d.c.SetOf[d.kept[doc]] == d.c.SetOf[doc] {
		return 1
	}
	return d.near[d.c.SetOf[doc]]
}

// staysAlone reports whether a unit is a part of too few words to be cut.
func (d *Decisions) staysAlone(unit uint32) bool {
	_, short := slices.BinarySearch(d.c.shortSets, d.c.SetOf[unit])
	return short
}

// choose decides on the documents that have parts: a short part is cut only with its document, which is removed if
// nothing is left of it but what stays elsewhere, and something is cut.
func (d *Decisions) choose() {
	c := d.c
	d.removed = make([]bool, len(c.Lengths))
	for doc := c.Starts[c.Refs]; int(doc) < len(c.Lengths); doc++ {
		from, to := c.units(doc, doc+1)
		some, all := false, true
		for part := from; part < to; part++ {
			again := d.kept[part] != part
			some = some || again && !d.staysAlone(part)
			all = all && (again || c.SetOf[part] == NoSet)
		}
		if some && all {
			d.removed[doc] = true
			continue
		}
		for part := from; part < to; part++ {
			if d.staysAlone(part) {
				d.kept[part] = part
			}
		}
	}
}

// contained returns which share of the features of a removed document is in the one kept for it, if it is removed for
// that, and else 0.
func (d *Decisions) contained(doc uint32) float64 {
	if d.inside == nil || d.c.SetOf[d.kept[doc]] == d.c.SetOf[doc] {
		return 0
	}
	return d.inside[d.c.SetOf[doc]]
}

// A Kept is the document that is kept in the place of another one: its number in the order of reading from 0, and its
// Similarity, which stands for Distance in bits if near goes by that. Contained is as KeptFor says.
type Kept struct {
	Document   int
	Similarity float64
	Distance   int
	Contained  float64
}

// KeptFor returns which document is kept in the place of document doc: doc itself if it is kept. Contained is the
// share of its features that the other one has, if it is removed for that, and else 0.
func (d *Decisions) KeptFor(doc int) Kept {
	is, of := d.kept[doc], uint32(doc)
	if is == of || d.c.SetOf[is] == d.c.SetOf[of] {
		return Kept{Document: int(is), Similarity: 1}
	}
	similarity := d.similarity(of)
	return Kept{int(is), similarity, join.DistanceAt(similarity, d.c.Options.Settings.Bits), d.contained(of)}
}
