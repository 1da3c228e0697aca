package index

import (
	"bytes"
	"cmp"
	"slices"

	"simsearch/internal/segment"
)

// A Match is a document near a query.
type Match struct {
	Document uint32
	ID       []byte // valid until the index is closed
	// Distance is the distance of the fingerprints in bits. It is NoDistance if one of the two
	// documents has none.
	Distance int
	// Jaccard is the similarity, in [0, 1], of a search by similarity.
	Jaccard float64
}

// NoDistance is the distance where there is no fingerprint.
const NoDistance = -1

// order is the order of the matches of a query: by nearness, then by id.
func order(a, b Match) int {
	if c := nearness(&a, &b); c != 0 {
		return c
	}
	return bytes.Compare(a.ID, b.ID)
}

// nearness is the order of matches without regard to their ids.
func nearness(a, b *Match) int {
	if a.Distance != b.Distance {
		return cmp.Compare(a.Distance, b.Distance)
	}
	return cmp.Compare(b.Jaccard, a.Jaccard)
}

// A neighbour is a group of equal documents of a segment that is near a query.
type neighbour struct {
	group    uint32
	distance int
	jaccard  float64
}

// A gathering collects the matches of a query from one segment after the other. It keeps all of
// them, or the limit nearest. With a limit it holds little more than twice that many at a time,
// even if more are equally near.
type gathering struct {
	limit int // 0 is none
	found []Match

	last    Match // as near as the last group added
	bound   Match // if bounded is set, matches after it are not among the nearest
	bounded bool
}

// spare is how many matches a gathering may hold beyond twice its limit. It keeps a small limit
// from being enforced all the time.
const spare = 1 << 10

// addAll adds the documents of the groups near, of segment i. With a limit, near must be sorted,
// nearest first, and groups that cannot be among the nearest are skipped. The error is ErrCorrupt.
func (g *gathering) addAll(ix *Snapshot, i int, groups *segment.Groups, near []neighbour) error {
	for _, n := range near {
		like := Match{Distance: n.distance, Jaccard: n.jaccard}
		if g.limit > 0 && len(g.found) >= g.limit {
			if !g.bounded && nearness(&like, &g.last) > 0 {
				g.trim()
			}
			if g.bounded && nearness(&like, &g.bound) > 0 {
				return nil
			}
		}
		g.last = like
		if err := g.add(ix, i, groups, n.group, like); err != nil {
			return err
		}
	}
	return nil
}

// add adds the documents of a group of segment i. They are as near as like.
func (g *gathering) add(ix *Snapshot, i int, groups *segment.Groups, group uint32, like Match) error {
	s := ix.segments[i]
	members, err := s.Members(groups, group)
	if err != nil {
		return err
	}
	if g.limit == 0 {
		g.found = slices.Grow(g.found, len(members))
	}
	for _, doc := range members {
		if like.ID, err = s.ID(doc); err != nil {
			return err
		}
		if g.bounded && order(like, g.bound) > 0 {
			continue
		}
		like.Document = ix.starts[i] + doc
		g.found = append(g.found, like)
		if g.limit > 0 && (len(g.found)-spare)/2 >= g.limit {
			g.trim()
		}
	}
	return nil
}

// trim drops all matches but the limit nearest.
func (g *gathering) trim() {
	slices.SortFunc(g.found, order)
	g.found = g.found[:g.limit]
	g.bound, g.bounded = g.found[g.limit-1], true
}

// matches returns the gathered matches in order.
func (g *gathering) matches() []Match {
	slices.SortFunc(g.found, order)
	if g.limit > 0 && len(g.found) > g.limit {
		g.found = g.found[:g.limit]
	}
	return g.found
}
