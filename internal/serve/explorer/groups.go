package explorer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

const (
	groupsOfPage  = 20
	listedMembers = 8   // documents of a group in the list of groups
	graphMembers  = 500 // documents of a graph
	shownMembers  = 20  // documents of a group beside its first one, with their texts
)

// A filter is what an address asks of the operation that returns groups, by the names of its members: from a
// similarity on or within a distance, of ids that begin so, or where a field has a value.
type filter struct {
	service.GroupsRequest
	pairs []string // of an address, without a cursor
}

// filtered returns the filter that an address of groups asks for.
func filtered(q url.Values) (f filter, err error) {
	asked := url.Values{}
	for _, name := range []string{"prefix", "where", "jaccard", "copy", "k"} {
		if value := strings.TrimSpace(q.Get(name)); value != "" {
			asked.Set(name, value)
			f.pairs = append(f.pairs, name, value)
		}
	}
	body, err := service.Named("groups").FromQuery(asked)
	if err == nil {
		var all []service.GroupsRequest
		if all, err = service.Decode[service.GroupsRequest](body, false); err == nil {
			f.GroupsRequest, f.OfPage = all[0], true
		}
	}
	return f, err
}

// least returns the similarity that the filter asks for, or 0.
func (f *filter) least() float64 { return max(f.Jaccard, f.Copy) }

// groups shows groups of near documents, those that are nearest each other first.
func (c *collection) groups(r *http.Request) (*view, error) {
	q := r.URL.Query()
	f, err := filtered(q)
	if err != nil {
		return nil, err
	}
	ask := f.GroupsRequest
	ask.Cursor, ask.Limit, ask.Members, ask.Histogram = q.Get("cursor"), groupsOfPage, listedMembers, true
	if c.pictured() {
		ask.Members = pictureMembers
	}
	page, err := c.svc.Groups(r.Context(), c.name, &ask)
	if err != nil {
		return nil, err
	}
	base := page
	if f.least() > 0 || f.K != nil { // the histogram is of all that is near, so that the slider can go back
		ask = service.GroupsRequest{Prefix: f.Prefix, Where: f.Where, Limit: 1, Members: 1, Histogram: true, OfPage: true}
		if base, err = c.svc.Groups(r.Context(), c.name, &ask); err != nil {
			return nil, err
		}
	}
	all, isFiltered := at(c.name, "groups"), f.pairs != nil
	first := 1
	if from, _ := strconv.Atoi(q.Get("from")); ask.Cursor != "" { // addresses are typed, too, and groups go
		first = max(1, min(from, page.Total-len(page.Groups)+1))
	}
	var groups report.Builder
	for i := range page.Groups {
		g, err := c.summary(r.Context(), &page.Groups[i], first+i, f)
		if err != nil {
			return nil, err
		}
		g.Open = first+i <= 3
		groups.Add(g.HTML())
	}
	field := report.HTML("")
	if fields := c.info.Settings.Fields; len(fields) > 0 && !c.pictured() {
		field = report.H(`<p><label for="where">Field</label> <input type="text" id="where" name="where" value="%s"
placeholder="%s=…" autocomplete="off" spellcheck="false"></p>
`, q.Get("where"), fields[0])
	}
	body := report.H(`<form class="filter" method="get" action="%s" id="filter">
%s<div class="sourced"><p><label for="prefix">Ids with</label> <input type="text" id="prefix" name="prefix" value="%s"
autocomplete="off" spellcheck="false"></p>
%s<p><button type="submit">Show</button>%s</p></div>
</form>
`, all, c.slider(base.Histogram, &f), f.Prefix, field, report.If(isFiltered, " "+report.Link("all groups", all)))
	switch {
	case len(page.Groups) > 0:
		body += "<h2 class=\"said\">Groups</h2>\n" + groups.HTML()
	case isFiltered:
		body += report.P("verdict", "No groups are like this. Move the slider to the left, or choose another source.")
	default:
		body += report.P("verdict", "No two documents of the collection are near each other.")
	}
	body += steps(way(first > 1, "← The first groups", at(c.name, "groups", f.pairs...)), "",
		way(page.Cursor != "", "More groups →",
			at(c.name, "groups", append(f.pairs, "cursor", page.Cursor, "from", strconv.Itoa(first+len(page.Groups)))...)))
	groupsOf := report.Either(page.Total == 0, terminal.Plural(page.Total, "group"), "No groups")
	return c.view("groups", groupsOf+" of near documents", body), nil
}

// summary returns what a list of groups shows of one.
func (c *collection) summary(ctx context.Context, g *service.Group, n int, f filter) (*report.Group, error) {
	shown := &report.Group{ID: fmt.Sprintf("group-%d", n), Title: fmt.Sprintf("Group %s: %s", terminal.Thousands(n),
		c.extent(g))}
	largest := 0
	for i, m := range g.Members {
		d := c.listed(ctx, m.ID)
		if i > 0 {
			d.Nearness = (&found{Match: m}).nearness()
			d.Link = at(c.name, "near", "id", g.Members[0].ID, "with", m.ID)
		} else if c.hasTexts() {
			doc, err := c.svc.Document(ctx, c.name, m.ID)
			if err != nil {
				return nil, err
			}
			shown.Name = titleOf(valueOf(doc.Text), doc.Fields, 80)
		}
		shown.Documents = append(shown.Documents, d)
		if d.Bytes > shown.Documents[largest].Bytes {
			largest = i
		}
	}
	if c.pictured() && g.Size == len(g.Members) { // dedup keeps it, too
		shown.Documents[largest].Keep = true
	}
	shown.Name = cmp.Or(shown.Name, g.Members[0].ID)
	if more := g.Size - len(g.Members); more > 0 {
		shown.More = terminal.Plural(more, "more document")
	}
	shown.Link = at(c.name, "group", append(slices.Clip(f.pairs), "of", g.Members[0].ID, "n", strconv.Itoa(n))...)
	return shown, nil
}

// extent says how many documents a group has, and how near they are.
func (c *collection) extent(g *service.Group) string {
	text := terminal.Plural(g.Size, "document")
	more := terminal.If(g.Size > 2, " and more")
	switch {
	case g.Distance != nil && *g.Distance == 0:
		text += ", equal fingerprints"
	case g.Distance != nil:
		text += ", at most " + terminal.Plural(*g.Distance, "bit") + " apart"
	case g.Copy != nil && *g.Copy < 0.5: // of two that others link
		text += ", not all copies of each other"
	case cmp.Or(valueOf(g.Copy), valueOf(g.Jaccard)) >= 1:
		text += ", all the same"
	case g.Copy != nil:
		text += ", probability of a copy " + terminal.Similarity(*g.Copy) + more
	case g.Jaccard != nil:
		text += ", similarity " + terminal.Similarity(*g.Jaccard) + more
	}
	return text
}

// slider returns a slider below a histogram of how many documents are how near to the first of their group, or ""
// if nothing is known. Similarities come in hundredths.
func (c *collection) slider(counts []int, f *filter) report.HTML {
	s := c.info.Settings
	first := slices.IndexFunc(counts, func(n int) bool { return n > 0 })
	if first < 0 {
		return ""
	}
	name, title, unit := "jaccard", "Similarity of at least", 0.01 // of a step
	if s.Copy > 0 {
		name, title = "copy", "Probability of a copy of at least"
	}
	from, to := min(first, int(cmp.Or(s.Copy, s.Jaccard, 0.8)*100)), 100
	value := cmp.Or(f.least(), float64(from)/100)
	rising := true // values from this one on are near, and not those up to it
	if s.Holds == service.Fingerprints || s.Jaccard+s.Copy == 0 && s.K > 0 {
		name, title, unit, from, to, rising = "k", "A distance of at most", 1, 0, max(s.K, 1), false
		value = float64(to)
		if f.K != nil {
			value = float64(*f.K)
		}
	}
	least, largest := float64(from)*unit, float64(to)*unit
	if to = min(to, len(counts)-1); to < from {
		return ""
	}
	var bars report.Builder
	documents, most, width := 0, slices.Max(counts), 100/float64(to-from+1)
	for i := from; i <= to; i++ {
		documents += counts[i]
		if counts[i] == 0 {
			continue
		}
		at, text := float64(i)*unit, terminal.Plural(i, "bit")
		if rising {
			at, text = float64(i)/100, fmt.Sprintf("%.2f", float64(i)/100)
		}
		high := max(3, 100*float64(counts[i])/float64(most))
		fmt.Fprintf(&bars, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" data-from="%v"`, width*float64(i-from),
			100-high, width*0.86, high, at)
		bars.Add("%s><title>%s: %s</title></rect>", report.If(rising && at < value-1e-9 || !rising && at > value,
			` class="out"`), text, terminal.Plural(counts[i], "document"))
	}
	round := func(x float64) string { return fmt.Sprint(math.Round(x*1e9) / 1e9) }
	return report.H(`<div class="slider" id="slider"><svg viewBox="0 0 100 100" preserveAspectRatio="none"
aria-hidden="true">%s</svg>
<input type="range" id="%s" name="%s" min="%s" max="%s" step="%s" value="%s"%s>
<p class="ends notes" aria-hidden="true"><span>%s</span> <span>%s</span></p>
<p><label for="%s">%s</label> <output for="%s">%s</output> <span class="notes">to the first of a group:
%s</span></p></div>
`, bars.HTML(), name, name, round(least), round(largest), round(unit), round(value), report.If(rising, " data-rising"), round(least), round(largest),
		name, title, name, round(value), terminal.Plural(documents, "document"))
}

// group shows one group: its documents beside the first one, and a graph of them.
func (c *collection) group(r *http.Request) (*view, error) {
	q := r.URL.Query()
	f, err := filtered(q)
	if err != nil {
		return nil, err
	}
	ask := f.GroupsRequest
	ask.Of, ask.Limit, ask.Members = q.Get("of"), 1, graphMembers
	if ask.Of == "" {
		return &view{to: at(c.name, "groups", f.pairs...)}, nil
	}
	page, err := c.svc.Groups(r.Context(), c.name, &ask)
	if err != nil {
		return nil, err
	}
	if len(page.Groups) == 0 || len(page.Groups[0].Members) == 0 {
		return nil, service.Errorf(service.NotFound, "", "there is no such group any more")
	}
	g := &page.Groups[0]
	pairs, err := c.members(r.Context(), g)
	if err != nil {
		return nil, err
	}
	drawn, err := c.graph(r.Context(), g, ask.Nearness)
	if err != nil {
		return nil, err
	}
	var members []navLink
	for _, n := range drawn.nodes {
		members = append(members, navLink{n.id, n.url})
	}
	body := report.P("subject", "%s%s", c.extent(g), ". "+report.Link("All groups", at(c.name, "groups", f.pairs...)))
	if c.pictured() {
		s, err := c.summary(r.Context(), g, 1, f)
		if err != nil {
			return nil, err
		}
		body += report.List(s.Documents, s.More)
	}
	if n := len(drawn.nodes); n > 2 {
		body += report.H("<figure class=\"drawn\">%s<figcaption class=\"notes\">Each point is a document%s, the large one the first of the group. %s: near documents, darker if they are more similar. A click shows a document beside the first.</figcaption></figure>\n",
			drawn.svg(), report.If(n < g.Size, report.H(", of the first %s", n)), terminal.Plural(len(drawn.edges), "line"))
	}
	more := g.Size - 1 - len(pairs)
	body += report.H(`<section id="beside" aria-labelledby="beside-h">
<h2 id="beside-h">Beside the first document</h2>
<p class="notes keys">Is it right that the two are near? Keys: <kbd>y</kbd> right, <kbd>n</kbd> wrong, <kbd>u</kbd>
unsure, <kbd>x</kbd> no mark, <kbd>←</kbd> <kbd>→</kbd> the pair before and after. This browser keeps marks and
notes; saved, they are labels for <code>simsearch eval --truth FILE</code>.</p>
<noscript><p class="warning">Marks need the script of this page, which does not run.</p></noscript>
<div id="review" data-key="%s">
%s</div>
%s<div class="reviewed" id="reviewed" role="region" aria-label="Marks" tabindex="-1" hidden>
<p role="status"></p>
<p class="marks"><button type="button" id="save">Save labels</button> <button type="button"
id="clear">Clear</button></p>
</div>
</section>
`, "simsearch marks "+c.name, pairs.HTML(), report.If(more > 0, report.P("notes", "%s of the group %s listed below, or not shown.", terminal.Plural(more, "more document"), report.Is(more)))) + folded(false, terminal.Plural(len(members), "document")+" of the group", members)
	title := "Group of " + terminal.Plural(g.Size, "document")
	if n, err := strconv.Atoi(q.Get("n")); err == nil && n <= page.Total {
		title = fmt.Sprintf("Group %s: %s", terminal.Thousands(n), terminal.Plural(g.Size, "document"))
	}
	return c.view("group", title, body), nil
}

// members returns the first documents of a group beside the first one, to be looked at and marked.
func (c *collection) members(ctx context.Context, g *service.Group) (report.Pairs, error) {
	var all []found
	for _, m := range g.Members[:min(len(g.Members), shownMembers+1)] {
		if c.hasTexts() {
			d, err := c.svc.Document(ctx, c.name, m.ID)
			if err != nil {
				return nil, err
			}
			m.Text = valueOf(d.Text)
		}
		all = append(all, found{Match: m})
	}
	first := all[0]
	pairs := c.pairs(ctx, c.text(ctx, first.ID, first.Text, 0), all[1:], "first")
	for i, p := range pairs {
		p.Asked, p.Noted, p.Label = true, true, label(first.ID, all[i+1].ID)
	}
	return pairs, nil
}

// label returns what labels say of a pair before it is judged: an object of JSON in ASCII, so that a page can have
// every id.
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
