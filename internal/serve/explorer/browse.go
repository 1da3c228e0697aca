package explorer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"

	"simsearch/internal/clean/copied"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/judge"
	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

// documentsOfPage is how many documents a list shows.
const documentsOfPage = 50

// documents lists documents.
func (c *collection) documents(r *http.Request) (*view, error) {
	q := r.URL.Query()
	prefix, cursor := q.Get("prefix"), q.Get("cursor")
	all, next, err := c.svc.Browse(r.Context(), c.name, prefix, cursor, documentsOfPage)
	if err != nil {
		return nil, err
	}
	var list report.Builder
	for _, d := range all {
		title := titleOf(valueOf(d.Text), d.Fields, 100)
		delete(d.Fields, subject)
		fields := fieldsOf(d.Fields)
		list.Add("<li><a href=\"%s\">%s<bdi class=\"id\">%s</bdi></a>%s%s</li>\n", at(c.name, "near", "id", d.ID), c.image(d.ID), report.Path(d.ID),
			report.If(title != "", report.P("", "%s", title)),
			report.If(len(fields) > 0, report.P("notes", "%s", terminal.Shorten(strings.Join(fields, ", "), 200))))
	}
	found := report.H("<ul class=\"documents list\">%s</ul>\n", list.HTML())
	switch {
	case len(all) > 0:
	case prefix != "":
		found = report.P("verdict", "No id has this.")
	default:
		found = report.P("verdict", "The collection has no documents yet.")
	}
	form := report.H(`<form class="filter" method="get" action="%s"><div class="sourced"><p><label for="prefix">Id, or a
part of it</label> <input type="search" id="prefix" name="prefix" value="%s" autocomplete="off" spellcheck="false">
<button type="submit">Find</button></p></div></form>
`, at(c.name, "documents"), prefix)
	return c.view("documents", report.Either(prefix != "", terminal.Plural(c.info.Documents, "document"), "Documents whose id has “"+prefix+"”"),
		form+found+
			steps(way(cursor != "", "← From the beginning", at(c.name, "documents", "prefix", prefix)), "",
				way(next != "", "Next →", at(c.name, "documents", "prefix", prefix, "cursor", next)))), nil
}

// subject is the field of mail that says what it is about.
const subject = "subject"

// titleOf returns the subject of mail, or a title of a text.
func titleOf[V any](text string, fields map[string]V, columns int) string {
	if of, has := fields[subject]; has {
		return terminal.Cut(fmt.Sprint(of), columns)
	}
	return judge.Title(text, columns)
}

const (
	mostWeighed  = 2000    // documents of a collection whose shared passages a page shows
	weighedBytes = 8 << 20 // of it with its index, which takes about four seconds; time grows with the square
	mostShared   = 200     // pairs of a page, and as many of which less is shared
	openShared   = 12      // pairs that are shown at once
)

// passages shows which pairs of a collection share more than independent texts do, the least likely first, and
// further pairs on demand.
func (c *collection) passages(r *http.Request) (*view, error) {
	why := report.P("verdict", "This collection keeps no texts, and so it has no passages.")
	if c.hasTexts() {
		why = report.P("verdict", "This page compares up to %s, which take %s at most with their index. The %s of this collection take %s. "+
			"<code>%s</code> prints all pairs.", terminal.Plural(mostWeighed, "document"), terminal.Bytes(weighedBytes),
			terminal.Thousands(c.info.Documents), terminal.Bytes(int64(c.info.Bytes)), report.Either(c.name == service.DefaultCollection, "simsearch pairs --passages --index DIR", c.o.Pairs))
	}
	if !c.hasTexts() || c.info.Documents > mostWeighed || c.info.Bytes > weighedBytes {
		return c.view("passages", report.Either(c.hasTexts(), "No passages", "Too large for this page"), why), nil
	}
	many, common := copied.Many(c.info.Documents, c.o.Common), r.URL.Query().Get("common")
	switch common {
	case "left":
		many = copied.Several(c.info.Documents)
	case "counted":
		many = 0
	}
	return c.weighed(r.Context(), many)
}

// weighed shows which pairs of a small collection share more than independent texts do, the least likely first, and
// further pairs on demand. What so many documents have does not count, unless many is 0.
func (c *collection) weighed(ctx context.Context, many int) (*view, error) {
	documents, _, err := c.svc.Browse(ctx, c.name, "", "", mostWeighed)
	if err != nil {
		return nil, err
	}
	var texts []copied.Named
	named := map[string]string{}
	for _, d := range documents {
		if d.Text != nil {
			texts, named[d.ID] = append(texts, copied.Named{Name: d.ID, Text: *d.Text}), *d.Text
		}
	}
	o := copied.Options{Base: c.o.Boilerplate, Common: c.o.Common}
	o.Threads = runtime.GOMAXPROCS(0)
	pairs, common, more, err := copied.OfTexts(ctx, texts, o, many)
	if err != nil {
		return nil, err
	}
	all := terminal.Plural(len(texts), "document")
	leave := at(c.name, "passages")
	if many > 0 || c.o.Common < 0 {
		leave = at(c.name, "passages", "common", "left")
	}
	had := report.If(many == 0, report.P("notice", "%s", report.Link("Leave out what many have", leave)))
	if len(common) > 0 {
		others := terminal.If(len(common) > 1, " and %s", terminal.Plural(len(common)-1, "more passage"))
		had = leftOut(common[0].Submissions, len(texts), "have", common[0].Text, others, at(c.name, "passages", "common", "counted"))
	}
	for i, one := range more[:min(len(more), 3)] {
		had += report.P("notice", "%s of %s have this: “%s” %s", one.Submissions, all, excerpt(one.Text),
			report.If(many > 0 && i == 0, report.Link("Leave out what so many have", leave)))
	}
	found := slices.IndexFunc(append(pairs, copied.Pair{}), func(p copied.Pair) bool { return !p.Shown })
	rows, less := pairs[:min(found, mostShared)], pairs[found:min(len(pairs), found+mostShared)]
	open := min(len(rows), openShared)
	title := report.Either(found == 0, terminal.Plural(found, "pair")+" of documents"+report.Verb(found, " shares", " share")+" passages",
		"No documents share more than independent texts do")
	return c.view("passages", title,
		report.P("notes", "Of 1,000 pairs of independent texts on one subject, one shares as much as these pairs do, at most. "+
			"Words that few of the %s have count most, and stop words least. Follow a passage to see both texts.", all)+had+
			report.First(len(rows), found, "These are the first %s of %s pairs.")+
			report.If(found > 0, c.list(rows[:open], named))+
			report.If(len(rows) > open, report.Fold(false, terminal.Plural(len(rows)-open, "more pair"), c.list(rows[open:], named)))+
			report.If(len(less) > 0, report.Fold(false, terminal.Plural(len(less), "pair")+" of which less is shared, so that it may be chance", c.list(less, named)))), nil
}

// leftOut says what does not count, since many documents have it, and leads to a page where it does.
func leftOut(n, all int, have, text, more, to string) report.HTML {
	return report.P("notice", "%s of %s %s this, which does not count: “%s”%s %s", n, terminal.Plural(all, "document"), have,
		excerpt(text), more, report.Link("Count it", to))
}

// list returns a list of pairs of texts, by their names.
func (c *collection) list(pairs []copied.Pair, texts map[string]string) report.HTML {
	var list report.Builder
	side := func(id string, share float64) report.HTML {
		return report.H(`<div><a href="%s"><bdi class="id">%s</bdi></a> %s</div>`, at(c.name, "near", "id", id), report.Path(id),
			report.Wide(report.H(`<span class="figure">%s</span>`, report.Share(share)), 100*share).Of)
	}
	for _, p := range pairs {
		edits, longest := 0, [2]int{}
		for _, x := range p.Passages {
			edits += x.Edits
			if x.B[1]-x.B[0] > longest[1]-longest[0] {
				longest = x.B
			}
		}
		list.Add(`<li data-words="%s" data-edits="%s" data-once="%s"><p class="quoted">%s</p>
<div class="two">%s%s<div class="figure">%s in %s; once in %s</div></div></li>
`, fmt.Sprint(p.Words), fmt.Sprint(edits), fmt.Sprint(p.OnceIn),
			report.Link(cmp.Or(excerpt(texts[p.B][longest[0]:longest[1]]), "Both texts"), at(c.name, "near", "id", p.A, "with", p.B)),
			side(p.A, p.AShare), side(p.B, p.BShare),
			terminal.Plural(p.Words, "word"), terminal.Plural(len(p.Passages), "passage"), int(p.OnceIn))
	}
	return report.H("<ul class=\"documents list shared\">%s</ul>\n", list.HTML())
}

// excerpt returns the beginning of a passage in one line.
func excerpt(passage string) string {
	const most = 180 // columns
	beginning := strings.ToValidUTF8(passage[:min(len(passage), 8*most)], "")
	return terminal.Cut(strings.Join(strings.Fields(beginning), " "), most)
}
