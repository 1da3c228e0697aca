package explorer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"simsearch/internal/explain"
	"simsearch/internal/report"
	"simsearch/internal/service"
	"simsearch/internal/terminal"
)

const (
	groupsOfPage  = 20
	listedMembers = 8   // documents of a group in the list of groups
	graphMembers  = 500 // documents of a graph
	shownMembers  = 20  // documents of a group beside its first one, with their texts
)

// A groupFilter says which groups are shown: of documents from a source, and from a similarity on, or within a distance.
type groupFilter struct {
	Source string  // a field with its value, FIELD=VALUE, or the beginning of ids
	Least  float64 // 0 is what the collection was made for
	Within *int
}

// filterOf returns the filter that is in an address.
func filterOf(q url.Values) (f groupFilter, err error) {
	f.Source = strings.TrimSpace(q.Get("source"))
	if s := q.Get("least"); s != "" {
		if f.Least, err = strconv.ParseFloat(s, 64); err != nil || !(f.Least > 0 && f.Least <= 1) {
			return f, service.Errorf(service.BadRequest, "least", "%q is no similarity: want a number above 0, and at most 1", s)
		}
	}
	if s := q.Get("within"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > 64 {
			return f, service.Errorf(service.BadRequest, "within", "%q is no distance: want a number of bits", s)
		}
		f.Within = &n
	}
	return f, nil
}

// request returns the request for groups by the filter.
func (f *groupFilter) request() *service.GroupsRequest {
	r := &service.GroupsRequest{}
	r.Jaccard, r.K = f.Least, f.Within
	if strings.Contains(f.Source, "=") {
		r.Where = []string{f.Source}
	} else {
		r.Prefix = f.Source
	}
	return r
}

// pairs returns the filter as parts of an address.
func (f *groupFilter) pairs(more ...string) []string {
	pairs := append([]string{"source", f.Source}, more...)
	if f.Least > 0 {
		pairs = append(pairs, "least", strconv.FormatFloat(f.Least, 'g', -1, 64))
	}
	if f.Within != nil {
		pairs = append(pairs, "within", strconv.Itoa(*f.Within))
	}
	return pairs
}

// A groupsView is the groups of a page.
type groupsView struct {
	groupFilter
	Groups      []*report.Group
	Total       int
	First, Next string // addresses; First is "" on the first page
	Histogram   *histogram
	Action      string
	Fields      []string // that documents can be told apart by
	Filtered    bool
	All         string // the address without a filter
}

// filtered returns what an address of groups names: a collection, what stands in the query, and the filter of that.
func (x *explorer) filtered(r *http.Request) (c *collection, q url.Values, f groupFilter, err error) {
	q = r.URL.Query()
	if c, err = x.of(r); err == nil {
		f, err = filterOf(q)
	}
	return c, q, f, err
}

// groups shows groups of near documents, the largest first.
func (x *explorer) groups(r *http.Request) (*view, error) {
	c, q, f, err := x.filtered(r)
	if err != nil {
		return nil, err
	}
	ask := f.request()
	ask.Cursor, ask.Limit, ask.Members, ask.Histogram = q.Get("cursor"), groupsOfPage, listedMembers, true
	page, err := c.svc.Groups(r.Context(), c.name, ask)
	if err != nil {
		return nil, err
	}
	base := page
	if f.Least > 0 || f.Within != nil { // the histogram is of all that is near, so that the slider can go back
		all := &groupFilter{Source: f.Source}
		asked := all.request()
		asked.Limit, asked.Members, asked.Histogram = 1, 1, true
		if base, err = c.svc.Groups(r.Context(), c.name, asked); err != nil {
			return nil, err
		}
	}
	v := groupsView{groupFilter: f, Total: page.Total, Action: at(c.name, "groups"), Fields: c.info.Settings.Fields,
		Filtered: f.Source != "" || f.Least > 0 || f.Within != nil, All: at(c.name, "groups"), Histogram: c.histogramOf(base.Histogram, &f)}
	first, _ := strconv.Atoi(q.Get("from"))
	first = max(1, first)
	for i := range page.Groups {
		g, err := c.listed(r.Context(), &page.Groups[i], first+i, f)
		if err != nil {
			return nil, err
		}
		g.Open = first+i <= 3
		v.Groups = append(v.Groups, g)
	}
	if page.Cursor != "" {
		v.Next = at(c.name, "groups", f.pairs("cursor", page.Cursor, "from", strconv.Itoa(first+len(page.Groups)))...)
	}
	if first > 1 {
		v.First = at(c.name, "groups", f.pairs()...)
	}
	title := terminal.Plural(page.Total, "group") + " of near documents"
	if page.Total == 0 {
		title = "No groups of near documents"
	}
	return c.view("groups", title, v), nil
}

// listed returns what a list of groups shows of one.
func (c *collection) listed(ctx context.Context, g *service.Group, n int, f groupFilter) (*report.Group, error) {
	shown := &report.Group{ID: fmt.Sprintf("group-%d", n), Title: fmt.Sprintf("Group %s: %s", terminal.Thousands(n), c.extent(g))}
	for i, m := range g.Members {
		d := report.Document{ID: m.ID, Link: at(c.name, "near", "id", m.ID)}
		if i > 0 {
			d.Nearness = (&found{Match: m, near: true}).nearness()
			d.Link = at(c.name, "near", "id", g.Members[0].ID, "with", m.ID)
		} else if c.hasTexts() {
			if doc, err := c.svc.Document(ctx, c.name, m.ID); err != nil {
				return nil, err
			} else if doc.Text != nil {
				shown.Name = explain.Title(*doc.Text, 80)
			}
		}
		shown.Documents = append(shown.Documents, d)
	}
	if shown.Name == "" && len(g.Members) > 0 {
		shown.Name = g.Members[0].ID
	}
	if more := g.Size - len(g.Members); more > 0 {
		shown.More = terminal.Plural(more, "more document")
	}
	if len(g.Members) > 0 {
		shown.Link = at(c.name, "group", f.pairs("of", g.Members[0].ID, "n", strconv.Itoa(n))...)
	}
	return shown, nil
}

// extent says how many documents a group has, and how near they are.
func (c *collection) extent(g *service.Group) string {
	text := terminal.Plural(g.Size, "document")
	switch {
	case g.Distance != nil && *g.Distance == 0:
		text += ", equal fingerprints"
	case g.Distance != nil:
		text += ", at most " + terminal.Plural(*g.Distance, "bit") + " apart"
	case g.Jaccard != nil && *g.Jaccard >= 1:
		text += ", all the same"
	case g.Jaccard != nil:
		text += ", similarity " + terminal.Similarity(*g.Jaccard) + " and more"
	}
	return text
}

// A histogram says how many documents are how near to the first of their group, above a slider.
type histogram struct {
	Name, Title    string  // of the control, and what it says
	Min, Max, Step float64 // of the slider
	At             float64
	Rising         bool // values from At on are near, and not those up to At
	Bars           []histogramBar
	Documents      int
}

// A histogramBar has its place in per cent, and what it stands for.
type histogramBar struct {
	X, Width, Y, Height float64
	From                float64
	Title               string
	Out                 bool
}

// histogramOf returns the histogram of the collection, or nil if nothing is known. Similarities come in hundredths.
func (c *collection) histogramOf(counts []int, f *groupFilter) *histogram {
	s := c.info.Settings
	byDistance := s.Holds == "fingerprints" || s.Jaccard == 0 && s.K > 0
	first := slices.IndexFunc(counts, func(n int) bool { return n > 0 })
	if first < 0 {
		return nil
	}
	h := &histogram{Name: "least", Title: "Similarity of at least", Min: float64(min(first, int(cmp.Or(s.Jaccard, 0.8)*100))) / 100, Max: 1, Step: 0.01, Rising: true}
	h.At = cmp.Or(f.Least, h.Min)
	from, to, scale := int(h.Min*100+.5), 100, 100.0
	if byDistance {
		h = &histogram{Name: "within", Title: "A distance of at most", Max: float64(max(s.K, 1)), Step: 1}
		h.At = h.Max
		if f.Within != nil {
			h.At = float64(*f.Within)
		}
		from, to, scale = 0, int(h.Max), 1
	}
	to = min(to, len(counts)-1)
	if to < from {
		return nil
	}
	most := slices.Max(counts)
	width := 100 / float64(to-from+1)
	for i := from; i <= to; i++ {
		h.Documents += counts[i]
		if counts[i] == 0 {
			continue
		}
		bar := histogramBar{X: width * float64(i-from), Width: width * 0.86, Height: max(3, 100*float64(counts[i])/float64(most)), From: float64(i) / scale}
		bar.Y = 100 - bar.Height
		bar.Title = fmt.Sprintf("%.2f: %s", bar.From, terminal.Plural(counts[i], "document"))
		if byDistance {
			bar.Title = terminal.Plural(i, "bit") + ": " + terminal.Plural(counts[i], "document")
		}
		bar.Out = h.Rising && bar.From < h.At-1e-9 || !h.Rising && bar.From > h.At
		h.Bars = append(h.Bars, bar)
	}
	return h
}

// A groupView is one group.
type groupView struct {
	Extent  string
	Size    int
	Graph   template.HTML
	Drawn   int // documents of the graph
	Edges   int
	Pairs   report.Pairs
	More    int // documents that are in no pair
	Back    string
	Members []navLink // all that were asked for
	Key     string    // under which a browser keeps marks
}

// group shows one group: its documents beside the first one, and a graph of them.
func (x *explorer) group(r *http.Request) (*view, error) {
	c, q, f, err := x.filtered(r)
	if err != nil {
		return nil, err
	}
	ask := f.request()
	ask.Of, ask.Limit, ask.Members = q.Get("of"), 1, graphMembers
	if ask.Of == "" {
		return &view{to: at(c.name, "groups", f.pairs()...)}, nil
	}
	page, err := c.svc.Groups(r.Context(), c.name, ask)
	if err != nil {
		return nil, err
	}
	if len(page.Groups) == 0 || len(page.Groups[0].Members) == 0 {
		return nil, service.Errorf(service.NotFound, "", "there is no such group any more")
	}
	g := &page.Groups[0]
	v := groupView{Extent: c.extent(g), Size: g.Size, Back: at(c.name, "groups", f.pairs()...), Key: "simsearch marks " + c.name}
	for i, m := range g.Members {
		to := at(c.name, "near", "id", g.Members[0].ID, "with", m.ID)
		if i == 0 {
			to = at(c.name, "near", "id", m.ID)
		}
		v.Members = append(v.Members, navLink{Name: m.ID, URL: to})
	}
	if v.Pairs, err = c.members(r.Context(), g); err != nil {
		return nil, err
	}
	v.More = g.Size - 1 - len(v.Pairs)
	drawn, err := c.graph(r.Context(), g, ask.Nearness)
	if err != nil {
		return nil, err
	}
	v.Drawn, v.Edges, v.Graph = len(drawn.nodes), len(drawn.edges), drawn.svg()
	title := "Group of " + terminal.Plural(g.Size, "document")
	if n, err := strconv.Atoi(q.Get("n")); err == nil && n > 0 {
		title = fmt.Sprintf("Group %s: %s", terminal.Thousands(n), terminal.Plural(g.Size, "document"))
	}
	return c.view("group", title, v), nil
}

// members returns the first documents of a group beside the first one, to be looked at and marked.
func (c *collection) members(ctx context.Context, g *service.Group) (report.Pairs, error) {
	var all []found
	for i, m := range g.Members[:min(len(g.Members), shownMembers+1)] {
		if c.hasTexts() {
			d, err := c.svc.Document(ctx, c.name, m.ID)
			if err != nil {
				return nil, err
			}
			if d.Text != nil {
				m.Text = *d.Text
			}
		}
		if i > 0 {
			all = append(all, found{m, true})
		} else {
			all = append(all, found{Match: m})
		}
	}
	first := all[0]
	pairs := c.pairs(text{first.ID, first.Text}, all[1:], "first")
	for i, p := range pairs {
		p.Asked, p.Noted, p.Label = true, true, label(first.ID, all[i+1].ID)
	}
	return pairs, nil
}

// label returns what labels say of a pair before it is judged: an object of JSON in ASCII, so that a page can have every id.
func label(a, b string) string {
	text, _ := json.Marshal(struct { // which is of strings
		A string `json:"a"`
		B string `json:"b"`
	}{a, b})
	var ascii []byte
	for _, r := range string(text) {
		if r < 0x7f {
			ascii = append(ascii, byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			ascii = fmt.Appendf(ascii, `\u%04x`, unit)
		}
	}
	return string(ascii)
}
