package truth

import "simsearch/internal/ints"

// A Growth is what becomes of a collection as the distance grows within which pairs are near.
type Growth struct {
	Near, Apart []int // pairs at each distance, by the truth
	connected   []ints.DisjointSets
}

// NewGrowth returns that of so many documents, up to a distance.
func NewGrowth(documents, farthest int) *Growth {
	g := &Growth{Near: make([]int, farthest+1), Apart: make([]int, farthest+1), connected: make([]ints.DisjointSets, farthest+1)}
	for d := range g.connected {
		g.connected[d] = ints.NewDisjointSets(documents)
	}
	return g
}

// Add adds a pair at a distance.
func (g *Growth) Add(a, b uint32, d int, near bool) {
	if near {
		g.Near[d]++
	} else {
		g.Apart[d]++
	}
	g.connected[d].Union(a, b)
}

// A Grouping is the groups that pairs within a distance connect.
type Grouping struct {
	Groups, Grouped, Largest int // groups of two documents or more, the documents in them, and in the largest
}

// Groupings returns the groups of each distance. It spoils g.
func (g *Growth) Groupings() []Grouping {
	out := make([]Grouping, len(g.connected))
	for k := range out {
		sets := g.connected[k]
		sizes := make([]int, len(sets))
		for doc := range sets {
			if k > 0 {
				sets.Union(uint32(doc), g.connected[k-1].Find(uint32(doc)))
			}
		}
		for doc := range sets {
			sizes[sets.Find(uint32(doc))]++
		}
		for _, n := range sizes {
			if n > 1 {
				out[k].Groups++
				out[k].Grouped += n
			}
			out[k].Largest = max(out[k].Largest, n)
		}
	}
	return out
}
