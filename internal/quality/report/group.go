package report

import "simsearch/internal/quality/explain"

// A Group is what a page shows of near documents.
type Group struct {
	ID, Title string
	Name      string   // what the group is known by: a title of its first document, or the id
	Open      bool     // the group is shown without being asked for
	Current   *Current // or nil
	Documents []Document
	More      string // on documents that are not in Documents; or ""
	Link      string // to a page about the group, or ""
}

// Current says which document of a group is the current one, and why.
type Current struct{ Way, ID, Value string }

// A Document is what is shown of a document beside the one that it is compared with.
type Document struct {
	ID, Nearness, Mark string
	Link               string // to a page about the document, or ""
	Picture            HTML   // a small copy, or ""
	Title              string
	Changes            []explain.Change
	Notes              []string
}

// class says how the documents stand: pictures side by side, and ids alone in columns.
func (g *Group) class() HTML {
	class := HTML(" ids")
	for _, d := range g.Documents {
		switch {
		case d.Picture != "":
			return " pictured"
		case d.Title != "" || d.Nearness != "" || len(d.Changes)+len(d.Notes) > 0:
			class = ""
		}
	}
	return class
}

// HTML returns the group.
func (g *Group) HTML() HTML {
	var b Builder
	b.Add(`<details class="pair group" id="%s"%s><summary><h3>%s <bdi>%s</bdi></h3></summary>
<div class="texts">
`, g.ID, If(g.Open, " open"), g.Title, g.Name)
	if c := g.Current; c != nil {
		b.Add("<p>The %s is <code>%s</code>%s.</p>\n", c.Way, c.ID, If(c.Value != "", H(", <bdi>%s</bdi>", c.Value)))
	}
	b.Add("<ul class=\"documents%s\">\n", g.class())
	for _, d := range g.Documents {
		b.Add("<li><code>%s</code>%s%s%s%s%s%s</li>\n", Link(d.ID, d.Link), If(d.Nearness != "", H(" %s", d.Nearness)),
			If(d.Mark != "", H(" <strong>%s</strong>", d.Mark)), d.Picture, If(d.Title != "", H("\n<p>%s</p>", d.Title)),
			changesOf(d.Changes),
			Each(`<p class="remark">%s</p>`, d.Notes))
	}
	b.Add("%s</ul>\n%s</div></details>\n\n", If(g.More != "", H("<li class=\"more\">… and %s</li>\n", g.More)),
		If(g.Link != "", H("<p><a href=\"%s\">Side by side, as a graph, and to review</a></p>\n", g.Link)))
	return b.HTML()
}
