package explorer

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"simsearch/internal/explain"
	"simsearch/internal/report"
	"simsearch/internal/service"
	"simsearch/internal/terminal"
)

// A documentsPage is some documents of a collection, in order.
type documentsPage struct {
	Prefix      string
	Rows        []documentRow
	First, Next string
	Action      string
	Shows       bool // titles
}

// A documentRow is what a list shows of a document.
type documentRow struct {
	ID, Title, URL string
	Fields         []report.Fact
}

// documentsOfPage is how many documents a list shows.
const documentsOfPage = 50

// documents lists documents.
func (x *explorer) documents(r *http.Request) (*view, error) {
	c, err := x.of(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	prefix, cursor := q.Get("prefix"), q.Get("cursor")
	page, err := c.svc.Browse(r.Context(), c.name, &service.BrowseRequest{Cursor: cursor, Prefix: prefix, Limit: documentsOfPage, WithTexts: c.hasTexts()})
	if err != nil {
		return nil, err
	}
	p := documentsPage{Prefix: prefix, Action: at(c.name, "documents"), Shows: c.hasTexts()}
	for i := range page.Documents {
		d := &page.Documents[i]
		row := documentRow{ID: d.ID, URL: at(c.name, "near", "id", d.ID), Fields: fieldsOf(d)}
		if d.Text != nil {
			row.Title = explain.Title(*d.Text, 100)
		}
		p.Rows = append(p.Rows, row)
	}
	if cursor != "" {
		p.First = at(c.name, "documents", "prefix", prefix)
	}
	if page.Cursor != "" {
		p.Next = at(c.name, "documents", "prefix", prefix, "cursor", page.Cursor)
	}
	return c.view("documents", terminal.Plural(c.info.Documents, "document"), p), nil
}

const (
	lookAt     = 4 * time.Second // how long a page looks for shared passages
	atATime    = 32              // documents that are asked about at once, at most
	sharedOf   = 50              // documents that a document is listed with
	mostShared = 200             // pairs of a page, and as many that are nearly the same
	mostQuoted = 60              // pairs of which a page has a few words
)

// A sharedPage is pairs of documents that share passages.
type sharedPage struct {
	Rows        []sharedRow
	Whole       []sharedRow // of which both have nearly all of the other
	Left        int         // pairs that are not shown
	Looked, All int         // documents
	From        int         // those that were looked at on pages before
	First, Next string
	CanPassages bool
	Texts       bool // the collection keeps them
}

// A sharedRow is two documents, and what they share.
type sharedRow struct {
	A, B            string
	URL             string
	AShare, BShare  float64
	Passages, Words int
	AURL, BURL      string
	Excerpt         string // of the longest passage

	longest [2]int // where it is in B
}

// passages shows which documents of the collection share passages. A page looks at documents for some seconds, or until it has
// found enough, and the next goes on there.
func (x *explorer) passages(r *http.Request) (*view, error) {
	c, err := x.of(r)
	if err != nil {
		return nil, err
	}
	p := sharedPage{All: c.info.Documents, CanPassages: c.findsPassages(), Texts: c.hasTexts()}
	if !p.CanPassages {
		return c.view("passages", "No passages", p), nil
	}
	cursor := r.URL.Query().Get("cursor")
	p.From, _ = strconv.Atoi(r.URL.Query().Get("from"))
	begin := time.Now()
	for atOnce := 1; ; {
		var more bool
		if cursor, more, err = c.shared(r.Context(), cursor, atOnce, &p); err != nil {
			return nil, err
		}
		// Where all documents have the same licence, a single one may take a second.
		if time.Since(begin) < lookAt/4 {
			atOnce = min(2*atOnce, atATime)
		}
		if !more || time.Since(begin) > lookAt || len(p.Rows) >= mostShared {
			break
		}
	}
	slices.SortStableFunc(p.Rows, func(a, b sharedRow) int {
		return cmp.Or(cmp.Compare(max(b.AShare, b.BShare), max(a.AShare, a.BShare)), cmp.Compare(b.Words, a.Words), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	p.divide()
	for _, rows := range [][]sharedRow{p.Rows, p.Whole} {
		if err := c.quote(r.Context(), rows); err != nil {
			return nil, err
		}
	}
	if cursor != "" {
		p.Next = at(c.name, "passages", "cursor", cursor, "from", strconv.Itoa(p.From+p.Looked))
	}
	if p.From > 0 {
		p.First = at(c.name, "passages")
	}
	found := len(p.Rows) + len(p.Whole) + p.Left
	title := terminal.Plural(found, "pair") + " of documents" + report.Verb(found, " shares", " share") + " passages"
	switch {
	case found == 0 && cursor != "":
		title = "No shared passages so far"
	case found == 0:
		title = "No documents share passages"
	}
	return c.view("passages", title, p), nil
}

// nearlyWhole is the share from which a document is in passages nearly as a whole.
const nearlyWhole = 0.8

// divide sets pairs apart that are nearly the same as a whole. Groups show these, too, and here they would hide the others.
func (p *sharedPage) divide() {
	var parts []sharedRow
	for _, row := range p.Rows {
		if min(row.AShare, row.BShare) >= nearlyWhole {
			p.Whole = append(p.Whole, row)
		} else {
			parts = append(parts, row)
		}
	}
	p.Rows = parts
	for _, rows := range []*[]sharedRow{&p.Rows, &p.Whole} {
		p.Left += max(0, len(*rows)-mostShared)
		*rows = (*rows)[:min(len(*rows), mostShared)]
	}
}

// shared adds what the next documents share with those behind them in the order of ids, so that each pair comes once.
func (c *collection) shared(ctx context.Context, cursor string, atOnce int, p *sharedPage) (next string, more bool, err error) {
	page, err := c.svc.Browse(ctx, c.name, &service.BrowseRequest{Cursor: cursor, Limit: atOnce})
	if err != nil {
		return "", false, err
	}
	asks := make([]service.NearRequest, len(page.Documents))
	for i := range asks {
		asks[i] = service.NearRequest{ID: page.Documents[i].ID, Limit: sharedOf}
		asks[i].Passages = true
	}
	if len(asks) > 0 {
		answers, err := c.svc.NearAll(ctx, c.name, asks)
		if err != nil {
			return "", false, err
		}
		for i := range answers {
			for _, m := range answers[i].Matches {
				if m.ID > asks[i].ID {
					p.Rows = append(p.Rows, c.sharedRow(asks[i].ID, &m))
				}
			}
		}
	}
	p.Looked += len(page.Documents)
	return page.Cursor, page.Cursor != "", nil
}

// quote sets the excerpts of the first rows.
func (c *collection) quote(ctx context.Context, rows []sharedRow) error {
	for i := range rows[:min(len(rows), mostQuoted)] {
		row := &rows[i]
		d, err := c.svc.Document(ctx, c.name, row.B)
		if err != nil {
			return err
		}
		if from, to := row.longest[0], row.longest[1]; d.Text != nil && 0 <= from && from < to && to <= len(*d.Text) {
			row.Excerpt = excerpt((*d.Text)[from:to])
		}
	}
	return nil
}

// excerpt returns the beginning of a passage in one line.
func excerpt(passage string) string {
	const most = 180 // columns
	beginning := strings.ToValidUTF8(passage[:min(len(passage), 8*most)], "")
	return terminal.Cut(strings.Join(strings.Fields(beginning), " "), most)
}

func (c *collection) sharedRow(id string, m *service.Match) sharedRow {
	row := sharedRow{A: id, B: m.ID, URL: at(c.name, "near", "id", id, "with", m.ID), Passages: len(m.Passages),
		AURL: at(c.name, "near", "id", id), BURL: at(c.name, "near", "id", m.ID)}
	most := 0
	for _, passage := range m.Passages {
		if row.Words += passage.Words; passage.Words > most {
			most, row.longest = passage.Words, passage.Document
		}
	}
	if m.QueryShare != nil && m.DocumentShare != nil {
		row.AShare, row.BShare = *m.QueryShare, *m.DocumentShare
	}
	return row
}
