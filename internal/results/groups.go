package results

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"simsearch/explain"
	"simsearch/hamming"
	"simsearch/index"
	"simsearch/internal/idtext"
	"simsearch/internal/report"
	"simsearch/internal/show"
	"simsearch/internal/terminal"
)

// shownMembers is how many documents of a group are compared with its representative.
const shownMembers = 20

// Groups prints groups of near documents.
type Groups struct {
	Index  *index.Snapshot
	Near   Nearness
	Shower *Shower // nil if texts are not shown
	// Current, if not nil, tells which document of each group is the current one.
	Current *Current

	Rows    *terminal.Rows // for lists with tabs
	Objects io.Writer      // for JSON
	Table   io.Writer      // for people
	HTML    io.Writer      // for a page
	// Pictures, if not nil, returns a small copy of the picture of a document, as a JPEG that has at most side columns and rows,
	// for a page; or nil if the picture is no longer there.
	Pictures func(doc uint32, side int) ([]byte, error)
	Columns  int // of the terminal that a table is for; 0 if not known

	n     int
	first features // of the representative that documents are compared with
}

// features are those of a document.
type features struct {
	doc   uint32
	known bool
	set   explain.Features
}

// A member is a document of a group beside its representative.
type member struct {
	ID       string   `json:"id"`
	Jaccard  *float64 `json:"jaccard,omitempty"`  // to the representative, if the texts can be had
	Cosine   *float64 `json:"cosine,omitempty"`   // likewise
	Distance *int     `json:"distance,omitempty"` // to the representative, of a search by distance
	Title    string   `json:"title"`
	// Of the differences to the representative, those that are shown.
	Differences     []show.Change `json:"differences,omitempty"`
	MoreDifferences int           `json:"more_differences,omitempty"`
	Remarks         []string      `json:"remarks,omitempty"`
	ShowError       string        `json:"show_error,omitempty"`

	shown Shown
}

// A groupRow is a group as JSON.
type groupRow struct {
	V              int      `json:"v,omitempty"`
	Group          int      `json:"group"`
	Size           int      `json:"size"`
	Representative string   `json:"representative"`
	MinSimilarity  *float64 `json:"min_similarity,omitempty"`
	MinCosine      *float64 `json:"min_cosine,omitempty"`
	MaxDistance    *int     `json:"max_distance,omitempty"`
	Estimated      bool     `json:"estimated,omitempty"`
	ByEstimates    bool     `json:"cosine_estimated,omitempty"`
	Current        string   `json:"current,omitempty"`
	CurrentValue   string   `json:"current_value,omitempty"`
	Unverified     bool     `json:"unverified,omitempty"`
	IDs            []string `json:"ids"`
	Members        []member `json:"members,omitempty"` // the representative first
	MoreMembers    int      `json:"more_members,omitempty"`
}

// SetFormat makes p print table, tsv, json or html; "" is tsv.
func (p *Groups) SetFormat(format string, objects, table io.Writer) error {
	switch format {
	case "json":
		p.Objects = objects
	case "table":
		p.Table = table
	case "html":
		p.HTML = table
	case "", "tsv":
	default:
		return fmt.Errorf("unknown format %q of groups: want table, tsv, json or html", format)
	}
	return nil
}

// Count returns how many groups have been printed.
func (p *Groups) Count() int { return p.n }

// Print prints a group as a JSON object on one line if there is a writer for objects, as a table if there is
// one for tables, and else as a row for each document. The representative comes first.
func (p *Groups) Print(g index.Group) error {
	p.n++
	docs, ids, err := documents(p.Index, g)
	if err != nil {
		return err
	}
	var members []member
	if p.Shower != nil {
		if members, err = p.members(docs[:min(len(docs), shownMembers)], ids); err != nil {
			return err
		}
	}
	now, err := p.currentOf(g)
	if err != nil {
		return err
	}
	switch {
	case p.Objects != nil:
		return p.object(g, ids, members, now)
	case p.HTML != nil:
		return p.page(g, docs, ids, members, now)
	case p.Table != nil:
		return p.table(g, ids, members, now)
	}
	return p.list(g, docs, ids, members, now)
}

// list prints a row for each document.
func (p *Groups) list(g index.Group, docs []uint32, ids []string, members []member, now current) error {
	extreme := col("min_similarity", g.Jaccard)
	switch {
	case p.Near.Cosine != 0:
		extreme = col("min_cosine", g.Cosine)
	case !p.Near.BySets():
		extreme = col("max_distance", g.Distance)
	}
	for i, id := range ids {
		var lines []string
		if i < len(members) {
			lines = p.Shower.Lines(members[i].shown)
		}
		columns := []terminal.Column{col("group", p.n), col("size", len(ids)), extreme, col("id", terminal.ID(id))}
		if p.Current != nil {
			is := "-"
			if now.ok && docs[i] == now.doc {
				is = p.Current.Keep.Way.String()
			}
			columns = append(columns, col("current", is))
		}
		if p.unverified() {
			columns = append(columns, col("verified", "unverified"))
		}
		if err := p.Rows.PrintWith(lines, columns...); err != nil {
			return err
		}
	}
	return nil
}

// unverified reports whether documents of a group are known to share a bucket of a band, and nothing more.
func (p *Groups) unverified() bool { return p.Near.BySets() && p.Near.Verify == index.Unverified }

// current is the document of a group that is the current one.
type current struct {
	doc       uint32
	id, value string
	ok        bool // there is one
}

// currentOf returns the current document of a group.
func (p *Groups) currentOf(g index.Group) (now current, err error) {
	if p.Current == nil {
		return now, nil
	}
	if now.doc, now.value, now.ok, err = p.Current.Of(g.Documents); err != nil || !now.ok {
		return now, err
	}
	id, err := p.Index.ID(now.doc)
	now.id = string(id)
	return now, err
}

// documents returns the documents of a group and their ids, its representative first.
func documents(ix *index.Snapshot, g index.Group) (docs []uint32, ids []string, err error) {
	docs = append(docs, g.Representative)
	for _, doc := range g.Documents {
		if doc != g.Representative {
			docs = append(docs, doc)
		}
	}
	for _, doc := range docs {
		id, err := ix.ID(doc)
		if err != nil {
			return nil, nil, err
		}
		ids = append(ids, string(id))
	}
	return docs, ids, nil
}

// members returns what is shown of documents, the first of which represents the others.
func (p *Groups) members(docs []uint32, ids []string) ([]member, error) {
	out := make([]member, len(docs))
	for i, doc := range docs {
		m := &out[i]
		m.ID = idtext.String.Text(ids[i])
		var err error
		if i == 0 {
			m.shown, err = p.Shower.Document(doc)
		} else {
			m.shown, err = p.Shower.Pair(docs[0], doc)
		}
		if err == nil && i > 0 {
			err = p.compare(m, docs[0], doc)
		}
		if err != nil {
			return nil, err
		}
		m.Title, m.Differences, m.MoreDifferences, m.Remarks = m.shown.TitleB, m.shown.Changes, m.shown.More, m.shown.Remarks
		if m.shown.Err != nil {
			m.ShowError = show.Reason(m.shown.Err)
		}
		m.shown.alone = true // the title of the representative is above
		if i > 0 && m.Title == out[0].Title {
			m.shown.TitleB = ""
		}
	}
	return out, nil
}

// compare fills in how near a document is to its representative.
func (p *Groups) compare(m *member, representative, doc uint32) error {
	if p.Near.BySets() || p.Near.Cosine != 0 {
		a, errA := p.Shower.text(representative)
		b, errB := p.Shower.text(doc)
		if errA == nil && errB == nil {
			of := p.Index.Analysis()
			if p.Near.Cosine != 0 {
				c, err := explain.Compare(of, explain.Text{Text: []byte(a)}, explain.Text{Text: []byte(b)}, 0)
				m.Cosine = &c.Cosine.Exact
				return err
			}
			if !p.first.known || p.first.doc != representative {
				p.first = features{representative, true, explain.CountSet(of, []byte(a))}
			}
			jaccard := explain.Jaccard(p.first.set, explain.CountSet(of, []byte(b)))
			m.Jaccard = &jaccard
		}
		return nil
	}
	x, okA, err := p.Index.Fingerprint(representative)
	if err != nil {
		return err
	}
	y, okB, err := p.Index.Fingerprint(doc)
	if err == nil && okA && okB {
		distance := hamming.Distance(x, y)
		m.Distance = &distance
	}
	return err
}

// object prints a group as JSON.
func (p *Groups) object(g index.Group, ids []string, members []member, now current) error {
	for i, id := range ids {
		ids[i] = idtext.String.Text(id)
	}
	row := groupRow{Group: p.n, Size: len(ids), Representative: ids[0], Estimated: g.Estimated, Unverified: p.unverified(), ByEstimates: g.CosineEstimated, IDs: ids, Members: members}
	if now.ok {
		row.Current, row.CurrentValue = idtext.String.Text(now.id), now.value
	}
	if members != nil {
		row.MoreMembers = len(ids) - len(members)
	}
	if p.n == 1 {
		row.V = 1
	}
	switch {
	case p.Near.Cosine != 0:
		row.MinCosine = &g.Cosine
	case p.Near.BySets():
		row.MinSimilarity = &g.Jaccard
	default:
		row.MaxDistance = &g.Distance
	}
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	_, err = p.Objects.Write(append(line, '\n'))
	return err
}

// table prints a group as people read it: a line about it, and one for each document.
func (p *Groups) table(g index.Group, ids []string, members []member, now current) error {
	for i, id := range ids {
		ids[i] = idtext.Terminal.Text(id)
	}
	var b strings.Builder
	if p.n > 1 {
		b.WriteByte('\n')
	}
	unverified := ""
	if p.unverified() {
		unverified = "unverified, "
	}
	fmt.Fprintf(&b, "group %s: %s, %s%s", terminal.Thousands(p.n), terminal.Plural(len(ids), "document"), unverified, p.extreme(g))
	prefix := terminal.CommonPrefix(ids)
	if prefix != "" {
		fmt.Fprintf(&b, ", in %s", prefix)
	}
	if now.ok {
		fmt.Fprintf(&b, "; the %s is %s", p.Current.Keep.Way, idtext.Terminal.Text(now.id)[len(prefix):])
		if now.value != "" {
			fmt.Fprintf(&b, " (%s)", terminal.Plain(now.value))
		}
	}
	b.WriteString(":\n")
	for i, id := range ids {
		if i == len(members) && i > 0 {
			fmt.Fprintf(&b, "  … and %s, not shown; --format tsv and json name all of them\n", terminal.Plural(len(ids)-i, "more document"))
			break
		}
		line := "  "
		if i < len(members) {
			line += members[i].nearness()
		}
		id = id[len(prefix):]
		if p.Columns > 0 {
			id = terminal.Shorten(id, max(8, p.Columns-terminal.Columns(line)))
		}
		b.WriteString(line + id + "\n")
		if i < len(members) {
			for _, line := range p.Shower.Lines(members[i].shown) {
				if line != "" {
					b.WriteString(line + "\n")
				}
			}
		}
	}
	_, err := io.WriteString(p.Table, b.String())
	return err
}

// extreme says how far apart documents of a group are.
func (p *Groups) extreme(g index.Group) string {
	text := "similarity " + terminal.Similarity(g.Jaccard)
	switch {
	case p.Near.Cosine != 0:
		text = "cosine " + terminal.Similarity(g.Cosine)
		if g.Cosine < 1 {
			text += " and more"
		}
		if g.CosineEstimated {
			text += ", estimated"
		}
	case !p.Near.BySets() && g.Distance == 0:
		text = "equal fingerprints"
	case !p.Near.BySets():
		text = fmt.Sprintf("at most %s apart", terminal.Plural(g.Distance, "bit"))
	case g.Jaccard < 1:
		text += " and more"
	}
	if g.Estimated {
		text += ", by a sample"
	}
	return text
}

// nearness returns how near a document is to its representative, with spaces behind it.
func (m *member) nearness() string {
	switch {
	case m.Jaccard != nil:
		return terminal.Similarity(*m.Jaccard) + "  "
	case m.Cosine != nil:
		return terminal.Similarity(*m.Cosine) + "  "
	case m.Distance != nil:
		return fmt.Sprintf("%2d bits  ", *m.Distance)
	}
	return ""
}

// page prints a group as a part of a page of HTML, which begins with the first group.
func (p *Groups) page(g index.Group, docs []uint32, ids []string, members []member, now current) error {
	if p.n == 1 {
		page := &report.Page{Command: "simsearch groups", Title: "Groups of near documents", Pictures: p.Pictures != nil}
		if err := page.Begin(p.HTML); err != nil {
			return err
		}
	}
	unverified := ""
	if p.unverified() {
		unverified = "unverified, "
	}
	shown := &report.Group{ID: fmt.Sprintf("group-%d", p.n)}
	shown.Title = fmt.Sprintf("Group %s: %s, %s%s", terminal.Thousands(p.n), terminal.Plural(len(ids), "document"), unverified, p.extreme(g))
	way := ""
	if now.ok {
		way = p.Current.Keep.Way.String()
		shown.Current = &report.Current{Way: way, ID: idtext.Terminal.Text(now.id), Value: terminal.Plain(now.value)}
	}
	for i, id := range ids {
		if members != nil && i == len(members) {
			shown.More = terminal.Plural(len(ids)-i, "more document")
			break
		}
		picture, err := p.picture(i, docs[i])
		if err != nil {
			return err
		}
		d := report.Document{ID: idtext.Terminal.Text(id), Picture: picture}
		if now.ok && docs[i] == now.doc {
			d.Mark = way
		}
		if i < len(members) {
			m := members[i]
			d.Nearness, d.Title, d.Changes, d.Notes = strings.TrimSpace(m.nearness()), m.shown.TitleB, m.Differences, report.Notes(m.Remarks, m.MoreDifferences)
			if m.ShowError != "" {
				d.Notes = append(slices.Clip(d.Notes), m.ShowError)
			}
		}
		shown.Documents = append(shown.Documents, d)
	}
	return shown.Write(p.HTML)
}

// picture returns a small copy of the picture that is document i of the group.
func (p *Groups) picture(i int, doc uint32) (template.URL, error) {
	if p.Pictures == nil || p.n > report.PicturedGroups || i >= report.PicturesOfGroup {
		return "", nil
	}
	small, err := p.Pictures(doc, report.PictureSide)
	if urls := report.Pictures(small); len(urls) > 0 {
		return urls[0], err
	}
	return "", err
}
