package results

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
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

	Rows  *terminal.Rows // lists with tabs, or JSON, if there is no writer for something else
	Table io.Writer      // for people
	HTML  io.Writer      // for a page
	// Pictures, if not nil, returns a small copy of the picture of a document, as a JPEG that has at most side columns and rows,
	// for a page; or nil if the picture is no longer there.
	Pictures func(doc uint32, side int) ([]byte, error)
	Texts    Texts // for a page with texts side by side; nil if there are none
	Chain    bool  // near pairs that are connected make a group
	Columns  int   // of the terminal that a table is for; 0 if not known

	n   int
	all *groupsPage // of a page
}

// A group is what is printed of a group. Its representative comes first.
type group struct {
	index.Group
	docs    []uint32
	ids     []string
	members []member // the documents whose texts are shown; nil if texts are not
	now     current
}

// current is the document of a group that is the current one.
type current struct {
	doc       uint32
	id, value string
	ok        bool // there is one
}

// A member is a document of a group beside its representative.
type member struct {
	title string
	near  []terminal.Column // how near the representative is; none if that is not known
	shown Shown             // of the differences to the representative, those that are shown
}

// object returns the JSON object of a member.
func (m *member) object(id string) terminal.Object {
	o := append(terminal.Object{col("id", terminal.ID(id))}, m.near...)
	o = append(o, col("title", m.title))
	differences := m.shown.differences()
	if len(m.shown.Changes) == 0 {
		differences = differences[1:]
	}
	if o = append(o, differences...); m.shown.Err != nil {
		o = append(o, col("show_error", explain.Reason(m.shown.Err)))
	}
	return o
}

// Count returns how many groups have been printed.
func (p *Groups) Count() int { return p.n }

// Pass counts a group that is not printed.
func (p *Groups) Pass() { p.n++ }

// Print prints a group: as a part of a page, which End writes, as a table, as a JSON object, or as a row for each document.
func (p *Groups) Print(g index.Group) error {
	p.n++
	x, err := p.group(g)
	switch {
	case err != nil:
		return err
	case p.HTML != nil:
		return p.page(x)
	case p.Table != nil:
		return p.table(x)
	case p.Rows.JSON():
		return p.object(x)
	}
	return p.list(x)
}

// group returns what is printed of a group.
func (p *Groups) group(g index.Group) (x group, err error) {
	x.Group, x.docs = g, []uint32{g.Representative}
	for _, doc := range g.Documents {
		if doc != g.Representative {
			x.docs = append(x.docs, doc)
		}
	}
	for _, doc := range x.docs {
		id, err := p.Index.ID(doc)
		if err != nil {
			return x, err
		}
		x.ids = append(x.ids, string(id))
	}
	if p.Shower != nil {
		if err = p.show(&x); err != nil {
			return x, err
		}
	}
	if p.Current == nil {
		return x, nil
	}
	if x.now.doc, x.now.value, x.now.ok, err = p.Current.Of(g.Documents); err == nil && x.now.ok {
		x.now.id = x.ids[slices.Index(x.docs, x.now.doc)]
	}
	return x, err
}

// list prints a row for each document.
func (p *Groups) list(x group) error {
	for i, id := range x.ids {
		var lines []string
		if i < len(x.members) {
			lines = p.Shower.Lines(x.members[i].shown)
		}
		columns := []terminal.Column{col("group", p.n), col("size", len(x.ids)), p.extreme(x.Group), col("id", terminal.ID(id))}
		if p.Current != nil {
			is := "-"
			if x.now.ok && x.docs[i] == x.now.doc {
				is = p.Current.Keep.Way.String()
			}
			columns = append(columns, col("current", is))
		}
		if err := p.Rows.PrintWith(lines, columns...); err != nil {
			return err
		}
	}
	return nil
}

// object prints a group as JSON.
func (p *Groups) object(x group) error {
	columns := []terminal.Column{col("group", p.n), col("size", len(x.ids)), col("representative", terminal.ID(x.ids[0])), p.extreme(x.Group)}
	add := func(key string, value any, has bool) {
		if has {
			columns = append(columns, col(key, value))
		}
	}
	add("estimated", true, x.Estimated)
	add("current", terminal.ID(x.now.id), x.now.ok)
	add("current_value", x.now.value, x.now.value != "")
	texts := make([]string, len(x.ids))
	for i, id := range x.ids {
		texts[i] = terminal.String.Text(id)
	}
	add("ids", texts, true)
	objects := make([]terminal.Object, len(x.members))
	for i := range x.members {
		objects[i] = x.members[i].object(x.ids[i])
	}
	add("members", objects, x.members != nil)
	add("more_members", len(x.ids)-len(x.members), x.members != nil && len(x.ids) > len(x.members))
	return p.Rows.Print(columns...)
}

// extreme returns how near the two documents of a group are that are the least near.
func (p *Groups) extreme(g index.Group) terminal.Column {
	key := "min_" + p.Near.Kind.Short
	if p.Near.Kind.Bare {
		key = "max_" + p.Near.Kind.Short
	}
	return col(key, p.Near.Kind.Of(&g.Measures))
}

// show sets what is shown of the first documents of a group.
func (p *Groups) show(x *group) (err error) {
	x.members = make([]member, min(len(x.docs), shownMembers))
	for i, doc := range x.docs[:len(x.members)] {
		m := &x.members[i]
		if i == 0 {
			m.shown, err = p.Shower.Document(doc)
		} else if m.shown, err = p.Shower.Pair(x.docs[0], doc); err == nil {
			err = p.compare(m, x.docs[0], doc)
		}
		if err != nil {
			return err
		}
		m.title = m.shown.TitleB
		m.shown.alone = true // the title of the representative is above
		if i > 0 && m.title == x.members[0].title {
			m.shown.TitleB = ""
		}
	}
	return nil
}

// compare fills in how near a document is to its representative, if the texts that are compared can be had.
func (p *Groups) compare(m *member, representative, doc uint32) error {
	var measured index.Measures
	var err error
	if p.Near.Kind.Bare {
		measured.Distance, err = p.Index.Distance(representative, doc)
	} else {
		a, errA := p.Shower.text(representative)
		b, errB := p.Shower.text(doc)
		if errA != nil || errB != nil { // which stands in the place of the differences
			return nil
		}
		measured, err = p.Near.Kind.Measure(p.Index.Analysis(), []byte(a), []byte(b))
	}
	if err == nil && (!p.Near.Kind.Bare || measured.Distance != index.NoDistance) {
		m.near = []terminal.Column{col(p.Near.Kind.Key, p.Near.Kind.Of(&measured))}
	}
	return err
}

// table prints a group as people read it: a line about it, and one for each document.
func (p *Groups) table(x group) error {
	ids := make([]string, len(x.ids))
	for i, id := range x.ids {
		ids[i] = terminal.Terminal.Text(id)
	}
	var b strings.Builder
	if p.n > 1 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "group %s", p.title(x))
	prefix := terminal.CommonPrefix(ids)
	if prefix != "" {
		fmt.Fprintf(&b, ", in %s", prefix)
	}
	if x.now.ok {
		fmt.Fprintf(&b, "; the %s is %s", p.Current.Keep.Way, terminal.Terminal.Text(x.now.id)[len(prefix):])
		if x.now.value != "" {
			fmt.Fprintf(&b, " (%s)", terminal.Plain(x.now.value))
		}
	}
	b.WriteString(":\n")
	for i, id := range ids {
		if i == len(x.members) && i > 0 {
			fmt.Fprintf(&b, "  … and %s, not shown; --as tsv and json name all of them\n", terminal.Plural(len(ids)-i, "more document"))
			break
		}
		line := "  "
		if i < len(x.members) {
			line += p.nearness(&x.members[i])
		}
		id = id[len(prefix):]
		if p.Columns > 0 {
			id = terminal.Shorten(id, max(8, p.Columns-terminal.Columns(line)))
		}
		b.WriteString(line + id + "\n")
		if i < len(x.members) {
			for _, line := range p.Shower.Lines(x.members[i].shown) {
				if line != "" {
					b.WriteString(line + "\n")
				}
			}
		}
	}
	_, err := io.WriteString(p.Table, b.String())
	return err
}

// title returns what people are told of a group: its number and size, and how far apart its documents are.
func (p *Groups) title(x group) string {
	text := fmt.Sprintf("%s: %s, ", terminal.Thousands(p.n), terminal.Plural(len(x.ids), "document"))
	kind := p.Near.Kind
	switch value := kind.Of(&x.Measures); {
	case !kind.Bare:
		text += kind.Short + " " + terminal.Plain(value)
		if value != 1.0 {
			text += " and more"
		}
	case value == 0:
		text += "equal fingerprints"
	default:
		text += fmt.Sprintf("at most %s apart", terminal.Plural(x.Distance, "bit"))
	}
	if x.Estimated {
		text += ", by a sample"
	}
	return text
}

// nearness returns how near a document is to its representative, with spaces behind it.
func (p *Groups) nearness(m *member) string {
	switch {
	case m.near == nil:
		return ""
	case p.Near.Kind.Bare:
		return fmt.Sprintf("%2d bits  ", m.near[0].Value)
	}
	return terminal.Plain(m.near[0].Value) + "  "
}
