package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// home is the first page.
const home = "index.html"

//go:embed page.html.tmpl site.css search.js
var assets embed.FS

var layout = template.Must(template.ParseFS(assets, "page.html.tmpl"))

// write writes the site to a new directory beside out, which then takes the place of out.
func (s *site) write(out string) error {
	made := out + ".new"
	if err := os.RemoveAll(made); err != nil {
		return err
	}
	for _, p := range s.pages {
		html, err := s.html(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		if err := put(made, p.out, html); err != nil {
			return err
		}
	}
	for file := range s.files {
		data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		if err := put(made, strings.TrimPrefix(file, "docs/"), data); err != nil {
			return err
		}
	}
	for _, name := range []string{"site.css", "search.js"} {
		data, err := assets.ReadFile(name)
		if err != nil {
			return err
		}
		if err := put(made, name, data); err != nil {
			return err
		}
	}
	index, err := json.Marshal(s.index())
	if err != nil {
		return err
	}
	if err := put(made, "index.js", fmt.Appendf(nil, "window.simsearchIndex = %s;\n", index)); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.Rename(made, out)
}

func put(dir, name string, data []byte) error {
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// A menuPart is a heading of the menu with its pages.
type menuPart struct {
	Title string
	Open  bool
	Pages []menuPage
}

type menuPage struct {
	Title, Link string
	Here, Below bool // Below is a page of a command
}

// html returns a page of the site.
func (s *site) html(p *page) ([]byte, error) {
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.source, linkCommands(p, s)); err != nil {
		return nil, err
	}
	var menu []menuPart
	for _, q := range s.pages {
		if len(menu) == 0 || menu[len(menu)-1].Title != q.part {
			menu = append(menu, menuPart{Title: q.part, Open: q.part == p.part})
		}
		last := &menu[len(menu)-1]
		last.Pages = append(last.Pages, menuPage{Title: q.menu, Link: relative(p.out, q.out, ""), Here: p == q, Below: q.command != ""})
	}
	var contents []heading
	for _, h := range p.headings {
		if h.Level == 2 {
			contents = append(contents, h)
		}
	}
	var b bytes.Buffer
	err := layout.Execute(&b, map[string]any{
		"Title": p.title, "Part": p.part, "Menu": menu, "Contents": contents, "Body": template.HTML(body.String()), //nolint:gosec // what goldmark writes
		"Root": strings.Repeat("../", strings.Count(p.out, "/")), "Home": p.out == home,
	})
	return b.Bytes(), err
}

// command is code such as "simsearch near --help".
var command = regexp.MustCompile(`^simsearch ([a-z]+)( --help)?$`)

// linkCommands makes code that is a command a link to its page. It returns the tree of the page.
func linkCommands(p *page, s *site) ast.Node {
	var spans []*ast.CodeSpan
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n, ok := n.(*ast.CodeSpan); ok && entering && n.Parent().Kind() != ast.KindLink {
			spans = append(spans, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range spans {
		m := command.FindStringSubmatch(plain(n, p.source))
		if m == nil || s.of[commandsFile+"/"+m[1]+".md"] == nil {
			continue
		}
		link := ast.NewLink()
		link.Destination = []byte(relative(p.out, s.of[commandsFile+"/"+m[1]+".md"].out, ""))
		n.Parent().ReplaceChild(n.Parent(), n, link)
		link.AppendChild(link, n)
	}
	return p.tree
}

// An entry of the index is what stands below a heading.
type entry struct {
	Page    string `json:"p"` // its title
	Heading string `json:"h,omitempty"`
	Link    string `json:"l"`
	Text    string `json:"t"`
	Less    bool   `json:"m,omitempty"` // it is found behind others: tables of measurements, and what has changed
}

// index returns what can be searched.
func (s *site) index() (all []entry) {
	for _, p := range s.pages {
		at := entry{Page: p.title, Link: p.out, Less: strings.HasPrefix(p.file, "docs/measured/") || p.file == "CHANGELOG.md"}
		var b strings.Builder
		end := func() {
			at.Text = strings.TrimSpace(b.String())
			all = append(all, at)
			b.Reset()
		}
		for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
			if h, ok := n.(*ast.Heading); ok {
				if h.Level > 1 {
					end()
					id, _ := h.AttributeString("id")
					at.Heading, at.Link = plain(h, p.source), p.out+"#"+string(id.([]byte))
				}
				continue
			}
			b.WriteString(plain(n, p.source) + " ")
		}
		end()
	}
	return all
}

// blocks writes code with commands that differ from what they print, and tables that scroll by themselves.
type blocks struct{}

func (b blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, b.code)
	r.Register(ast.KindCodeSpan, b.span)
	r.Register(extast.KindTable, b.table)
}

func (blocks) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	console := string(block.Language(source)) == "console"
	_, _ = w.WriteString(`<pre tabindex="0"><code>`)
	for i := range block.Lines().Len() {
		at := block.Lines().At(i)
		line := string(util.EscapeHTML(at.Value(source)))
		if command, ok := strings.CutPrefix(line, "$ "); console && ok {
			command = strings.TrimSuffix(command, "\n")
			line = `<span class="prompt">$ </span><b>` + command + "</b>\n"
		}
		_, _ = w.WriteString(line)
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// span writes code in a text. What is short, such as a flag, has no line end within.
func (blocks) span(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	const short = 20 // characters
	class, code := "", plain(n, source)
	if utf8.RuneCountInString(code) <= short {
		class = ` class="short"`
	}
	_, _ = w.WriteString("<code" + class + ">" + string(util.EscapeHTML([]byte(code))) + "</code>")
	return ast.WalkSkipChildren, nil
}

func (blocks) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<div class=\"scroll\" tabindex=\"0\"><table>\n")
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}
