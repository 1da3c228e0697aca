package index

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"simsearch/analysis"
	"simsearch/hamming"
	"simsearch/internal/gather"
	"simsearch/internal/join"
	"simsearch/internal/segment"
	"simsearch/tables"
)

// byDistance searches by the distance of fingerprints.
type byDistance struct {
	ix *Snapshot
	k  int
}

func (d *byDistance) near(_ context.Context, r *analysis.Result, g *gather.One, stats *Stats) error {
	if err := checkWidth(d.ix.Settings(), r.Fingerprint); err != nil || !r.HasFingerprint {
		return err
	}
	var work *tables.Stats
	if stats != nil {
		work = new(tables.Stats)
	}
	m := distanceMemory.Get().(*foundByDistance)
	defer distanceMemory.Put(m)
	for i, s := range d.ix.segments {
		if i == d.ix.recentFrom && stats == nil && d.ix.recent.None(r.Fingerprint, d.k) {
			break // the others are in memory
		}
		var err error
		if m.found, err = s.Tables().NearStats(m.found[:0], r.Fingerprint, d.k, work); err != nil {
			return s.InFile(err)
		}
		m.near = groupsOf(m.near[:0], m.found)
		if err := g.AddAll(d.ix.collection(), i, s.Groups(), m.near); err != nil {
			return err
		}
	}
	addTables(stats, work, 1)
	return nil
}

// A foundByDistance is the memory of a search for one fingerprint, which the next one uses again.
type foundByDistance struct {
	found []hamming.Match
	near  []gather.Group
}

var distanceMemory = sync.Pool{New: func() any { return new(foundByDistance) }}

// groupsOf appends to dst the matches of the tables as neighbours, in the order of found, which is
// nearest first.
func groupsOf(dst []gather.Group, found []hamming.Match) []gather.Group {
	for _, f := range found {
		dst = append(dst, gather.Group{Number: f.Index, Measures: Measures{Distance: int(f.Distance)}})
	}
	return dst
}

func (d *byDistance) nearAll(ctx context.Context, b *analysis.Batch, h *gather.Many, stats *Stats) error {
	var queries []uint64
	var asked []int // the document of each query
	for i := range b.Len() {
		r := b.Result(i)
		if err := checkWidth(d.ix.Settings(), r.Fingerprint); err != nil {
			return fmt.Errorf("query %s: %w", r.ID, err)
		}
		if r.HasFingerprint {
			queries, asked = append(queries, r.Fingerprint), append(asked, i)
		}
	}
	var work *tables.Stats
	if stats != nil {
		work = new(tables.Stats)
	}
	for i, s := range d.ix.segments {
		err := s.Tables().NearBatchStats(queries, d.k, work, func(q int, found []hamming.Match) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			h.Near = groupsOf(h.Near[:0], found)
			return h.Add(asked[q], i, s.Groups(), h.Near)
		})
		if err != nil {
			return s.InFile(err)
		}
	}
	h.Sort()
	addTables(stats, work, len(queries))
	return nil
}

// addTables adds to s the work that the tables did for queries. A nil s counts nothing.
func addTables(s *Stats, work *tables.Stats, queries int) {
	if s != nil {
		s.Add(Stats{Queries: int64(queries), LookUps: work.LookUps, Compared: work.Compared, Scans: work.Scans})
	}
}

func (d *byDistance) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	if d.k < 0 {
		return nil
	}
	var err error
	if o.Design, err = blocksDesign(d.ix.manifest); err != nil {
		return err
	}
	groups, err := d.groups(o.Only)
	if err != nil {
		return err
	}
	return join.ByGroups(ctx, d.ix.Len(), groups, d.ix.Settings().Bits, d.k, o, yield)
}

func (d *byDistance) group(ctx context.Context, chain bool, o join.Options) ([]uint32, error) {
	var err error
	if o.Design, err = blocksDesign(d.ix.manifest); err != nil {
		return nil, err
	}
	groups, err := d.groups(o.Only)
	if err != nil {
		return nil, err
	}
	return join.GroupFingerprints(ctx, d.ix.Len(), groups, d.ix.Settings().Bits, d.k, chain, o)
}

// groups returns the documents that have a fingerprint, and that only, unless it is nil, lets take part, grouped by fingerprint.
func (d *byDistance) groups(only []bool) (tables.Groups, error) {
	if only == nil {
		return d.ix.allGroups()
	}
	docs, fps, err := d.ix.allFingerprints()
	n := 0
	for i, doc := range docs {
		if only[doc] {
			docs[n], fps[n] = doc, fps[i]
			n++
		}
	}
	return tables.Group(fps[:n], docs[:n]), err
}

func (d *byDistance) explain(s *segment.Segment) (string, bool) {
	t := s.Tables()
	return fmt.Sprintf("%v, %s; a query within %d %v", t.Design(), t.Design().Expected(t.Len()), d.k, t.Explain(d.k)), false
}

// allFingerprints returns the documents that have a fingerprint, in ascending order, and their
// fingerprints. The segments must have been verified.
func (ix *Snapshot) allFingerprints() (docs []uint32, fps []uint64, err error) {
	docs, fps = make([]uint32, 0, ix.total), make([]uint64, 0, ix.total)
	for i, s := range ix.segments {
		if _, err := s.AllGroups(); err != nil {
			return nil, nil, err
		}
		for doc, fp := range s.Fingerprints() {
			if err := checkWidth(ix.Settings(), fp); err != nil {
				return nil, nil, corruptf(s.Path(), "document %d: %v", doc, err)
			}
			docs, fps = append(docs, ix.starts[i]+doc), append(fps, fp)
		}
	}
	return docs, fps, nil
}

// allGroups returns the documents of all segments that have a fingerprint, grouped by it. The segments must have been
// verified. Groups of a single segment are parts of its map.
func (ix *Snapshot) allGroups() (tables.Groups, error) {
	parts := make([]tables.Groups, len(ix.segments))
	for i, s := range ix.segments {
		var err error
		if parts[i], err = s.AllGroups(); err != nil {
			return tables.Groups{}, err
		}
		if start := ix.starts[i]; start > 0 {
			parts[i].Member = slices.Clone(parts[i].Member)
			for j := range parts[i].Member {
				parts[i].Member[j] += start
			}
		}
	}
	return tables.MergeGroups(parts), nil
}

func (d *byDistance) measure(ctx context.Context, g *Group) error {
	values, representative, err := join.Distinct(g.Documents, g.Representative, d.ix.fingerprint)
	if err != nil {
		return err
	}
	g.Estimated, err = join.Comparisons(ctx, len(values), representative, join.Measured, func(a, b int) error {
		g.Distance = max(g.Distance, hamming.Distance(values[a], values[b]))
		return nil
	})
	g.Apart = g.Distance > d.k
	return err
}
