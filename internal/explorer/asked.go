package explorer

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"simsearch/internal/report"
	"simsearch/internal/service"
	"simsearch/internal/terminal"
)

// A filesPage is what was found of several texts.
type filesPage struct {
	Rows, Nothing []fileRow // texts of which something was found, and others
	Notes         []string
	All           int
	Again         string
}

// A fileRow is what was found of a text.
type fileRow struct {
	Name, URL, Nearness string
	Bar                 float64
	Passages            int
	Hits                []navLink
	More                int
	rank                float64
}

// asked shows what was found of the texts of a form: of all of them, or of one.
func (x *explorer) asked(r *http.Request) (*view, error) {
	c, err := x.of(r)
	if err != nil {
		return nil, err
	}
	q := x.kept.get(r.PathValue("key"))
	if q == nil {
		return nil, service.Errorf(service.NotFound, "", "the server has forgotten these texts, which it keeps for %.0f hours at most: ask again", keptFor.Hours())
	}
	n := len(q.texts)
	if n == 1 {
		return c.oneOf(r, q, 0)
	}
	if s := r.URL.Query().Get("text"); s != "" {
		i, err := strconv.Atoi(s)
		if err != nil || i < 1 || i > n {
			return nil, service.Errorf(service.NotFound, "", "there are %d texts, and none has the number %s", n, s)
		}
		return c.oneOf(r, q, i-1)
	}
	asks := make([]service.NearRequest, n)
	for i, t := range q.texts {
		asks[i] = service.NearRequest{Content: c.content(t.Text), Limit: fileHits}
	}
	all, err := c.search(r.Context(), asks)
	if err != nil {
		return nil, err
	}
	p := filesPage{Notes: q.notes, All: n, Again: at(c.name, "")}
	for i, o := range all {
		row := c.row(&o, q.texts[i].Name, func(with string) string {
			return at(c.name, "asked/"+q.key, "text", strconv.Itoa(i+1), "with", with)
		})
		if len(o.found) == 0 {
			p.Nothing = append(p.Nothing, row)
		} else {
			p.Rows = append(p.Rows, row)
		}
	}
	slices.SortStableFunc(p.Rows, func(a, b fileRow) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.Name, b.Name)) })
	title := "Nothing is near " + terminal.Plural(n, "text")
	if k := len(p.Rows); k > 0 {
		title = terminal.Thousands(k) + " of " + terminal.Plural(n, "text") + report.Verb(k, " has", " have") + " something near"
	}
	if n == 0 {
		title = "Nothing could be read"
	}
	return c.view("files", title, p), nil
}

// row returns what is said of one of several texts.
func (c *collection) row(o *outcome, name string, address func(with string) string) fileRow {
	row := fileRow{Name: name, URL: address("")}
	for i := range o.found[:min(len(o.found), fileHits)] {
		f := &o.found[i]
		if i == 0 {
			row.rank, row.Nearness = f.rank(), f.nearness()
			row.Bar = f.rank()
		}
		row.Passages += len(f.Passages)
		row.Hits = append(row.Hits, navLink{Name: f.ID, URL: address(f.ID)})
	}
	row.More = max(0, o.total-len(row.Hits))
	return row
}

// oneOf shows what was found of one of the texts of a form.
func (c *collection) oneOf(r *http.Request, q *inquiry, i int) (*view, error) {
	t := q.texts[i]
	a, err := c.answer(r, t, service.NearRequest{Content: c.content(t.Text)}, "query")
	if err != nil {
		return nil, err
	}
	if a.Number, a.Of = i+1, len(q.texts); a.Of == 1 {
		a.Notes = q.notes
	} else {
		a.All = at(c.name, "asked/"+q.key)
		if i > 0 {
			a.Previous = at(c.name, "asked/"+q.key, "text", strconv.Itoa(i))
		}
		if i+1 < a.Of {
			a.Next = at(c.name, "asked/"+q.key, "text", strconv.Itoa(i+2))
		}
	}
	return c.view("answers", a.title(), a), nil
}
