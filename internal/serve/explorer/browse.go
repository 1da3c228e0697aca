package explorer

import (
	"net/http"
	"strings"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/judge"
	"simsearch/internal/quality/report"
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
		list.Add("<li><a href=\"%s\"><bdi class=\"id\">%s</bdi></a>%s%s</li>\n", at(c.name, "near", "id", d.ID), d.ID,
			report.If(title != "", report.P("", "%s", title)),
			report.If(len(fields) > 0, report.P("notes", "%s", strings.Join(fields, ", "))))
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
