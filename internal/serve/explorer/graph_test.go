package explorer

import (
	"fmt"
	"math"
	"testing"

	"simsearch/internal/serve/service"
)

// crowd returns a group of n documents that are all the same but for a few words.
func crowd(n int) *fake {
	var docs []service.Document
	for i := range n {
		text := ""
		for j := range 40 {
			if j == i%40 && i > 0 {
				text += fmt.Sprintf("other%d ", i)
			} else {
				text += fmt.Sprintf("word%d ", j)
			}
		}
		docs = append(docs, document(fmt.Sprintf("crowd/%04d.txt", i), text))
	}
	return newFake("essays", docs...)
}

func graphOf(t *testing.T, f *fake) *graph {
	t.Helper()
	g, err := f.Groups(t.Context(), "essays", &service.GroupsRequest{Members: 1000})
	if err != nil || len(g.Groups) == 0 {
		t.Fatal(g, err)
	}
	info, err := f.Info(t.Context(), "essays")
	if err != nil {
		t.Fatal(err)
	}
	d, err := (&collection{f, "essays", info, Options{}}).graph(t.Context(), &g.Groups[0], service.Nearness{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A graph has at most 500 documents and few enough lines, all of it inside the drawing, and the same each time.
func TestGraph(t *testing.T) {
	for _, n := range []int{2, 3, 12, 120} {
		f := crowd(n)
		d := graphOf(t, f)
		if len(d.nodes) != n || len(d.edges) < n-1 || len(d.edges) > mostEdges {
			t.Errorf("%d documents: %d points and %d lines", n, len(d.nodes), len(d.edges))
		}
		for i, p := range d.nodes {
			if !(p.x >= 0 && p.x <= graphWidth && p.y >= 0 && p.y <= graphHeight) {
				t.Errorf("%d documents: point %d is at %g, %g", n, i, p.x, p.y)
			}
			for _, q := range d.nodes[:i] {
				if n < 50 && math.Hypot(p.x-q.x, p.y-q.y) < 8 {
					t.Errorf("%d documents: two points are at the same place", n)
				}
			}
		}
		if a, b := d.svg(), graphOf(t, f).svg(); a != b {
			t.Errorf("%d documents are drawn in two ways", n)
		}
	}
}

// Of a large group the first 500 documents are drawn, each with its nearest ones.
func TestLargeGraph(t *testing.T) {
	var g service.Group
	var edges []edge
	for i := range 700 {
		g.Members = append(g.Members, service.Match{ID: fmt.Sprint(i)})
	}
	for i := range graphMembers {
		for j := range i {
			edges = append(edges, edge{j, i, 1 - float64(i-j)/1000})
		}
	}
	kept := fewer(edges, graphMembers)
	if len(kept) > mostEdges+graphMembers || len(kept) < graphMembers {
		t.Errorf("%d lines", len(kept))
	}
	d := &graph{nodes: make([]node, graphMembers), edges: kept}
	d.layOut()
	for _, n := range d.nodes {
		if math.IsNaN(n.x) || math.IsNaN(n.y) {
			t.Fatal("a point has no place")
		}
	}
}
