package results

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/sequences"
	"simsearch/internal/quality/explain"
	"simsearch/internal/quality/report"
)

// A Quoting prints the documents of an index that share passages with queries.
type Quoting struct {
	*terminal.Rows
	Show  bool // the passages
	Style explain.Style

	ix     *index.Snapshot
	of     index.QuoteOptions
	search *index.Quoter
	unread int // texts that are not what they were
	short  int // queries without an answer that have too few words for one
}

// NewQuoting returns a Quoting. The error says what is wrong with o.
func NewQuoting(ix *index.Snapshot, o index.QuoteOptions, out *terminal.Rows) (*Quoting, error) {
	s, err := index.NewQuoter(ix, o)
	return &Quoting{Rows: out, ix: ix, of: o, search: s}, err
}

// An asked query has what shares passages with it.
type asked struct {
	id     string
	text   []byte
	found  []index.Quote
	unread int
	own    bool // the query is a document of the index
	short  bool // it has too few words for a passage
}

// ask asks what shares passages with a query called id, without the documents that skip says, if it is not nil.
func (q *Quoting) ask(ctx context.Context, id string, text []byte, skip func(doc uint32) bool) (a asked, err error) {
	a.id, a.text = id, text
	a.found, a.unread, err = q.search.Near(ctx, text, skip)
	const long = 100 // bytes of a word, with what is around it
	if len(a.found) == 0 && len(text) < long*q.of.Words {
		a.short = float64(len(sequences.NewText(text).Words)) < float64(q.of.Words)*(1-q.of.Edits) // the others are edits
	}
	return a, err
}

// Answer prints what shares passages with a query called id, without the documents that skip says, if it is not nil.
func (q *Quoting) Answer(ctx context.Context, id string, text []byte, skip func(doc uint32) bool) error {
	a, err := q.ask(ctx, id, text, skip)
	if err != nil {
		return err
	}
	return q.tell(a)
}

// AnswerAll answers all queries. Those of a source that own has are documents of the index, which are not their own
// answers.
func (q *Quoting) AnswerAll(ctx context.Context, all document.Seq, own map[string]bool) error {
	queries := document.Map(all, func(d *document.Document) (asked, error) { // valid until the next one is read
		return asked{id: string(d.ID), text: bytes.Clone(d.Text), own: own[d.Source]}, nil
	})
	work := func(ctx context.Context, a asked) (asked, error) {
		self, err := itself(q.ix, a.id, a.own)
		if err != nil {
			return a, err
		}
		return q.ask(ctx, a.id, a.text, func(doc uint32) bool { return self != nil && doc == *self })
	}
	return parallel.Stream(ctx, q.of.Threads, queries, work, q.tell)
}

// tell prints the answer to a query.
func (q *Quoting) tell(a asked) error {
	if a.short {
		q.short++
	}
	if q.unread += a.unread; len(a.found) == 0 {
		return q.PrintNothing(named("query", a.id), col("id", nil))
	}
	return q.print(&a, queryKeys)
}

// Pairs prints all pairs of documents that share passages, by the first one, then as Answer does. done is called with
// the number of documents whose pairs have been printed, and that of all.
func (q *Quoting) Pairs(ctx context.Context, done func(documents, all int)) error {
	printed := 0
	return parallel.Ordered(ctx, q.of.Threads, q.ix.Len(), q.pairsOf, func(a asked) error {
		q.unread += a.unread
		err := q.print(&a, pairKeys)
		printed++
		done(printed, q.ix.Len())
		return err
	})
}

// pairsOf returns what shares passages with a document of the index, and comes behind it. Unread is the document
// itself.
func (q *Quoting) pairsOf(ctx context.Context, i int) (a asked, err error) {
	doc := uint32(i)
	if !q.search.Of(doc) {
		return a, nil
	}
	text, err := q.of.Text(doc)
	switch {
	case index.Unreadable(err):
		return asked{unread: 1}, nil
	case err != nil:
		return a, err
	}
	id, err := q.ix.ID(doc)
	if err != nil {
		return a, err
	}
	a, err = q.ask(ctx, string(id), []byte(text), func(other uint32) bool { return other <= doc })
	a.unread = 0
	return a, err
}

// Remarks returns what is to be said of all answers, and how they were found, if that is wanted.
func (q *Quoting) Remarks(how bool) (lines []string) {
	if q.unread > 0 {
		lines = append(lines, terminal.Plural(q.unread, "text")+" could not be read as indexed, and were left out")
	}
	if q.short > 0 {
		lines = append(lines, fmt.Sprintf("%s fewer words than a passage of %d; --passage-words asks for shorter ones",
			report.Verb(q.short, "one query has", terminal.Thousands(q.short)+" queries have"), q.of.Words))
	}
	if work := q.search.Stats(); how {
		lines = append(lines, fmt.Sprintf("%s of the queries led to %s of documents; the codes of %s were compared",
			terminal.Plural(work.Seeds, "seed"), terminal.Plural(work.Entries, "seed"), terminal.Plural(work.Candidates, "document")))
	}
	return lines
}

func named(key, id string) terminal.Column { return terminal.Column{Key: key, Value: terminal.ID(id)} }

// quoteKeys are what a query and a document, or two documents, are called, in JSON and in lines.
type quoteKeys struct{ a, b, id, lineA, lineB string }

var (
	queryKeys = quoteKeys{"query", "document", "id", "the query", "the document"}
	pairKeys  = quoteKeys{"a", "b", "b", "A", "B"}
)

// print prints the rows of a query.
func (q *Quoting) print(a *asked, keys quoteKeys) error {
	text := string(a.text)
	for i := range a.found {
		m := &a.found[i]
		if err := q.row(text, m, keys, named(keys.a, a.id), named(keys.id, string(m.ID))); err != nil {
			return err
		}
	}
	return nil
}

// row prints the row of a match of a text, which begins with two ids.
func (q *Quoting) row(text string, m *index.Quote, keys quoteKeys, ids ...terminal.Column) error {
	out, style := q.Rows, q.Style
	columns := append(ids, col(keys.a+"_share", share(m.QueryShare)), col(keys.b+"_share", share(m.DocumentShare)))
	if out.JSON() {
		all := make([]terminal.Object, len(m.Passages))
		for i, p := range m.Passages {
			all[i] = terminal.Object{col(keys.a, p.Query), col(keys.b, p.Document), col("words", p.Words), col("edits", p.Edits)}
			if q.Show {
				all[i] = append(all[i], col(keys.a+"_text", text[p.Query[0]:p.Query[1]]), col(keys.b+"_text", m.Text[p.Document[0]:p.Document[1]]))
			}
		}
		return out.Print(append(columns, col("passages", all))...)
	}
	columns = append(columns, col("passages", len(m.Passages)))
	if !q.Show {
		return out.Print(columns...)
	}
	var lines []string
	for _, p := range m.Passages {
		lines = append(lines, fmt.Sprintf("%s%s, %s: bytes %d to %d of %s, %d to %d of %s", style.Indent,
			terminal.Plural(p.Words, "word"), terminal.Plural(p.Edits, "edit"), p.Query[0], p.Query[1], keys.lineA, p.Document[0], p.Document[1], keys.lineB))
		lines = append(lines, style.Indent+signed(text[p.Query[0]:p.Query[1]], m.Text[p.Document[0]:p.Document[1]]), "")
	}
	return out.PrintWith(lines, columns...)
}

// share returns a share with four digits, which is never 1 for less. Such as 51/125 is a little less than 0.408 in
// binary digits.
func share(x float64) float64 { return float64(int(x*10000+1e-6)) / 10000 }

// signed returns a text that two share but for some words, with signs around these.
func signed(a, b string) string {
	var words []string
	add := func(text, open, end string) {
		if of := strings.Fields(terminal.Plain(strings.Join(strings.Fields(text), " "))); len(of) > 0 {
			words = append(words, open+strings.Join(of, " ")+end)
		}
	}
	for _, r := range explain.Runs(a, b) {
		if r.Equal || slices.Equal(sequences.NewText([]byte(r.A)).Words, sequences.NewText([]byte(r.B)).Words) {
			add(r.A, "", "")
			continue
		}
		add(r.A, "[-", "-]")
		add(r.B, "{+", "+}")
	}
	return strings.Join(words, " ")
}
