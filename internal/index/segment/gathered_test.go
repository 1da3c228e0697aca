package segment_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/segment/segmenttest"
	"simsearch/internal/match/join"
)

// A collected is a collection in which documents share fingerprints, with what it was made of.
type collected struct {
	Segments []*segment.Segment
	Starts   []uint32 // the number of each segment's first document

	dir   string
	refs  []segment.Ref
	ids   []string
	group []uint32 // of each document in its segment
}

var layout = segment.Layout{Bits: 64}

// collect makes a collection of segments with sizes[i] documents each. The fingerprints of a segment are 0 to
// groups-1, so that a group has the number that is its fingerprint.
func collect(t *testing.T, groups int, sizes ...int) *collected {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	c := &collected{dir: t.TempDir()}
	names := rng.Perm(1_000_000)
	for i, size := range sizes {
		b := segment.NewBuilder(disk.OS, c.dir, layout, 0)
		c.Starts = append(c.Starts, uint32(len(c.ids)))
		for doc := range size {
			fp := uint64(doc)
			if doc >= groups {
				fp = min(uint64(rng.ExpFloat64()*2), uint64(groups-1))
			}
			id := fmt.Sprint(names[len(c.ids)])
			b.Add(&segment.Document{ID: []byte(id), HasFingerprint: true, Fingerprint: fp})
			c.ids, c.group = append(c.ids, id), append(c.group, uint32(fp))
		}
		ref, err := b.Write(t.Context(), disk.OS, c.dir, fmt.Sprintf("%06d.seg", i+1), segment.WriteOptions{Distance: 3, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		c.refs = append(c.refs, ref)
	}
	c.open(t)
	return c
}

// open opens the segments, again if they are open.
func (c *collected) open(t *testing.T) {
	t.Helper()
	c.Segments = nil
	for _, ref := range c.refs {
		c.Segments = append(c.Segments, segmenttest.Open(t, c.dir, ref, layout))
	}
}

// A found is the groups of each segment that are near a query.
type found [][]segment.NearGroup

// draw returns groups that are near a query, nearest first. Some are equally near.
func (c *collected) draw(rng *rand.Rand, groups int) (f found) {
	for range c.Segments {
		var near []segment.NearGroup
		for _, number := range rng.Perm(groups)[:rng.IntN(groups+1)] {
			near = append(near, segment.NearGroup{uint32(number), join.Measures{Distance: rng.IntN(3), Value: float64(1+rng.IntN(2)) / 2}})
		}
		slices.SortStableFunc(near, func(a, b segment.NearGroup) int {
			return a.Compare(&b.Measures)
		})
		f = append(f, near)
	}
	return f
}

// want returns the matches of a query by looking at every document.
func (c *collected) want(f found, limit int) (all []segment.Match) {
	for doc, id := range c.ids {
		i := len(c.Starts) - 1
		for c.Starts[i] > uint32(doc) {
			i--
		}
		for _, g := range f[i] {
			if g.Number == c.group[doc] {
				all = append(all, segment.Match{Document: uint32(doc), ID: []byte(id), Measures: g.Measures})
			}
		}
	}
	slices.SortFunc(all, func(a, b segment.Match) int {
		switch {
		case a.Value > b.Value:
			return -1
		case a.Value < b.Value:
			return 1
		case a.Distance != b.Distance:
			return a.Distance - b.Distance
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	if limit > 0 && limit < len(all) {
		all = all[:limit]
	}
	return all
}

func equal(a, b []segment.Match) bool {
	return slices.EqualFunc(a, b, func(a, b segment.Match) bool {
		return a.Document == b.Document && string(a.ID) == string(b.ID) && a.Distance == b.Distance && a.Value == b.Value
	})
}

// The matches of a query are those of all documents in order, cut at the limit. Few more than the limit are
// held.
func TestGatheredAgainstAll(t *testing.T) {
	t.Parallel()
	const groups = 12
	c, rng := collect(t, groups, 6000, 50, 3000), rand.New(rand.NewPCG(1, 2))
	trimmed := 0
	for _, limit := range []int{0, 1, 2, 30, 1500, 9050, int(^uint(0) >> 1)} {
		for range 8 {
			f := c.draw(rng, groups)
			g := segment.Gathered{Limit: limit}
			for i, near := range f {
				g.AddAll(c.Segments[i], c.Starts[i], c.Segments[i].Groups(), near)
				if limit > 0 && limit < 9050 && len(g.Found) > 2*limit+segment.GatheredSpare {
					t.Errorf("%d matches are held for a limit of %d", len(g.Found), limit)
				}
			}
			if len(g.Found) < len(c.want(f, 0)) {
				trimmed++
			}
			if got, want := g.Matches(), c.want(f, limit); !equal(got, want) {
				t.Fatalf("limit %d: %d matches, want %d, or in another order", limit, len(got), len(want))
			}
		}
	}
	if trimmed < 10 {
		t.Errorf("only %d queries had more matches than are held: the test means more", trimmed)
	}
}

// A batch has the matches of each query, or leaves it for later if there is no room. It holds no more than
// it may.
func TestManyAgainstAll(t *testing.T) {
	t.Parallel()
	const groups, queries = 12, 15
	c, rng := collect(t, groups, 600, 50, 300), rand.New(rand.NewPCG(3, 4))
	for _, limit := range []int{0, 1, 40, 700} {
		for _, hold := range []int{0, 1, 500, 3000, 1 << 20} {
			h := segment.NewGatheredMany(queries, limit, hold)
			var all []found
			for range queries {
				all = append(all, c.draw(rng, groups))
			}
			for i, s := range c.Segments {
				for q, f := range all {
					h.Add(q, s, c.Starts[i], s.Groups(), f[i])
				}
			}
			h.Sort()
			sum, late := 0, 0
			for q, f := range all {
				want := c.want(f, limit)
				if sum += len(h.Queries[q].Found); h.Late[q] {
					late++
					want = nil
				}
				if got := h.Queries[q].Found; !equal(got, want) {
					t.Errorf("limit %d, hold %d: query %d has %d matches, want %d", limit, hold, q, len(got), len(want))
				}
			}
			if sum > hold || h.Left != hold-sum {
				t.Errorf("limit %d, hold %d: %d matches are held, with room for %d more", limit, hold, sum, h.Left)
			}
			if hold == 0 && late < queries/2 || hold == 1<<20 && late > 0 {
				t.Errorf("limit %d, hold %d: %d queries are left for later", limit, hold, late)
			}
			if hold == 1<<20 && h.Counted < sum {
				t.Errorf("limit %d: %d matches are counted of %d", limit, h.Counted, sum)
			}
		}
	}
}

// What just fits is held, and a limit makes more fit.
func TestManyHoldsWhatFits(t *testing.T) {
	t.Parallel()
	c := collect(t, 1, 30)
	for _, tt := range []struct {
		limit, hold int
		late        bool
	}{{0, 30, false}, {0, 29, true}, {10, 10, false}, {10, 9, true}} {
		h := segment.NewGatheredMany(1, tt.limit, tt.hold)
		h.Add(0, c.Segments[0], 0, c.Segments[0].Groups(), []segment.NearGroup{{Number: 0}})
		h.Sort()
		want := c.want(found{{{Number: 0}}}, tt.limit)
		if tt.late {
			want = nil
		}
		if got := h.Queries[0].Found; h.Late[0] != tt.late || !equal(got, want) {
			t.Errorf("limit %d, hold %d: %d matches, want %d; left for later: %v", tt.limit, tt.hold, len(got), len(want), h.Late[0])
		}
	}
}

// Whole matches of a query are held if there is room, and count in any case.
func TestSet(t *testing.T) {
	t.Parallel()
	h := segment.NewGatheredMany(3, 0, 5)
	for q, n := range []int{3, 3, 2} {
		h.Set(q, make([]segment.Match, n), n)
	}
	if len(h.Queries[0].Found) != 3 || len(h.Queries[1].Found) != 0 || len(h.Queries[2].Found) != 2 {
		t.Errorf("matches are held: %v", h.Queries)
	}
	if !slices.Equal(h.Late, []bool{false, true, false}) || h.Left != 0 || h.Counted != 8 {
		t.Errorf("late %v, %d left, %d counted", h.Late, h.Left, h.Counted)
	}
}

// Damage of what is gathered is an error that names the file.
func TestDamage(t *testing.T) {
	t.Parallel()
	const groups = 4
	for _, name := range []string{"groups.first", "groups.members", "ids.ends", "ids.bytes"} {
		c := collect(t, groups, 20, 30)
		path := filepath.Join(c.dir, c.refs[1].Name)
		segmenttest.Flip(t, path, name)
		c.open(t)
		var near []segment.NearGroup
		for i := range groups {
			near = append(near, segment.NearGroup{Number: uint32(i)})
		}
		h := segment.NewGatheredMany(1, 0, 1000)
		for what, add := range map[string]func(i int, g *segment.Groups){
			"One":  func(i int, g *segment.Groups) { new(segment.Gathered).AddAll(c.Segments[i], c.Starts[i], g, near) },
			"Many": func(i int, g *segment.Groups) { h.Add(0, c.Segments[i], c.Starts[i], g, near) },
		} {
			add(0, c.Segments[0].Groups()) // the sound segment
			if err := section.DamageOf(func() { add(1, c.Segments[1].Groups()) }); !errors.Is(err, section.ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v, want an error that names %s", name, what, err, path)
			}
		}
	}
}

// Work adds up count by count.
func TestStatsAdd(t *testing.T) {
	t.Parallel()
	s := segment.Stats{1, 2, 3, 4, 5, 6, 7}
	s.Add(segment.Stats{10, 20, 30, 40, 50, 60, 70})
	if want := (segment.Stats{11, 22, 33, 44, 55, 66, 77}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	(*segment.Stats)(nil).Add(s)
}
