package index

import "simsearch/internal/segment"

// holdMatches is about how many matches all batches of NearAll hold at a time. A match takes 48
// bytes. A query whose matches have no room is searched alone when its turn comes.
const holdMatches = 1 << 18

// A held is the matches of a batch of queries.
type held struct {
	ix      *Snapshot
	limit   int // on the matches of a query; 0 is none
	queries []gathering
	room    []Match     // for the matches of later queries
	near    []neighbour // scratch
	late    []bool      // queries that are left for later, and searched alone
	left    int         // how many more matches may be held
	stats   Stats
	counted int // matches of all queries, as far as they have been counted
}

func newHeld(ix *Snapshot, queries, limit, hold int) *held {
	h := &held{ix: ix, limit: limit, queries: make([]gathering, queries), late: make([]bool, queries), left: hold}
	for q := range h.queries {
		h.queries[q].limit = limit
	}
	return h
}

// add adds the documents of the groups near, of segment i, to the matches of query q, as
// gathering.addAll does. If these are more matches than may be held, it leaves the query for later.
func (h *held) add(q, i int, groups *segment.Groups, near []neighbour) error {
	if h.late[q] {
		return nil
	}
	g := &h.queries[q]
	before, n := len(g.found), 0
	for _, group := range near {
		members, err := groups.Size(group.group)
		if err != nil {
			return h.ix.segments[i].InFile(err)
		}
		n += members
	}
	if g.limit > 0 {
		n = min(n, g.limit-before)
	}
	h.counted += n
	if n > h.left {
		h.late[q] = true
		h.left += before
		g.found = nil
		return nil
	}
	if g.found == nil {
		g.found = h.take(n)
	}
	if err := g.addAll(h.ix, i, groups, near); err != nil {
		return err
	}
	if g.limit > 0 && len(g.found) > g.limit {
		g.trim()
	}
	h.left -= len(g.found) - before
	return nil
}

// take returns an empty slice with room for n matches.
func (h *held) take(n int) []Match {
	const least = 1 << 10
	if n > cap(h.room)-len(h.room) {
		h.room = make([]Match, 0, max(n, least))
	}
	from := len(h.room)
	h.room = h.room[:from+n]
	return h.room[from:from:len(h.room)]
}

// statsFor returns the Stats that count the work for a batch. It is nil if o asks for none.
func (h *held) statsFor(o Options) *Stats {
	if o.Stats == nil {
		return nil
	}
	return &h.stats
}

// sort puts the matches of each query in order.
func (h *held) sort() {
	for q := range h.queries {
		h.queries[q].found = h.queries[q].matches()
	}
}
