package results

import (
	"html/template"
	"strings"

	"simsearch/index"
	"simsearch/internal/idtext"
	"simsearch/internal/page"
	"simsearch/internal/show"
	"simsearch/internal/terminal"
)

// A groupPage is what the page says of a group.
type groupPage struct {
	Number, Size, Extreme string
	Unverified            bool
	Way, Current, Value   string // of the current document, if there is one: why it is, its id, and its value
	Members               []pageMember
	More                  string // documents that are not shown
}

// A pageMember is what the page says of a document.
type pageMember struct {
	ID, Nearness string
	Current      bool
	Picture      template.URL // a small copy, or none
	member
}

const groupsStyle = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff }
h2 { font-size: 1rem; margin: 1.5rem 0 .25rem }
ul { margin: 0; padding-left: 1.25rem }
code { overflow-wrap: anywhere }
img { max-width: 100%; margin: .25rem 0; background: #fff }
strong { background: #fff0b3; padding: 0 .25rem }
del { background: #fbd9d7 } ins { background: #d5f0d8 }
p { margin: .1rem 0; color: #444 }
@media (prefers-color-scheme: dark) {
 body { color: #e8e8e8; background: #181818 } p { color: #bbb } strong { background: #5a4700 } del { background: #6b2622 } ins { background: #1f5127 }
}
`

var groupsPage = template.Must(template.New("begin").Funcs(template.FuncMap{
	"head": func(pictures bool) template.HTML {
		return page.Head{Title: "Groups of near documents", Style: groupsStyle, Pictures: pictures}.HTML()
	},
}).Parse(`{{head .}}<h1>Groups of near documents</h1>
{{define "group"}}<h2>Group {{.Number}}: {{.Size}}, {{if .Unverified}}<strong>unverified</strong>, {{end}}{{.Extreme}}</h2>
{{with .Current}}<p>The {{$.Way}} is <code>{{.}}</code>{{with $.Value}}, <bdi>{{.}}</bdi>{{end}}.</p>
{{end}}<ul>
{{range .Members}}<li><code>{{.ID}}</code>{{with .Nearness}} {{.}}{{end}}{{if .Current}} <strong>{{$.Way}}</strong>{{end}}{{with .Picture}}<br><img src="{{.}}" alt="">{{end}}
{{with .Title}}<p>{{.}}</p>{{end}}{{range .Differences}}<p>{{.Before}} {{with .A}}<del>{{.}}</del>{{end}} {{with .B}}<ins>{{.}}</ins>{{end}} {{.After}}</p>{{end}}{{range .Remarks}}<p>{{.}}</p>{{end}}{{with .ShowError}}<p>{{.}}</p>{{end}}</li>
{{end}}{{with .More}}<li>… and {{.}}</li>
{{end}}</ul>
{{end}}`))

// page prints a group as a part of a page of HTML, which begins with the first group.
func (p *Groups) page(g index.Group, docs []uint32, ids []string, members []member, now current) error {
	if p.n == 1 {
		if err := groupsPage.Execute(p.HTML, p.Pictures != nil); err != nil {
			return err
		}
	}
	of := groupPage{
		Number: terminal.Thousands(p.n), Size: terminal.Plural(len(ids), "document"), Extreme: p.extreme(g), Unverified: p.unverified(),
		Value: terminal.Plain(now.value),
	}
	if now.ok {
		of.Way, of.Current = p.Current.Keep.Way.String(), idtext.Terminal.Text(now.id)
	}
	for i, id := range ids {
		if members != nil && i == len(members) {
			of.More = terminal.Plural(len(ids)-i, "more document")
			break
		}
		picture, err := p.picture(i, docs[i])
		if err != nil {
			return err
		}
		m := pageMember{Picture: picture, ID: idtext.Terminal.Text(id), Current: now.ok && docs[i] == now.doc}
		if i < len(members) {
			m.member, m.Nearness = members[i], strings.TrimSpace(members[i].nearness())
			m.member.Title = m.shown.TitleB
		}
		of.Members = append(of.Members, m)
	}
	return groupsPage.ExecuteTemplate(p.HTML, "group", of)
}

// picture returns a small copy of the picture that is document i of the group.
func (p *Groups) picture(i int, doc uint32) (template.URL, error) {
	if p.Pictures == nil || p.n > show.PicturedGroups || i >= show.PicturesOfGroup {
		return "", nil
	}
	small, err := p.Pictures(doc, show.PictureSide)
	return show.PictureURL(small), err
}
