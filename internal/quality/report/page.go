package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"slices"
	"strings"
)

// A Page is what commands write for people to read in a browser: a head, figures, and sections with lists and
// examples. It needs no other file and no network. Its strings are shown as they are, without control characters:
// nothing in them is markup.
type Page struct {
	Command  string // that writes the page, such as "simsearch dedup"
	Title    string
	Foot     string // or ""
	Nav      HTML   // leads to other pages; "" leads to the sections
	Pictures bool   // the page shows pictures, which are inside it
	Style    string // of this page, beside that of all; or ""
	Script   bool   // the page runs its script, which Pairs and a command to copy need
	More     string // of the script of this page, or ""
	Served   bool   // the page comes from a server, to which its forms send

	Lead     HTML // what the page says first
	Figures  []Figure
	Shares   HTML
	Warnings []string
	Notes    HTML
	Sections []*Section
	Settings []Fact // what the result depends on
	Repeat   string // the command to repeat it
}

// A Figure is a number with what it counts, and more about it.
type Figure struct {
	Of         int
	Name, Text string
}

// Result returns the page of a result: of the command that writes it, with where programs find more than in
// report.json, and with the command that repeats it.
func Result(command, more string, warnings []string, settings []Fact, repeat string) *Page {
	return &Page{Command: command, Foot: "report.json has these figures for programs" + more + ".", Script: true,
		Warnings: warnings, Settings: settings, Repeat: repeat}
}

// Section appends a section, which has its title as its name.
func (p *Page) Section(title string, body HTML) {
	p.Sections = append(p.Sections, &Section{Name: strings.ToLower(title), Title: title, Body: body})
}

// Figure appends a figure.
func (p *Page) Figure(of int, name, text string) {
	p.Figures = append(p.Figures, Figure{of, name, text})
}

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
	//go:embed plot.css
	plotStyle string
)

// directions keeps texts from outside apart from what stands beside them, and gives each paragraph the direction of
// its first letter. So a text in Arabic or Hebrew does not rearrange the numbers and words around it.
const directions = `bdi,code,del,ins{unicode-bidi:isolate}p,li,dd,td,th,summary,h1,h2,h3,h4,caption,.row>div{unicode-bidi:plaintext}
`

func (p *Page) script() string { return "\n" + pageScript + p.More }

func (p *Page) style() string { return "\n" + directions + pageStyle + p.Style }

// hashOf returns the source of a policy that allows an element with this text.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Policy returns what the page may load and send: nothing that is not in it, and forms to the server that it comes
// from.
func (p *Page) Policy() string {
	policy := []string{"default-src 'none'", "style-src " + hashOf(p.style()) + " " + hashOf(plotStyle)}
	if p.Script {
		policy = append(policy, "script-src "+hashOf(p.script()))
	}
	if p.Pictures {
		policy = append(policy, "img-src data:"+Either(p.Served, "", " 'self'"))
	}
	forms := Either(p.Served, "'none'", "'self'")
	return strings.Join(append(policy, "base-uri 'none'", "form-action "+forms), "; ")
}

// head returns the beginning of the page, until its body begins.
func (p *Page) head() HTML {
	return H(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="color-scheme" content="light dark">
<title>%s – %s</title>
<style>%s</style>
</head>
<body>
`, HTML(p.Policy()), p.Title, p.Command, HTML(p.style()))
}

// Write writes the page. The error is that of w, or of a Rest.
func (p *Page) Write(w io.Writer) (err error) {
	write := func(markup HTML) {
		if err == nil {
			_, err = io.WriteString(w, string(markup))
		}
	}
	sections := slices.Clip(p.Sections)
	if len(p.Settings) > 0 || p.Repeat != "" {
		sections = append(sections, p.settings())
	}
	nav := p.Nav
	if nav == "" && len(sections) > 0 {
		var links Builder
		for _, s := range sections {
			links.Add(`<li><a href="#%s%s">%s</a></li>`, s.Name, If(s.more, "-more"), cmp.Or(s.Link, s.Title)) // unfolds it
		}
		nav = H("<nav aria-label=\"Sections\"><ul>%s</ul></nav>\n", links.HTML())
	}
	var figures Builder
	for _, f := range p.Figures {
		figures.Add(`<li><span class="value">%s</span> <span class="name">%s</span> <span class="text">%s</span></li>
`, f.Of, f.Name, f.Text)
	}
	write(p.head() + H("<header>\n<p>%s</p>\n%s</header>\n<main>\n<h1>%s</h1>\n", p.Command, nav, p.Title) + p.Lead +
		If(len(p.Figures) > 0, H("<ul class=\"figures\">%s</ul>\n", figures.HTML())) + p.Shares)
	write(whole(Each("<p class=\"warning\"><strong>Warning:</strong> %s</p>\n", p.Warnings)) + p.Notes)
	for _, s := range sections {
		write(s.markup())
		if s.Rest != nil && err == nil {
			err = s.Rest(w)
		}
		write("</section>\n\n")
	}
	write("</main>\n" + If(p.Foot != "", H("<footer><p>%s</p></footer>\n", p.Foot)))
	write(If(p.Script, H("<script>%s</script>\n", HTML(p.script()))) + "</body>\n</html>\n")
	return err
}

// settings returns the section of settings and of the command.
func (p *Page) settings() *Section {
	s := &Section{Name: "settings", Title: "Settings"}
	t := NewTable("What the result depends on.", "setting", "value")
	for _, f := range p.Settings {
		t.Add(f.Name, f.Value)
	}
	s.Body = If(len(t.Rows) > 0, t.HTML("settings")) + If(p.Repeat != "", H(`<h3 id="command-h">The command to repeat it</h3>
<div class="command"><pre tabindex="0" aria-labelledby="command-h" role="group"><code id="command">%s</code></pre><button type="button" id="copy" hidden>Copy</button></div>
`, whole(Text(p.Repeat))))
	return s
}
