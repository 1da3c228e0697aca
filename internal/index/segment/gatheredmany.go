package segment

// A GatheredMany is the matches of a batch of queries.
type GatheredMany struct {
	Limit   int // on the matches of a query; 0 is none
	Queries []Gathered
	Late    []bool // queries that are left for later, and searched alone
	Left    int    // how many more matches may be held
	Counted int    // matches of all queries, as far as counted
}

// NewGatheredMany returns the matches of a number of queries, none yet. It holds up to hold of them.
func NewGatheredMany(queries, limit, hold int) *GatheredMany {
	h := &GatheredMany{Limit: limit, Queries: make([]Gathered, queries), Late: make([]bool, queries), Left: hold}
	for q := range h.Queries {
		h.Queries[q].Limit = limit
	}
	return h
}

// Add adds the documents of the groups near, of segment s, to the matches of query q, as
// Gathered.AddAll does. If these are more matches than may be held, it leaves the query for later.
func (h *GatheredMany) Add(q int, s *Segment, start uint32, groups *Groups, near []NearGroup) {
	if h.Late[q] {
		return
	}
	g := &h.Queries[q]
	before, n := len(g.Found), 0
	for _, group := range near {
		n += groups.Size(group.Number)
	}
	if g.Limit > 0 {
		n = min(n, g.Limit-before)
	}
	h.Counted += n
	if n > h.Left {
		h.Late[q] = true
		h.Left += before
		g.Found = nil
		return
	}
	g.AddAll(s, start, groups, near)
	if g.Limit > 0 && len(g.Found) > g.Limit {
		g.trim()
	}
	h.Left -= len(g.Found) - before
}

// Sort puts the matches of each query in order.
func (h *GatheredMany) Sort() {
	for q := range h.Queries {
		h.Queries[q].Found = h.Queries[q].Matches()
	}
}

// Set sets the matches of query q, which are in order, and how many there are beyond the limit, too.
func (h *GatheredMany) Set(q int, found []Match, total int) {
	h.Queries[q].Total = total
	h.Counted += len(found)
	if h.Late[q] = len(found) > h.Left; !h.Late[q] {
		h.Left -= len(found)
		h.Queries[q].Found = found
	}
}
