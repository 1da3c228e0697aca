package eval

import (
	"fmt"

	"simsearch/internal/ints"
	"simsearch/internal/report"
)

// A growth is what becomes of a collection as the distance grows within which pairs are near.
type growth struct {
	near, apart [farthest + 1]int // pairs at each distance, by the truth
	connected   [farthest + 1]ints.DisjointSets
}

func newGrowth(documents int) *growth {
	g := &growth{}
	for d := range g.connected {
		g.connected[d] = ints.NewDisjointSets(documents)
	}
	return g
}

// add adds a pair at a distance.
func (g *growth) add(a, b uint32, d int, near bool) {
	if near {
		g.near[d]++
	} else {
		g.apart[d]++
	}
	g.connected[d].Union(a, b)
}

// A grouping is the groups that pairs within a distance connect.
type grouping struct {
	groups, grouped, largest int // groups of two documents or more, the documents in them, and in the largest
}

// groupings returns the groups of each distance. It spoils g.
func (g *growth) groupings() (out [farthest + 1]grouping) {
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
				out[k].groups++
				out[k].grouped += n
			}
			out[k].largest = max(out[k].largest, n)
		}
	}
	return out
}

// show shows the pairs at each distance and how groups grow. Groups are of pairs that are evaluated, and by says what is near
// in truth. It spoils g.
func (g *growth) show(s *Section, by string) {
	n := float64(max(1, len(g.connected[0])))
	t := s.AddTable("Groups that pairs within k bits connect", "k", "groups", "documents in groups", "documents in the largest")
	growing := &report.Plot{Title: "Growth of groups", X: report.Axis{Name: "k", Max: farthest}, Y: report.Axis{Name: "share of documents", Max: 1}}
	near, apart := report.Series{Name: "near in truth", Bars: true}, report.Series{Name: "not near", Bars: true}
	for k, groups := range g.groupings() {
		near.Points = append(near.Points, [2]float64{float64(k), float64(g.near[k])})
		apart.Points = append(apart.Points, [2]float64{float64(k), float64(g.apart[k])})
		growing.Add("in a group", float64(k), float64(groups.grouped)/n)
		growing.Add("in the largest group", float64(k), float64(groups.largest)/n)
		t.Add(k, groups.groups, groups.grouped, groups.largest)
	}
	s.Plots = append(s.Plots, &report.Plot{Title: "Pairs at each distance", X: report.Axis{Name: "distance in bits", Min: -0.6, Max: farthest + 0.6}, Y: report.Axis{Name: "pairs", Log: true}, Series: []report.Series{near, apart}}, growing)
	s.Text = append(s.Text, fmt.Sprintf("Where the largest group begins to take in the others, chains of pairs glue texts together that are not near: choose a smaller k, or groups by stars. Pairs at each distance are near in truth by %s; pairs without a label are not near.", by))
}
