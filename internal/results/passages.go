package results

import (
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/explain"
	"simsearch/internal/index"
	"simsearch/internal/passages"
	"simsearch/internal/quotes"
	"simsearch/internal/terminal"
)

// A Quoting prints the documents of an index that share passages with queries.
type Quoting struct {
	*terminal.Rows
	Show  bool // the passages side by side
	Style explain.Style

	ix     *index.Snapshot
	of     quotes.Options
	search *quotes.Searcher
	unread int // texts that are not what they were
}

// NewQuoting returns a Quoting. The error says what is wrong with o.
func NewQuoting(ix *index.Snapshot, o quotes.Options, out *terminal.Rows) (*Quoting, error) {
	s, err := quotes.New(ix, o)
	return &Quoting{Rows: out, ix: ix, of: o, search: s}, err
}

// Answer prints what shares passages with a query called id, without document but, if it is not nil.
func (q *Quoting) Answer(id string, text []byte, but *uint32) error {
	found, unread, err := q.search.Near(text, but)
	if q.unread += unread; err != nil {
		return err
	}
	if len(found) == 0 {
		return q.PrintNothing(named("query", id), col("id", nil))
	}
	for i := range found {
		if err := q.match(id, string(text), &found[i]); err != nil {
			return err
		}
	}
	return nil
}

// Document prints what shares passages with the document of the index that a user names.
func (q *Quoting) Document(id string) error {
	doc, ok, err := Find(q.ix, []byte(id))
	if err == nil && !ok {
		err = fmt.Errorf("the index has no document %s: --id takes an id as near and pairs print it", terminal.Plain(id))
	}
	if err != nil {
		return err
	}
	text, err := q.of.Text(doc)
	if err != nil {
		return err
	}
	return q.Answer(id, []byte(text), &doc)
}

// Remarks returns what is to be said of all answers, and how they were found, if that is wanted.
func (q *Quoting) Remarks(how bool) (lines []string) {
	if q.unread > 0 {
		lines = append(lines, terminal.Plural(q.unread, "text")+" could not be read as indexed, and were left out")
	}
	if work := q.search.Stats(); how {
		lines = append(lines, fmt.Sprintf("%s of the queries led to %s of documents; the codes of %s were compared",
			terminal.Plural(work.Seeds, "seed"), terminal.Plural(work.Entries, "seed"), terminal.Plural(work.Candidates, "document")))
	}
	return lines
}

func named(key, id string) terminal.Column { return terminal.Column{Key: key, Value: terminal.ID(id)} }

// match prints the row of a document that shares passages with a query.
func (q *Quoting) match(id, text string, m *quotes.Match) error {
	out, style := q.Rows, q.Style
	columns := []terminal.Column{named("query", id), named("id", string(m.ID)),
		col("query_share", share(m.QueryShare)), col("document_share", share(m.DocumentShare))}
	switch {
	case out.JSON() && q.Show:
		type shown struct {
			quotes.Passage
			QueryText    string `json:"query_text"`
			DocumentText string `json:"document_text"`
		}
		all := make([]shown, len(m.Passages))
		for i, p := range m.Passages {
			all[i] = shown{p, text[p.Query[0]:p.Query[1]], m.Text[p.Document[0]:p.Document[1]]}
		}
		return out.Print(append(columns, col("passages", all))...)
	case out.JSON():
		return out.Print(append(columns, col("passages", m.Passages))...)
	}
	columns = append(columns, col("passages", len(m.Passages)))
	if !q.Show {
		return out.Print(columns...)
	}
	var lines []string
	for _, p := range m.Passages {
		lines = append(lines, fmt.Sprintf("%s%s, %s: bytes %d to %d of the query, %d to %d of the document", style.Indent,
			terminal.Plural(p.Words, "word"), terminal.Plural(p.Edits, "edit"), p.Query[0], p.Query[1], p.Document[0], p.Document[1]))
		lines = append(lines, sideBySide(text[p.Query[0]:p.Query[1]], m.Text[p.Document[0]:p.Document[1]], style)...)
		lines = append(lines, "")
	}
	return out.PrintWith(lines, columns...)
}

// share returns a share with four digits, which is never 1 for less.
func share(x float64) float64 { return float64(int(x*10000)) / 10000 }

// wideColumns is the width for two texts side by side where no terminal says one.
const wideColumns = 120

// sideBySide returns lines that have text a on the left and b on the right, with signs around words that differ.
func sideBySide(a, b string, style explain.Style) (lines []string) {
	columns := style.Columns
	if columns == 0 {
		columns = wideColumns
	}
	width := max(16, (columns-len(style.Indent)-3)/2)
	left, right := new(column), new(column)
	left.width, right.width = width, width
	for _, r := range explain.Runs(a, b) {
		if r.Equal || slices.Equal(passages.NewText([]byte(r.A)).Words, passages.NewText([]byte(r.B)).Words) {
			left.add(r.A, "", "")
			right.add(r.B, "", "")
			left.alignTo(right)
			continue
		}
		left.add(r.A, "[-", "-]")
		right.add(r.B, "{+", "+}")
	}
	left.alignTo(right)
	for i := range left.lines {
		pad := strings.Repeat(" ", width-min(width, terminal.Columns(left.lines[i])))
		lines = append(lines, strings.TrimRight(style.Indent+left.lines[i]+pad+" │ "+right.lines[i], " "))
	}
	return lines
}

// A column is a text in lines of a width.
type column struct {
	width int
	lines []string
}

// add adds words to the column, with signs before the first and behind the last one.
func (c *column) add(text, open, end string) {
	words := strings.Fields(terminal.Plain(strings.Join(strings.Fields(text), " ")))
	if len(words) == 0 {
		return
	}
	words[0] = open + words[0]
	words[len(words)-1] += end
	for _, w := range words {
		for w != "" {
			last := len(c.lines) - 1
			if last >= 0 && c.lines[last] == "" {
				c.lines[last] = terminal.First(w, c.width)
				w = w[len(c.lines[last]):]
			} else if last >= 0 && terminal.Columns(c.lines[last])+1+terminal.Columns(w) <= c.width {
				c.lines[last] += " " + w
				w = ""
			} else {
				c.lines = append(c.lines, "")
			}
		}
	}
}

// alignTo makes both columns equally long if one is two lines ahead, and at the end.
func (c *column) alignTo(o *column) {
	for len(c.lines) < len(o.lines) {
		c.lines = append(c.lines, "")
	}
	for len(o.lines) < len(c.lines) {
		o.lines = append(o.lines, "")
	}
}
