package results

import (
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
)

// shownMembers is how many documents of a group are compared with its representative.
const shownMembers = 20

// Groups prints groups of near documents: an object for each, or a row for each document.
type Groups struct {
	Index  *index.Snapshot
	Near   Nearness
	Shower *Shower // nil if texts are not shown
	Rows   *terminal.Rows
	SARIF  *SARIF // if not nil, has the groups, too

	Known     int // groups that are not printed, since earlier logs have all of their documents
	Documents int // of the groups that are printed
	n         int
}

// A group is what is printed of a group. Its representative comes first.
type group struct {
	index.Group
	docs    []uint32
	ids     []string
	members []member // the documents whose texts are shown; nil if texts are not
}

// A member is a document of a group beside its representative.
type member struct {
	title string
	near  []terminal.Column // how near the representative is; none if that is not known
	shown Shown             // of the differences to the representative, those that are shown
}

// object returns the JSON object of a member.
func (m *member) object(id string) terminal.Object {
	o := append([]terminal.Column{named("id", id)}, m.near...)
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

// Print prints a group.
func (p *Groups) Print(g index.Group) error {
	x, err := p.group(g)
	fresh := true
	if err == nil && p.SARIF != nil {
		fresh, err = p.SARIF.add(x)
	}
	if err == nil && !fresh {
		p.Known++
		return nil
	}
	p.n, p.Documents = p.n+1, p.Documents+len(x.ids)
	switch {
	case err != nil:
		return err
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
		err = p.show(&x)
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
		err := p.Rows.PrintWith(lines, col("group", p.n), col("size", len(x.ids)), p.extreme(x.Group), named("id", id))
		if err != nil {
			return err
		}
	}
	return nil
}

// object prints a group as JSON.
func (p *Groups) object(x group) error {
	columns := []terminal.Column{col("group", p.n), col("size", len(x.ids)), named("representative", x.ids[0]), p.extreme(x.Group)}
	columns = with(columns, x.Estimated, "estimated", true)
	texts := make([]string, len(x.ids))
	for i, id := range x.ids {
		texts[i] = terminal.String.Text(id)
	}
	objects := make([]terminal.Object, len(x.members))
	for i := range x.members {
		objects[i] = x.members[i].object(x.ids[i])
	}
	more := len(x.ids) - len(x.members)
	columns = with(append(columns, col("ids", texts)), x.members != nil, "members", objects)
	return p.Rows.Print(with(columns, x.members != nil && more > 0, "more_members", more)...)
}

// extreme returns how near the two documents of a group are that are the least near.
func (p *Groups) extreme(g index.Group) terminal.Column {
	extreme := map[bool]string{false: "min_", true: "max_"}[p.Near.Kind.Bare]
	return col(extreme+p.Near.Kind.Short, p.Near.Kind.Of(&g.Measures))
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
