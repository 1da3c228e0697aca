package eval

import (
	"fmt"

	"simsearch/internal/report"
	"simsearch/internal/truth"
)

// showGrowth shows the pairs at each distance and how groups grow. Groups are of pairs that are evaluated, and by says what is near
// in truth. It spoils g.
func showGrowth(s *Section, g *truth.Growth, documents int, by string) {
	n := float64(max(1, documents))
	t := s.AddTable("Groups that pairs within k bits connect", "k", "groups", "documents in groups", "documents in the largest")
	growing := &report.Plot{Title: "Growth of groups", X: report.Axis{Name: "k", Max: farthest}, Y: report.Axis{Name: "share of documents", Max: 1}}
	near, apart := report.Series{Name: "near in truth", Bars: true}, report.Series{Name: "not near", Bars: true}
	for k, groups := range g.Groupings() {
		near.Points = append(near.Points, [2]float64{float64(k), float64(g.Near[k])})
		apart.Points = append(apart.Points, [2]float64{float64(k), float64(g.Apart[k])})
		growing.Add("in a group", float64(k), float64(groups.Grouped)/n)
		growing.Add("in the largest group", float64(k), float64(groups.Largest)/n)
		t.Add(k, groups.Groups, groups.Grouped, groups.Largest)
	}
	s.Plots = append(s.Plots, &report.Plot{Title: "Pairs at each distance", X: report.Axis{Name: "distance in bits", Min: -0.6, Max: farthest + 0.6}, Y: report.Axis{Name: "pairs", Log: true}, Series: []report.Series{near, apart}}, growing)
	s.Text = append(s.Text, fmt.Sprintf("Where the largest group begins to take in the others, chains of pairs glue texts together that are not near: choose a smaller k, or groups by stars. Pairs at each distance are near in truth by %s; pairs without a label are not near.", by))
}
