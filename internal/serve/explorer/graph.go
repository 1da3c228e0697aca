package explorer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

// A graph draws documents as points, and near pairs as lines between them. The same documents give the same drawing.
type graph struct {
	nodes []node
	edges []edge
}

// A node is a document, at a place of the drawing.
type node struct {
	id, url string
	x, y    float64
}

// An edge joins two nodes that are similar, in (0, 1].
type edge struct {
	a, b       int
	similarity float64
}

const (
	graphWidth, graphHeight = 900.0, 520.0
	graphMargin             = 40.0
	mostEdges               = 2500
	edgesOfNode             = 6  // of each document, the nearest, where there are more than mostEdges
	namedNodes              = 24 // documents whose names stand beside them
)

// graph asks which documents of a group are near each other.
func (c *collection) graph(ctx context.Context, g *service.Group, near service.Nearness) (*graph, error) {
	members := g.Members[:min(len(g.Members), graphMembers)]
	d := &graph{}
	number := map[string]int{}
	for i, m := range members {
		number[m.ID] = i
		d.nodes = append(d.nodes, node{id: m.ID, url: at(c.name, "near", "id", members[0].ID, "with", m.ID)})
	}
	d.nodes[0].url = at(c.name, "near", "id", members[0].ID)
	asks := make([]service.NearRequest, len(members))
	for i, m := range members {
		asks[i] = service.NearRequest{ID: m.ID, Nearness: near, Limit: graphMembers}
	}
	from := 0
	for part := range slices.Chunk(asks, 100) { // which take some memory
		answers, err := c.svc.NearAll(ctx, c.name, part)
		if err != nil {
			return nil, err
		}
		for i := range answers {
			for _, m := range answers[i].Matches {
				if to, has := number[m.ID]; has && to > from+i {
					d.edges = append(d.edges, edge{from + i, to, similarityOf(&m)})
				}
			}
		}
		from += len(part)
	}
	d.edges = fewer(d.edges, len(d.nodes))
	d.layOut()
	return d, nil
}

func similarityOf(m *service.Match) float64 {
	switch {
	case m.Copy != nil:
		return *m.Copy
	case m.Jaccard != nil:
		return *m.Jaccard
	case m.Distance != nil:
		return max(0.05, 1-float64(*m.Distance)/32)
	}
	return 0.5
}

// fewer returns all edges, or the nearest of each node if they are too many to be told apart.
func fewer(edges []edge, nodes int) []edge {
	if len(edges) <= mostEdges {
		return edges
	}
	slices.SortStableFunc(edges, func(x, y edge) int { return cmp.Compare(y.similarity, x.similarity) })
	degrees := make([]int, nodes)
	var kept []edge
	for _, e := range edges {
		if e.a == 0 || degrees[e.a] < edgesOfNode && degrees[e.b] < edgesOfNode {
			kept = append(kept, e)
			degrees[e.a]++
			degrees[e.b]++
		}
	}
	return kept
}

// layOut finds places: those of the seeds of a sunflower, the more similar to the first node the closer to it.
func (d *graph) layOut() {
	similar := make([]float64, len(d.nodes))
	for _, e := range d.edges {
		if e.a == 0 {
			similar[e.b] = e.similarity
		}
	}
	order := make([]int, len(d.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order[min(1, len(order)):], func(a, b int) int { return cmp.Compare(similar[b], similar[a]) })
	for at, i := range order {
		const golden = 2.399963 // an angle whose multiples keep apart
		angle, radius := golden*float64(at), math.Sqrt(float64(at)/float64(max(1, len(order)-1)))
		d.nodes[i].x = graphWidth/2 + radius*math.Cos(angle)*(graphWidth/2-graphMargin)
		d.nodes[i].y = graphHeight/2 + radius*math.Sin(angle)*(graphHeight/2-graphMargin)
	}
}

// svg returns the drawing. A list on the page says the same to those who do not see it.
func (d *graph) svg() report.HTML {
	var b report.Builder
	fmt.Fprintf(&b, `<svg class="graph" viewBox="0 0 %g %g" aria-hidden="true"><g class="edges">`, graphWidth, graphHeight)
	least := 1.0
	for _, e := range d.edges {
		least = min(least, e.similarity)
	}
	for _, e := range d.edges {
		a, to := d.nodes[e.a], d.nodes[e.b]
		strength := (e.similarity - least + 0.1) / (1 - least + 0.1)
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke-opacity="%.2f" stroke-width="%.1f"><title>%s</title></line>`, a.x, a.y, to.x, to.y,
			0.15+0.6*strength, 0.8+1.8*strength, terminal.Similarity(e.similarity))
	}
	b.Add("</g>")
	radius := max(3.5, min(9, 70/math.Sqrt(float64(len(d.nodes)))))
	for i, n := range d.nodes {
		class, r := "node", radius
		if i == 0 {
			class, r = "node first", radius*1.4
		}
		b.Add(`<a href="%s" tabindex="-1" class="%s"><title>%s</title>`, n.url, class, n.id)
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f"/>`, n.x, n.y, r)
		if len(d.nodes) <= namedNodes {
			anchor, x := "start", n.x+r+4
			if n.x > graphWidth*0.75 {
				anchor, x = "end", n.x-r-4
			}
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">`, x, n.y+4, anchor)
			b.Add("%s</text>", terminal.Shorten(terminal.Harmless(path.Base(n.id)), 28))
		}
		b.Add("</a>")
	}
	b.Add("</svg>")
	return b.HTML()
}
