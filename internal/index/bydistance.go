package index

import (
	"context"
	"errors"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/spill"
	"simsearch/internal/index/bulk"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
	"simsearch/tables"
)

// Distance is the kind of fingerprints within so many bits.
var Distance = &Kind{
	Key: "distance", Name: "a distance", Short: "distance",
	Fingerprints: true, Within: true, Bare: true,
	Exactly: "searches by distance find everything, and nothing else",
	Compare: func(x, y *analysis.Result) Measures {
		return Measures{Distance: distanceOf(x, y)}
	},
	open: func(ix *Snapshot, p Predicate) criterion { return &byDistance{ix, p.Distance} },
}

// byDistance searches by the distance of fingerprints.
type byDistance struct {
	ix *Snapshot
	k  int
}

func (d *byDistance) has(r *analysis.Result) bool { return r.HasFingerprint }

// near searches for one fingerprint as for one, and for several of 64 bits together.
func (d *byDistance) near(ctx context.Context, q queries, h *segment.GatheredMany, stats *Stats) error {
	var fps []document.Long
	var words []uint64
	var asked []int // the query of each fingerprint
	together := q.Len() > 1 && !d.ix.Settings().Wide()
	for i := range q.Len() {
		r := q.Result(i)
		if err := checkWidth(d.ix.Settings(), r.Fingerprint); err != nil {
			return named(q, r.ID, err)
		}
		switch {
		case !r.HasFingerprint:
			continue
		case together:
			words = append(words, r.Fingerprint)
		default:
			fps = append(fps, document.NewLong(r.Fingerprint, r.More))
		}
		asked = append(asked, i)
	}
	var err error
	var work *tables.Stats
	if stats != nil {
		work = new(tables.Stats)
	}
	var near []segment.NearGroup
	var found []hamming.Match
	for i, s := range d.ix.segments {
		take := func(q int, found []hamming.Match) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			near = near[:0]
			for _, f := range found {
				near = append(near, segment.NearGroup{Number: f.Index, Measures: Measures{Distance: int(f.Distance)}})
			}
			h.Add(asked[q], s, d.ix.starts[i], s.Groups(), near)
			return nil
		}
		if together {
			err = s.Tables().NearBatchStats(words, d.k, work, take)
		} else {
			for q := 0; q < len(fps) && err == nil; q++ {
				if found, err = s.Near(found[:0], fps[q], d.k, work); err == nil {
					err = take(q, found)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	h.Sort()
	if work != nil {
		stats.Add(Stats{Queries: int64(len(asked)), LookUps: work.LookUps, Steps: work.Steps, Compared: work.Compared, Scans: work.Scans})
	}
	return nil
}

// widen is by how many bits the distance grows. Few bits mean many searches, and many bits mean many
// matches that are not among the nearest.
const widen = 4

// nearest searches within one distance after the other until enough is found.
func (d *byDistance) nearest(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	bits := d.ix.Settings().Bits
	work := &Stats{}
	for k := DefaultDistance; ; k += widen {
		tried := segment.Gathered{Limit: g.Limit}
		within := byDistance{d.ix, min(k, bits)}
		if err := nearOne(ctx, &within, r, &tried, work); err != nil {
			return err
		}
		if len(tried.Found) >= g.Limit || k >= bits || !r.HasFingerprint {
			*g = tried
			break
		}
	}
	work.Queries = min(work.Queries, 1)
	stats.Add(*work)
	return nil
}

func (d *byDistance) explain(s *segment.Segment) (string, bool) {
	return s.Explain(d.k), false
}

func (d *byDistance) join(ctx context.Context, o join.Options, yield func(join.Pair) error) error {
	if d.k < 0 {
		return nil
	}
	return d.fingerprints(&o, func(all join.FingerprintGroups) error {
		return join.ByFingerprints(ctx, d.ix.Len(), all, d.ix.Settings().Bits, d.k, o, yield)
	})
}

func (d *byDistance) group(ctx context.Context, chain bool, o join.Options) (groups *join.Grouping, err error) {
	err = d.fingerprints(&o, func(all join.FingerprintGroups) error {
		groups, err = join.GroupFingerprints(ctx, d.ix.Len(), all, d.ix.Settings().Bits, d.k, chain, o)
		return err
	})
	return groups, err
}

// fingerprints calls do with the documents that have a fingerprint, and that o.Only lets take part. It sets o.Design.
func (d *byDistance) fingerprints(o *join.Options, do func(join.FingerprintGroups) error) (err error) {
	if o.Design, err = d.ix.manifest.Blocks(); err != nil {
		return err
	}
	if o.Pictures = d.ix.Settings().Image; o.Only != nil || o.Pictures != 0 {
		all := d.grouped(o.Only)
		return do(join.Grouped(&all))
	}
	all := join.FingerprintGroups{Whole: true}
	for _, s := range d.ix.segments {
		all.Whole = all.Whole && s.Deleted() == nil
	}
	if len(d.ix.segments) == 1 { // as those of an index of a billion are, which are not to be in memory
		all.Values, all.Groups = d.ix.segments[0].EachGroup()
		return do(all)
	}
	m, err := d.merged(spill.Holds / 8)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if all.Values, err = m.Values(); err != nil {
		return err
	}
	all.Groups = m.Groups
	return do(all)
}

// merged merges the fingerprints of the segments. About hold words are in memory.
func (d *byDistance) merged(hold int) (*bulk.Merged, error) {
	var parts []bulk.Part
	for i, s := range d.ix.segments {
		values, walk := s.WalkGroups()
		parts = append(parts, bulk.Part{Values: values, Start: d.ix.starts[i], Walk: walk})
	}
	return bulk.Merge(d.ix.fs, parts, tables.Words(d.ix.Settings().Bits), hold)
}

// grouped groups the documents that only says; nil says all.
func (d *byDistance) grouped(only []bool) tables.Groups {
	docs, fps := d.all()
	n, words := 0, tables.Words(d.ix.Settings().Bits)
	if d.ix.Settings().Image != 0 {
		words, fps = 2, nil
		for _, doc := range docs {
			hashes, _ := d.ix.Hashes(doc)
			fps = append(fps, hashes[:words]...)
		}
	}
	for i, doc := range docs {
		if only == nil || only[doc] {
			docs[n] = doc
			copy(fps[n*words:], fps[i*words:(i+1)*words])
			n++
		}
	}
	return tables.Group(fps[:n*words], words, docs[:n])
}

// all returns the documents that have a fingerprint, in ascending order, and their
// fingerprints, in words of 64 bits. The segments must have been verified.
func (d *byDistance) all() (docs []uint32, fps []uint64) {
	docs, fps = make([]uint32, 0, d.ix.total), make([]uint64, 0, d.ix.total)
	for i, s := range d.ix.segments {
		_, _ = s.WalkGroups() // which checks them
		for doc, fp := range s.Fingerprints() {
			docs, fps = append(docs, d.ix.starts[i]+doc), append(fps, fp...)
		}
	}
	return docs, fps
}

func (d *byDistance) measure(ctx context.Context, g *Group) error {
	return measureDistinct(ctx, g, Within(d.k), join.Measured, d.ix.Hashes, func(x, y document.Long) (Measures, error) {
		return Measures{Distance: d.ix.between(x, y)}, nil
	})
}
