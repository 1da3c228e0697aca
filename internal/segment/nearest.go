package segment

import (
	"cmp"
	"context"
	"slices"

	"simsearch/prefix"
	"simsearch/section"
)

// Nearest returns the sets that are most similar to query, which are hashes in strictly ascending order.
// The most similar come first: limit of them, 1 or more, and all that are as similar as the last of these.
// It leaves out sets that share nothing with query. Nearest reads all sets.
func (s *Sets) Nearest(ctx context.Context, query []uint64, limit int) (found []prefix.Match, err error) {
	similarity := func(m prefix.Match) float64 { return m.Jaccard(len(query)) }
	trim := func() {
		slices.SortFunc(found, func(a, b prefix.Match) int {
			return cmp.Or(cmp.Compare(similarity(b), similarity(a)), cmp.Compare(a.Set, b.Set))
		})
		for n := limit; n < len(found); n++ {
			if similarity(found[n]) < similarity(found[limit-1]) {
				found = found[:n]
			}
		}
	}
	const spare = 1 << 10 // keeps a small limit from being enforced all the time
	least, room := 0.0, 2*limit+spare
	var damage error
	err = s.each(ctx, query, func() float64 { return least }, func(m prefix.Match) {
		if live, err := s.live(m.Set); !live {
			damage = cmp.Or(damage, err)
			return
		}
		if found = append(found, m); len(found) >= room {
			trim()
			least, room = similarity(found[limit-1]), 2*len(found)+spare
		}
	})
	trim()
	return found, cmp.Or(err, damage)
}

// live reports whether a live document has set i.
func (s *Sets) live(i uint32) (bool, error) {
	if s.deleted == nil {
		return true, nil
	}
	members, err := s.groups.members(s.path, i, uint64(s.of.Len()))
	return slices.ContainsFunc(members, func(doc uint32) bool { return !s.deleted.Has(doc) }), err
}

// each is prefix.Sets.Each.
func (s *Sets) each(ctx context.Context, query []uint64, least func() float64, do func(prefix.Match)) error {
	return section.InFile(s.path, s.coded.Each(ctx, query, least, do))
}
