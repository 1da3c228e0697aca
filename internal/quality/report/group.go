package report

// A Group is what a page lists of near documents.
type Group struct {
	ID, Title string
	Name      string // what the group is known by: a title of its first document, or the id
	Open      bool   // the group is shown without being asked for
	Documents []Document
	More      string // on documents that are not in Documents; or ""
	Link      string // to a page about the group, or ""
}

// A Document is what is listed of a document of a group. The link is to a page about it.
type Document struct{ ID, Nearness, Link string }

// HTML returns the group.
func (g *Group) HTML() HTML {
	var b Builder
	b.Add(`<details class="pair group" id="%s"%s><summary><h3>%s <bdi>%s</bdi></h3></summary>
<div class="texts">
<ul class="documents">
`, g.ID, If(g.Open, " open"), g.Title, g.Name)
	for _, d := range g.Documents {
		b.Add("<li><code>%s</code>%s</li>\n", Link(d.ID, d.Link), If(d.Nearness != "", H(" %s", d.Nearness)))
	}
	b.Add("%s</ul>\n%s</div></details>\n\n", If(g.More != "", H("<li class=\"more\">… and %s</li>\n", g.More)),
		If(g.Link != "", H("<p><a href=\"%s\">Side by side, as a graph, and to review</a></p>\n", g.Link)))
	return b.HTML()
}
