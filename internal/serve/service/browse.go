package service

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/index"
	"simsearch/internal/serve/gate"
)

// Browse returns documents in the order of the collection, limit of them at most, whose ids have a part: from a
// cursor on, or from the first on if it is "". It returns the cursor of the next, which is "" behind the last one. A
// cursor names the last document that was returned. If that is gone, the next ones begin where it was.
func (s *Service) Browse(ctx context.Context, name, part, cursor string, limit int) (page []Document, next string, err error) {
	page, err = seeing(ctx, s, name, (*collection).fresh, func(_ *collection, v *gate.View) (page []Document, err error) {
		from, err := behind(v.Snapshot, cursor)
		if err != nil {
			return nil, err
		}
		last := ""
		for doc := from; doc < v.Len(); doc++ {
			if doc%1024 == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			id, err := v.ID(uint32(doc))
			if err != nil {
				return nil, err
			}
			if !strings.Contains(string(id), part) {
				continue
			}
			if len(page) == limit {
				next = last
				break
			}
			d, err := documentAt(v, doc)
			if err != nil {
				return nil, err
			}
			page, last = append(page, *d), strconv.Itoa(doc)+"."+d.ID
		}
		return page, nil
	})
	return page, next, err
}

// behind returns the number of the document behind that of a cursor.
func behind(s *index.Snapshot, cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	number, id, ok := strings.Cut(cursor, ".")
	was, err := strconv.Atoi(number)
	if !ok || err != nil || was < 0 {
		return 0, Errorf(BadRequest, "cursor", "%.80q is none that was given", cursor)
	}
	doc, is, err := s.Find([]byte(id))
	if is {
		was = int(doc) + 1
	}
	return was, err
}

// having returns the number of the group that has a document.
func (l *listing) having(id string) (int, error) {
	doc, is, err := l.view.Snapshot.Find([]byte(id))
	if err != nil {
		return 0, err
	}
	at := -1
	if is {
		at = slices.IndexFunc(l.groups, func(g index.Group) bool { return slices.Contains(g.Documents, doc) })
	}
	if at < 0 {
		return 0, Errorf(NotFound, "of", "no group has the document %.200q", id)
	}
	return at, nil
}

// named reports whether the id of a document of a group begins with a prefix or, on pages, has it.
func (l *listing) named(g *index.Group, r *GroupsRequest) (bool, error) {
	if r.Prefix == "" {
		return true, nil
	}
	for _, doc := range g.Documents {
		if id, err := l.view.ID(doc); err != nil || strings.HasPrefix(string(id), r.Prefix) || r.OfPage && strings.Contains(string(id), r.Prefix) {
			return err == nil, err
		}
	}
	return false, nil
}

// A measuring says how near documents of a listing are to the first one of their group.
type measuring struct {
	l     *listing
	first uint32
	a, b  []uint64 // the sets of features of the first, once it is read, and of another one
}

// measure fills in how near a document is, as the index has it, and returns a number that is the larger the nearer it
// is.
func (b *measuring) measure(m *Match, doc uint32) (near float64, err error) {
	if doc == b.first {
		return math.Inf(1), nil
	}
	if !b.l.p.BySets() {
		distance, err := b.l.view.Distance(b.first, doc)
		if distance == index.NoDistance {
			return math.Inf(-1), err
		}
		m.Distance = &distance
		return -float64(distance), err
	}
	if b.a == nil {
		if b.a, _, err = b.l.view.AppendSet(nil, b.first); err != nil {
			return 0, err
		}
	}
	if b.b, _, err = b.l.view.AppendSet(b.b[:0], doc); err != nil {
		return 0, err
	}
	near = ints.Jaccard(b.a, b.b)
	similarity := near
	if m.Jaccard = &similarity; b.l.p.Kind == index.Copy {
		near, err = b.l.view.Copied(b.first, doc, similarity)
		m.Copy = &near
	}
	return near, err
}

// histogram returns how many documents are how near to the first of their group. It is made once. If that is asked
// for, it puts first what is nearest that one: documents of a group, and groups by their nearest document, then by
// their farthest.
func (l *listing) histogram(ctx context.Context, threads int, nearestFirst bool) ([]int, error) {
	l.counting.Lock()
	defer l.counting.Unlock()
	if l.counts != nil {
		return l.counts, nil
	}
	counts, nearest := make([]int, 101), make(map[uint32]float64, len(l.groups)) // by representatives, as many as are counted
	const together = 64
	work := func(_ context.Context, part int) (near []map[uint32]float64, err error) {
		for _, g := range l.groups[part*together : min(len(l.groups), (part+1)*together)] {
			between, of := measuring{l: l, first: g.Representative}, make(map[uint32]float64, len(g.Documents))
			for _, doc := range g.Documents {
				if of[doc], err = between.measure(&Match{}, doc); err != nil {
					return nil, err
				}
			}
			if nearestFirst {
				slices.SortStableFunc(g.Documents, func(a, b uint32) int { return cmp.Compare(of[b], of[a]) })
			}
			near = append(near, of)
		}
		return near, nil
	}
	err := parallel.Ordered(ctx, threads, (len(l.groups)+together-1)/together, work, func(near []map[uint32]float64) error {
		for _, of := range near {
			for _, x := range of {
				if !math.IsInf(x, 0) {
					counts[min(int(max(-x, x*100+1e-9)), len(counts)-1)]++
				}
			}
			g := &l.groups[len(nearest)]
			nearest[g.Representative] = of[g.Documents[1]] // if the nearest are first
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if nearestFirst {
		slices.SortStableFunc(l.groups, func(a, b index.Group) int {
			return cmp.Or(cmp.Compare(nearest[b.Representative], nearest[a.Representative]), a.Compare(&b.Measures))
		})
	}
	l.counts = counts
	return counts, nil
}
