package index

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/document"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
	"simsearch/tables"
)

// PictureOf returns what is known of a picture whose kept field imagehash.Unbordered has a value.
func PictureOf(unbordered string) (p document.Picture) {
	hash, err := strconv.ParseUint(unbordered, 16, 64)
	p.Inside, p.Bordered = hash, err == nil
	return p
}

// picture is PictureOf of a document of a segment, by its number there.
func (ix *Snapshot) picture(s *segment.Segment, local uint32) (p document.Picture) {
	if at := slices.Index(ix.manifest.Input.Kept(), imagehash.Unbordered); at >= 0 && ix.Settings().Image != 0 {
		inside, _ := document.Field(s.Fields(local), at)
		p = PictureOf(string(inside))
	}
	return p
}

// Hashes returns the fingerprint of a document of an index with fingerprints, for a caller that guards what is read.
// Of a picture, its second word is the hash inside the border, or the first again. ok is false if there is none.
func (ix *Snapshot) Hashes(doc uint32) (fp document.Long, ok bool) {
	fp, ok = ix.fingerprint(doc)
	if ix.Settings().Image == 0 || !ok {
		return fp, ok
	}
	fp[1] = fp[0]
	s, local := ix.locate(doc)
	if p := ix.picture(s, local); p.Bordered {
		fp[1] = p.Inside
	}
	return fp, ok
}

// hash returns the hash of a picture as it is.
func (ix *Snapshot) hash(doc uint32) uint64 {
	fp, _ := ix.fingerprint(doc)
	return fp[0]
}

// between returns the distance of two fingerprints: of pictures, the least one in any position, inside borders or not.
func (ix *Snapshot) between(x, y document.Long) int {
	if k := ix.Settings().Image; k != 0 {
		return k.Distance(x[:2], y[:2])
	}
	return tables.Distance(x[:], y[:])
}

// readBordered returns the hashes of all pictures that have a border inside it, and the numbers of these pictures.
func (ix *Snapshot) readBordered() (hashes []uint64, docs []uint32) {
	for i, s := range ix.segments {
		for local := range s.Fingerprints() {
			if p := ix.picture(s, local); p.Bordered {
				hashes, docs = append(hashes, p.Inside), append(docs, ix.starts[i]+local)
			}
		}
	}
	return hashes, docs
}

// inPositions is find for pictures in all positions: at the distances that Pairs has or, if r has the hashes of a
// file in other positions and is not in the collection by its id, at smaller ones.
func (s *search) inPositions(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	if !r.HasFingerprint {
		return nil
	}
	kind, limit, k, as := s.ix.Settings().Image, 0, s.o.Distance, *s
	as.o.Turned = false
	if s.o.Nearest > 0 {
		limit, k = g.Limit, s.ix.Settings().Bits
	}
	positions, q := kind.Turned([]uint64{r.Fingerprint}, r.Fingerprint), *r
	if len(r.Turned) > 7 {
		q.Picture.Inside, q.Picture.Bordered = r.Turned[7], true
	}
	if in := q.Picture.Inside; q.Picture.Bordered {
		positions = kind.Turned(append(positions, in), in)
	}
	if at, local, is := store.Find(s.ix.parts, r.ID); !is || s.ix.hash(s.ix.starts[at]+local) != r.Fingerprint {
		positions = append(positions, r.Turned...)
	}
	inside, docs := s.ix.bordered()
	for _, q.Fingerprint = range positions {
		found := segment.Gathered{Limit: limit}
		if err := as.find(ctx, &q, &found, stats); err != nil {
			return err
		}
		g.Found = append(g.Found, found.Found...)
		for _, m := range hamming.Scan(nil, inside, q.Fingerprint, k) {
			of, local := s.ix.locate(docs[m.Index])
			g.Found = append(g.Found, Match{Document: docs[m.Index], ID: of.ID(local), Measures: Measures{Distance: int(m.Distance)}})
		}
		slices.SortFunc(g.Found, func(a, b Match) int {
			return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.Distance, b.Distance))
		})
		g.Found = slices.CompactFunc(g.Found, func(a, b Match) bool { return a.Document == b.Document })
	}
	for i := range g.Found {
		m := &g.Found[i]
		m.Turned = hamming.Distance(s.ix.hash(m.Document), r.Fingerprint) > max(s.o.Distance, m.Distance)
	}
	return nil
}
