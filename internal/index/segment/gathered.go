package segment

import (
	"bytes"
	"slices"

	"simsearch/internal/match/join"
)

// A Match is a document near a query.
type Match struct {
	Document uint32
	Turned   bool   // it is a picture, and so near only when it is turned, mirrored or without a border
	ID       []byte // valid until the index is closed
	join.Measures
}

// MatchOrder is the order of the matches of a query: by nearness, then by id.
func MatchOrder(a, b Match) int {
	if c := a.Compare(&b.Measures); c != 0 {
		return c
	}
	return bytes.Compare(a.ID, b.ID)
}

// A NearGroup is a group of equal documents of a segment that is near a query, by its number.
type NearGroup struct {
	Number uint32
	join.Measures
}

// A Gathered collects the matches of a query from one segment after the other. It keeps all of
// them, or the limit nearest. With a limit it holds little more than twice that many at a time,
// even if more are equally near.
type Gathered struct {
	Limit int     // on the number of matches; 0 is none
	Found []Match // not in order before Matches returns
	Total int     // when Matches has returned, all that were found, beyond the limit, too

	last    join.Measures // of the last group added
	bound   Match         // if bounded is set, matches after it are not among the nearest
	bounded bool
}

// GatheredSpare is how many matches a Gathered may hold beyond twice its limit. It keeps a small limit
// from being enforced all the time.
const GatheredSpare = 1 << 10

// AddAll adds the documents of the groups near, of segment s, whose first document has the number start. With a
// limit, near must be sorted, nearest first, and groups that cannot be among the nearest are skipped.
func (g *Gathered) AddAll(s *Segment, start uint32, groups *Groups, near []NearGroup) {
	for i := 0; i < len(near) && g.Limit > 0; i++ { // all of them count, and without a limit all are found
		if s.deleted == nil {
			g.Total += groups.Size(near[i].Number)
		} else {
			g.Total += len(s.Members(groups, near[i].Number))
		}
	}
	for _, n := range near {
		if g.Limit > 0 && len(g.Found) >= g.Limit {
			if !g.bounded && n.Compare(&g.last) > 0 {
				g.trim()
			}
			if g.bounded && n.Compare(&g.bound.Measures) > 0 {
				return
			}
		}
		g.last = n.Measures
		g.add(s, start, groups, n)
	}
}

// add adds the documents of a group.
func (g *Gathered) add(s *Segment, start uint32, groups *Groups, group NearGroup) {
	like := Match{Measures: group.Measures}
	members := s.Members(groups, group.Number)
	if g.Limit == 0 {
		g.Found = slices.Grow(g.Found, len(members))
	}
	for _, doc := range members {
		like.ID = s.ID(doc)
		if g.bounded && MatchOrder(like, g.bound) > 0 {
			continue
		}
		like.Document = start + doc
		g.Found = append(g.Found, like)
		if g.Limit > 0 && (len(g.Found)-GatheredSpare)/2 >= g.Limit {
			g.trim()
		}
	}
}

// trim drops all matches but the limit nearest.
func (g *Gathered) trim() {
	slices.SortFunc(g.Found, MatchOrder)
	g.Found = g.Found[:g.Limit]
	g.bound, g.bounded = g.Found[g.Limit-1], true
}

// Matches returns the gathered matches in order.
func (g *Gathered) Matches() []Match {
	g.Total = max(g.Total, len(g.Found))
	slices.SortFunc(g.Found, MatchOrder)
	if g.Limit > 0 && len(g.Found) > g.Limit {
		g.Found = g.Found[:g.Limit]
	}
	return g.Found
}
