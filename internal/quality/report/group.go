package report

import "slices"

// A Group is what a page lists of near documents.
type Group struct {
	ID, Title string
	Name      string // what the group is known by: a title of its first document, or the id
	Open      bool   // the group is shown without being asked for
	Documents []Document
	More      string // on documents that are not in Documents; or ""
	Link      string // to a page about the group, or ""
}

// A Document is what is listed of a document. The link is to a page about it.
type Document struct {
	ID, Nearness, Link string

	Picture HTML   // a small copy of the picture that it is; or ""
	About   string // on the file of the picture
	Bytes   int    // of that file
	Keep    bool   // it is the one of its group to keep
}

// List returns a list of documents, of pictures as a grid. more stands behind them, if there are more.
func List(documents []Document, more string) HTML {
	var b Builder
	b.Add(`<ul class="documents%s">`+"\n", If(slices.ContainsFunc(documents, func(d Document) bool { return d.Picture != "" }), " grid"))
	for _, d := range documents {
		b.Add("<li>%s<code>%s</code>%s%s%s</li>\n", If(d.Picture != "", H(`<a href="%s" tabindex="-1" aria-hidden="true">%s</a>`, d.Link, d.Picture)),
			Link(Path(d.ID), d.Link), If(d.Nearness != "", H(" %s", d.Nearness)), If(d.About != "", P("notes", "%s", d.About)),
			If(d.Keep, P("keep", "Keep: the largest file")))
	}
	b.Add("%s</ul>\n", If(more != "", H("<li class=\"more\">… and %s</li>\n", more)))
	return b.HTML()
}

// HTML returns the group.
func (g *Group) HTML() HTML {
	var b Builder
	b.Add(`<details class="pair group" id="%s"%s><summary><h3>%s <bdi>%s</bdi></h3></summary>
<div class="texts">
`, g.ID, If(g.Open, " open"), g.Title, Path(g.Name))
	b.Add("%s%s</div></details>\n\n", List(g.Documents, g.More),
		If(g.Link != "", H("<p><a href=\"%s\">Side by side, as a graph, and to review</a></p>\n", g.Link)))
	return b.HTML()
}
