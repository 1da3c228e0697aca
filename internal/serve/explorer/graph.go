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

// A graph draws documents as points, and near pairs as lines between them. Documents are the closer the more
// similar they are, as far as there is room for it. The same documents give the same drawing.
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
	edgesOfNode             = 6        // of each document, the nearest, where there are more than mostEdges
	namedNodes              = 24       // documents whose names stand beside them
	layoutWork              = 12 << 20 // pairs of documents that are looked at to find places
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

// layOut finds places: near nodes attract each other, all repel each other, and the steps become shorter
// (Fruchterman and Reingold, "Graph drawing by force-directed placement", 1991). It begins with a spiral around the
// first node.
func (d *graph) layOut() {
	n := len(d.nodes)
	for i := range d.nodes {
		angle, radius := 2.399963*float64(i), math.Sqrt(float64(i)/float64(max(1, n)))
		d.nodes[i].x, d.nodes[i].y = radius*math.Cos(angle), radius*math.Sin(angle)
	}
	ideal := math.Sqrt(math.Pi / float64(max(1, n)))
	rounds := max(30, min(300, layoutWork/max(1, n*n)))
	dx, dy := make([]float64, n), make([]float64, n)
	for round := range rounds {
		clear(dx)
		clear(dy)
		for i := range d.nodes {
			for j := range i {
				x, y := d.nodes[i].x-d.nodes[j].x, d.nodes[i].y-d.nodes[j].y
				push := ideal * ideal / max(1e-6, x*x+y*y)
				dx[i], dy[i] = dx[i]+x*push, dy[i]+y*push
				dx[j], dy[j] = dx[j]-x*push, dy[j]-y*push
			}
		}
		for _, e := range d.edges {
			x, y := d.nodes[e.a].x-d.nodes[e.b].x, d.nodes[e.a].y-d.nodes[e.b].y
			pull := math.Hypot(x, y) / ideal * e.similarity * e.similarity
			dx[e.a], dy[e.a] = dx[e.a]-x*pull, dy[e.a]-y*pull
			dx[e.b], dy[e.b] = dx[e.b]+x*pull, dy[e.b]+y*pull
		}
		step := 0.15 * (1 - float64(round)/float64(rounds))
		for i := range d.nodes {
			// A weak pull to the middle keeps apart parts in the drawing.
			x, y := dx[i]-0.4*d.nodes[i].x*ideal, dy[i]-0.4*d.nodes[i].y*ideal
			if length := math.Hypot(x, y); length > 0 {
				d.nodes[i].x += x / length * min(length, step)
				d.nodes[i].y += y / length * min(length, step)
			}
		}
	}
	d.fit()
}

// fit moves and scales the places into the drawing.
func (d *graph) fit() {
	left, right, top, bottom := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, n := range d.nodes {
		left, right, top, bottom = min(left, n.x), max(right, n.x), min(top, n.y), max(bottom, n.y)
	}
	wide, high := graphWidth-2*graphMargin, graphHeight-2*graphMargin
	scale := min(wide/max(1e-9, right-left), high/max(1e-9, bottom-top))
	if len(d.nodes) == 1 {
		scale = 0
	}
	for i := range d.nodes {
		n := &d.nodes[i]
		n.x = graphWidth/2 + (n.x-(left+right)/2)*scale
		n.y = graphHeight/2 + (n.y-(top+bottom)/2)*scale
	}
}

// svg returns the drawing. A list on the page says the same to those who do not see it.
func (d *graph) svg() report.HTML {
	var b report.Builder
	fmt.Fprintf(&b, `<svg class="graph%s" viewBox="0 0 %g %g" aria-hidden="true"><g class="edges">`, report.If(len(d.nodes) <= namedNodes/2, " few"), graphWidth, graphHeight)
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
			if n.x > graphWidth*0.5 {
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
