package explorer

import (
	"cmp"
	"context"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"simsearch/internal/clean/copied"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/judge"
	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

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
	all, next, err := c.svc.Browse(r.Context(), c.name, prefix, cursor, documentsOfPage)
	if err != nil {
		return nil, err
	}
	var list report.Builder
	for _, d := range all {
		title, fields := "", fieldsOf(d.Fields)
		if d.Text != nil {
			title = judge.Title(*d.Text, 100)
		}
		list.Add("<li><a href=\"%s\">%s<bdi class=\"id\">%s</bdi></a>%s%s</li>\n", at(c.name, "near", "id", d.ID), c.image(d.ID), d.ID,
			report.If(title != "", report.P("", "%s", title)),
			report.If(len(fields) > 0, report.P("notes", "%s", terminal.Shorten(strings.Join(fields, ", "), 200))))
	}
	found := report.H("<ul class=\"documents list\">%s</ul>\n", list.HTML())
	switch {
	case len(all) > 0:
	case prefix != "":
		found = report.P("verdict", "No id begins so.")
	default:
		found = report.P("verdict", "The collection has no documents yet.")
	}
	form := report.H(`<form class="filter" method="get" action="%s"><div class="sourced"><p><label for="prefix">Id, or its
beginning</label> <input type="search" id="prefix" name="prefix" value="%s" autocomplete="off" spellcheck="false">
<button type="submit">Find</button></p></div></form>
`, at(c.name, "documents"), prefix)
	return c.view("documents", terminal.Plural(c.info.Documents, "document"),
		form+found+
			steps(way(cursor != "", "← From the beginning", at(c.name, "documents", "prefix", prefix)), "",
				way(next != "", "Next →", at(c.name, "documents", "prefix", prefix, "cursor", next)))), nil
}

const (
	lookAt     = 4 * time.Second // how long a page looks for shared passages
	atATime    = 32              // documents that are asked about at once, at most
	sharedOf   = 50              // documents that a document is listed with
	smallAll   = 500             // documents of a small collection, of which all pairs are weighed
	mostRows   = 50_000          // pairs that a page finds
	mostShared = 200             // pairs of a page, and as many that are nearly the same
	mostQuoted = 60              // pairs of which a page has a few words
	openShared = 20              // pairs that are shown at once, and as many that are nearly the same
)

// A sharedPage is pairs of documents that share passages.
type sharedPage struct {
	Rows   []sharedRow
	Whole  []sharedRow // of which both have nearly all of the other
	Left   int         // pairs that are not shown
	Looked int         // documents
}

// A sharedRow is two documents, and what they share.
type sharedRow struct {
	A, B            string
	AShare, BShare  float64
	Passages, Words int
	OnceIn          int64  // pairs of independent documents; 0 if that is not known
	Excerpt         string // of the longest passage

	longest [2]int // where it is in B
}

// passages shows which documents of the collection share passages, those that share most first. A page looks at
// documents for some seconds, in which a collection of some hundred is done, and the next goes on there.
func (x *explorer) passages(r *http.Request) (*view, error) {
	c, err := x.of(r)
	if err != nil {
		return nil, err
	}
	if !c.findsPassages() {
		why := report.P("verdict", "This collection keeps no texts, and so it has no passages.")
		if c.hasTexts() {
			why = report.P("verdict", "This collection was made without passages, and it is too large to read all of its texts. An index that <code>simsearch index --passages</code> makes has them.")
		}
		return c.view("passages", "No passages", why), nil
	}
	if c.hasTexts() && c.info.Documents <= smallAll {
		return c.weighed(r.Context())
	}
	var p sharedPage
	cursor := r.URL.Query().Get("cursor")
	from := 0
	if cursor != "" { // else from tells nothing
		from, _ = strconv.Atoi(r.URL.Query().Get("from"))
	}
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
		if !more || time.Since(begin) > lookAt || len(p.Rows) >= mostRows {
			break
		}
	}
	slices.SortStableFunc(p.Rows, func(a, b sharedRow) int {
		return cmp.Or(cmp.Compare(max(b.AShare, b.BShare), max(a.AShare, a.BShare)), cmp.Compare(b.Words, a.Words),
			cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	p.divide()
	for _, rows := range [][]sharedRow{p.Rows, p.Whole} {
		if err := c.quote(r.Context(), rows); err != nil {
			return nil, err
		}
	}
	from = min(from, max(0, c.info.Documents-p.Looked))
	found := len(p.Rows) + len(p.Whole) + p.Left
	title := terminal.Plural(found, "pair") + " of documents" + report.Verb(found, " shares", " share") + " passages"
	switch {
	case found == 0 && cursor != "":
		title = "No shared passages so far"
	case found == 0:
		title = "No documents share passages"
	}
	body := report.P("notes", "Looked at %s%s of %s.", terminal.Plural(p.Looked, "document"),
		report.If(from > 0, report.H(" after the first %s", from)), c.info.Documents)
	switch {
	case len(p.Rows)+len(p.Whole) > 0:
		body += report.P("notes", "The share is that of the words of a document that lie in passages of both. Follow a passage to see both texts.") +
			report.If(p.Left > 0, report.P("notice", "Of %s, less is shared. Follow a document to see all that is near it.",
				terminal.Plural(p.Left, "more pair"))) +
			report.If(len(p.Whole) > 0, report.H("<h2>%s</h2>\n", terminal.Plural(len(p.Whole), "pair")+" that "+
				report.Is(len(p.Whole))+" the same nearly as a whole")+c.rows(p.Whole)+
				report.If(len(p.Rows) > 0, "<h2>Others</h2>\n")) + report.If(len(p.Rows) > 0, c.rows(p.Rows))
	case cursor != "":
		body += report.P("verdict", "None of these documents shares a passage with another one.")
	default:
		body += report.P("verdict", "No passage is in two documents.")
	}
	return c.view("passages", title, body+
		steps(way(from > 0, "← From the beginning", at(c.name, "passages")), "",
			way(cursor != "", "Look at more documents →",
				at(c.name, "passages", "cursor", cursor, "from", strconv.Itoa(from+p.Looked))))), nil
}

// weighed shows which pairs of a small collection share more than independent texts do, the least likely first, and
// further pairs on demand.
func (c *collection) weighed(ctx context.Context) (*view, error) {
	documents, _, err := c.svc.Browse(ctx, c.name, "", "", smallAll)
	if err != nil {
		return nil, err
	}
	var texts []copied.Named
	for _, d := range documents {
		is, err := c.svc.Document(ctx, c.name, d.ID)
		if err != nil {
			return nil, err
		}
		if is.Text != nil {
			texts = append(texts, copied.Named{Name: d.ID, Text: *is.Text})
		}
	}
	pairs, err := copied.OfTexts(ctx, texts, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	var rows, less []sharedRow
	for _, p := range pairs {
		row := sharedRow{A: p.A, B: p.B, AShare: p.AShare, BShare: p.BShare, Passages: len(p.Passages), Words: p.Words, OnceIn: p.OnceIn}
		for _, x := range p.Passages {
			if x.B[1]-x.B[0] > row.longest[1]-row.longest[0] {
				row.longest = x.B
			}
		}
		if p.Shown {
			rows = append(rows, row)
		} else {
			less = append(less, row)
		}
	}
	found, left := len(rows), max(0, len(rows)-mostShared)
	rows, less = rows[:found-left], less[:min(len(less), mostShared)]
	if err := cmp.Or(c.quote(ctx, rows), c.quote(ctx, less)); err != nil {
		return nil, err
	}
	title := report.Either(found == 0, terminal.Plural(found, "pair")+" of documents"+report.Verb(found, " shares", " share")+" passages",
		"No documents share more than independent texts do")
	return c.view("passages", title,
		report.P("notes", "Of 1,000 pairs of independent texts on one subject, one shares as much as these pairs do, at most. Words that few of the %s have count most, and stop words least. Follow a passage to see both texts.",
			terminal.Plural(len(texts), "document"))+
			report.If(left > 0, report.P("notice", "Of %s, less is shared.", terminal.Plural(left, "more pair")))+
			report.If(found > 0, c.rows(rows))+
			report.If(len(less) > 0, report.Fold(false, terminal.Plural(len(less), "pair")+" of which less is shared, so that it may be chance", c.list(less)))), nil
}

// rows returns pairs, of which the first are shown at once.
func (c *collection) rows(rows []sharedRow) report.HTML {
	rest := rows[min(len(rows), openShared):]
	return c.list(rows[:len(rows)-len(rest)]) +
		report.If(len(rest) > 0, report.Fold(false, terminal.Plural(len(rest), "more pair"), c.list(rest)))
}

// list returns a list of pairs.
func (c *collection) list(rows []sharedRow) report.HTML {
	var list report.Builder
	side := func(id string, share float64) report.HTML {
		return report.H(`<div><a href="%s"><bdi class="id">%s</bdi></a> %s</div>`, at(c.name, "near", "id", id), id,
			report.Wide(report.H(`<span class="figure">%s</span>`, report.Share(share)), 100*share).Of)
	}
	for _, row := range rows {
		list.Add("<li><p class=\"quoted\">%s</p>\n<div class=\"two\">%s%s<div class=\"figure\">%s in %s%s</div></div></li>\n",
			report.Link(cmp.Or(row.Excerpt, "Both texts"), at(c.name, "near", "id", row.A, "with", row.B)),
			side(row.A, row.AShare), side(row.B, row.BShare),
			terminal.Plural(row.Words, "word"), terminal.Plural(row.Passages, "passage"),
			report.If(row.OnceIn > 0, report.H("; once in %s", int(row.OnceIn))))
	}
	return report.H("<ul class=\"documents list shared\">%s</ul>\n", list.HTML())
}

// nearlyWhole is the share from which a document is in passages nearly as a whole.
const nearlyWhole = 0.8

// divide sets pairs apart that are nearly the same as a whole. Groups show these, too, and here they would hide the
// others.
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
	documents, next, err := c.svc.Browse(ctx, c.name, "", cursor, atOnce)
	if err != nil {
		return "", false, err
	}
	asks := make([]service.NearRequest, len(documents))
	for i := range asks {
		asks[i] = service.NearRequest{ID: documents[i].ID, Limit: sharedOf}
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
					p.Rows = append(p.Rows, rowOf(asks[i].ID, &m))
				}
			}
		}
	}
	p.Looked += len(documents)
	return next, next != "", nil
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

func rowOf(id string, m *service.Match) sharedRow {
	row := sharedRow{A: id, B: m.ID, Passages: len(m.Passages)}
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
