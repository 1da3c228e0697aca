package explorer

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

// asked shows what was found of the texts of a form: of all of them, or of one.
func (x *explorer) asked(c *collection, r *http.Request) (*view, error) {
	q := x.kept.get(r.PathValue("key"))
	if q == nil {
		return nil, service.Errorf(service.NotFound, "",
			"the server has forgotten these texts, which it keeps for %.0f hours at most: ask again", keptFor.Hours())
	}
	n := len(q.texts)
	switch n {
	case 0: // all files were left out, and the notes say why
		return c.view("files", "Nothing could be read", notices(q.notes)+again(c)), nil
	case 1:
		return c.oneOf(r, q, 0)
	}
	if s := r.URL.Query().Get("text"); s != "" {
		i, _ := strconv.Atoi(s)
		if i < 1 || i > n {
			return nil, service.Errorf(service.NotFound, "", "there are %d texts, and none has the number %s", n, s)
		}
		return c.oneOf(r, q, i-1)
	}
	asks := make([]service.NearRequest, n)
	for i, t := range q.texts {
		asks[i] = service.NearRequest{Content: c.content(t), Limit: fileHits}
	}
	all, err := c.search(r.Context(), asks, c.many(r))
	if err != nil {
		return nil, err
	}
	var nothing []navLink
	one := report.Either(c.info.Pictures != 0, "text", "picture")
	but := 3 // there is no column of passages
	if c.findsPassages() {
		but = 2
	}
	t := report.NewTable("The "+one+" comes first of which a document has most. Follow a link to see both side by side.",
		slices.Delete([]string{one, "nearness", "passages", "documents"}, 2, but)...)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(all[j].rank(), all[i].rank()), cmp.Compare(q.texts[i].Name, q.texts[j].Name))
	})
	for _, i := range order {
		o, name := &all[i], q.texts[i].Name
		address := func(with string) string { return at(c.name, "asked/"+q.key, "text", strconv.Itoa(i+1), "with", with) }
		if len(o.found) == 0 {
			nothing = append(nothing, navLink{name, address("")})
			continue
		}
		hits, passages := report.Builder{}, 0
		shown := o.found[:min(len(o.found), fileHits)]
		for k := range shown {
			passages += len(shown[k].Passages)
			hits.Add(`<a href="%s">%s%s</a><br>`, address(shown[k].ID), c.image(shown[k].ID), report.Path(shown[k].ID))
		}
		if more := o.total - len(shown); more > 0 {
			hits.Add(`<span class="notes">and %s more</span>`, more)
		}
		t.Add(slices.Delete([]any{report.Styled{Class: "id", Of: q.texts[i].Picture + report.Link(report.Path(name), address(""))},
			report.Wide(report.H("%s", shown[0].nearness()), 100*o.rank()),
			report.Styled{Class: "number", Of: report.If(passages > 0, report.H("%s", passages))},
			report.Styled{Class: "id", Of: hits.HTML()}}, 2, but)...)
	}
	body := notices(q.notes) + report.If(len(t.Rows) > 0, t.InTwo("sources", 50, one)) +
		report.If(len(nothing) > 0, folded(len(t.Rows) == 0, terminal.Plural(len(nothing), one)+" without anything near",
			nothing)) + again(c)
	title := "Nothing is near " + terminal.Plural(n, one)
	if k := len(t.Rows); k > 0 {
		title = terminal.Thousands(k) + " of " + terminal.Plural(n, one) + report.Verb(k, " has", " have") +
			" something near"
	}
	return c.view("files", title, body), nil
}

// again leads to another search.
func again(c *collection) report.HTML {
	return report.H("<p>%s</p>\n", report.Link("Search for something else", at(c.name, "")))
}

// oneOf shows what was found of one of the texts of a form.
func (c *collection) oneOf(r *http.Request, q *inquiry, i int) (*view, error) {
	before := notices(q.notes)
	if n := len(q.texts); n > 1 {
		number := func(n int) string { return at(c.name, "asked/"+q.key, "text", strconv.Itoa(n)) }
		before = steps(way(i > 0, "← Previous text", number(i)),
			report.Link(fmt.Sprintf("text %d of %d", i+1, n), at(c.name, "asked/"+q.key)),
			way(i+1 < n, "Next text →", number(i+2)))
	}
	return c.answer(r, q.texts[i], service.NearRequest{Content: c.content(q.texts[i])}, "query", before, nil)
}
