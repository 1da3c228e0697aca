package index

import (
	"context"

	"simsearch/hamming"
	"simsearch/tables"
)

// joinFingerprints finds the fingerprints within distance k of each other.
func (ix *Index) joinFingerprints(ctx context.Context, k int, o PairOptions) (*join, error) {
	j, err := ix.groupFingerprints()
	if err != nil {
		return nil, err
	}
	j.warn(o)
	values, bits := j.groups.Values, ix.Settings().Bits
	if _, ok := tables.PlanPairs(values, bits, k); !ok {
		j.near = func(_ context.Context, dst []neighbour, g uint32) ([]neighbour, error) {
			for _, m := range hamming.Scan(nil, values, values[g], k) {
				dst = append(dst, neighbour{group: m.Index, distance: int(m.Distance)})
			}
			return dst, nil
		}
		return j, nil
	}
	j.near = func(_ context.Context, dst []neighbour, g uint32) ([]neighbour, error) {
		dst = append(dst, neighbour{group: g})
		for _, n := range j.neighbours.of(g) {
			dst = append(dst, neighbour{group: n, distance: hamming.Distance(values[g], values[n])})
		}
		return dst, nil
	}
	// Each pair is listed on both sides.
	j.neighbours.fs, j.neighbours.hold = ix.fs, 4*o.HoldPairs
	how := tables.PairOptions{Threads: o.Threads, Both: true, Disk: ix.fs, HoldPairs: 2 * o.HoldPairs, Progress: o.Progress}
	err = tables.Pairs(ctx, values, bits, k, how, func(p tables.Pair) error { return j.neighbours.add(p.A, p.B) })
	if err != nil {
		return j, err
	}
	return j, j.neighbours.finish(len(values))
}

// groupFingerprints brings together the documents that share a fingerprint. The error is ErrCorrupt.
func (ix *Index) groupFingerprints() (*join, error) {
	j := &join{groupOf: make([]uint32, ix.total)}
	fps := make([]uint64, 0, ix.total)
	docs := make([]uint32, 0, ix.total)
	for i, s := range ix.segments {
		empty := s.empty.All // all of the segment has been verified
		for doc, fp := range s.fingerprints.All {
			if len(empty) > 0 && empty[0] == uint32(doc) {
				empty = empty[1:]
				j.groupOf[ix.starts[i]+uint32(doc)] = noGroup
				continue
			}
			if err := checkWidth(ix.Settings(), fp); err != nil {
				return nil, corruptf(s.path, "document %d: %v", doc, err)
			}
			fps, docs = append(fps, fp), append(docs, ix.starts[i]+uint32(doc))
		}
	}
	j.groups = tables.Group(fps, docs)
	for g := range j.groups.Values {
		for _, doc := range j.groups.Members(uint32(g)) {
			j.groupOf[doc] = uint32(g)
		}
	}
	return j, nil
}
