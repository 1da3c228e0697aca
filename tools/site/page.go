package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A page is a file of the repository, or what the program writes of a command.
type page struct {
	part, file, out string // out is its path in the site
	title, menu     string
	command         string // that it is about
	source          []byte
	tree            ast.Node
	headings        []heading
	anchors         map[string]bool
}

type heading struct {
	Level     int
	ID, Title string
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithXHTML(), renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))),
)

// newPage returns a page of Markdown.
func newPage(part, file string, source []byte) *page {
	p := &page{part: part, file: file, out: outOf(file), source: source, anchors: map[string]bool{}}
	ids := &anchors{taken: p.anchors}
	p.tree = markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids))))
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			id, _ := h.AttributeString("id")
			p.headings = append(p.headings, heading{h.Level, string(id.([]byte)), plain(h, source)})
		}
		return ast.WalkContinue, nil
	})
	if len(p.headings) > 0 {
		p.title = p.headings[0].Title
	}
	p.menu = p.title
	return p
}

// outOf returns the path in the site of a file of the repository.
func outOf(file string) string {
	switch name := strings.TrimPrefix(file, "docs/"); name {
	case "README.md":
		return "index.html"
	case "commands/simsearch.md":
		return "commands/index.html"
	default:
		if dir, ok := strings.CutSuffix(name, "/README.md"); ok {
			return dir + ".html"
		}
		return strings.ToLower(strings.TrimSuffix(name, ".md")) + ".html"
	}
}

// anchors names headings as the sites do on which such files are read.
type anchors struct{ taken map[string]bool }

func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	unique := id
	for n := 1; a.taken[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", id, n)
	}
	a.taken[unique] = true
	return []byte(unique)
}

func (a *anchors) Put(value []byte) { a.taken[string(value)] = true }

// plain returns the text of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		}
		if !entering && n.Type() == ast.TypeBlock {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// resolve makes the links of a page those of the site, and returns an error for each that leads nowhere.
// A link to a file that is no page keeps its text alone.
func (s *site) resolve(p *page) (wrong []error) {
	var loose []*ast.Link // whose text alone stays
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			var to string
			if to, err = s.lead(p, string(n.Destination)); to == "" && err == nil {
				loose = append(loose, n)
			}
			n.Destination = []byte(to)
		case *ast.Image:
			var to string
			if to, err = s.show(p, string(n.Destination)); err == nil {
				n.Destination = []byte(to)
			}
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", p.file, err))
		}
		return ast.WalkContinue, nil
	})
	for _, link := range loose {
		for child := link.FirstChild(); child != nil; child = link.FirstChild() {
			link.Parent().InsertBefore(link.Parent(), link, child)
		}
		link.Parent().RemoveChild(link.Parent(), link)
	}
	return wrong
}

// lead returns where a link of a page leads in the site: nowhere if it is to a file that is no page.
func (s *site) lead(p *page, to string) (string, error) {
	u, err := url.Parse(to)
	if err != nil {
		return "", err
	}
	if u.Scheme != "" {
		return to, nil
	}
	target := p
	if u.Path != "" {
		file := path.Join(path.Dir(p.file), u.Path)
		if target = s.of[file]; target == nil {
			if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(file))); err != nil {
				return "", fmt.Errorf("it links to %s: there is no such file", to)
			}
			return "", nil
		}
	}
	if u.Fragment != "" && !target.anchors[u.Fragment] {
		return "", fmt.Errorf("it links to %s: %s has no such heading", to, target.file)
	}
	return relative(p.out, target.out, u.Fragment), nil
}

// show returns where a picture of a page lies in the site.
func (s *site) show(p *page, to string) (string, error) {
	file := path.Join(path.Dir(p.file), to)
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(file))); err != nil {
		return "", fmt.Errorf("it shows %s: there is no such file", to)
	}
	s.files[file] = true
	return relative(p.out, strings.TrimPrefix(file, "docs/"), ""), nil
}

// relative returns the way from one file of the site to another.
func relative(from, to, fragment string) string {
	way := strings.Repeat("../", strings.Count(from, "/")) + to
	if from == to {
		way = ""
	}
	if fragment != "" {
		way += "#" + fragment
	}
	if way == "" {
		way = path.Base(to)
	}
	return way
}

// named returns an error for each page of docs/ or beside code that a file of the repository names, such as a
// comment, and that does not exist.
func (s *site) named() (wrong []error) {
	name := regexp.MustCompile(`\b((?:docs|docs/measured|internal/[a-z]+)/[A-Z][A-Z0-9-]*\.(?:md|txt))(?:#([\p{L}\p{N}_-]+))?`)
	skipped := map[string]bool{".git": true, ".ci": true, "bin": true, "dist": true, "out": true, "node_modules": true, "target": true, "testdata": true}
	err := filepath.WalkDir(s.root, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (skipped[d.Name()] || strings.HasSuffix(file, filepath.FromSlash("tools/site")) || strings.HasPrefix(d.Name(), ".venv")) {
			return filepath.SkipDir
		}
		switch filepath.Ext(file) {
		case ".go", ".py", ".sh", ".txt", ".md", ".s", ".js", ".tmpl", "":
		default:
			return nil
		}
		rel, err := filepath.Rel(s.root, file)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || s.of[filepath.ToSlash(rel)] != nil { // the links of pages are followed
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			return err
		}
		for _, m := range name.FindAllSubmatch(text, -1) {
			page := s.of[string(m[1])]
			if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(string(m[1])))); err != nil {
				wrong = append(wrong, fmt.Errorf("%s names %s, which does not exist", rel, m[0]))
			} else if len(m[2]) > 0 && (page == nil || !page.anchors[string(m[2])]) {
				wrong = append(wrong, fmt.Errorf("%s names %s, which has no such heading", rel, m[0]))
			}
		}
		return nil
	})
	if err != nil {
		wrong = append(wrong, err)
	}
	return wrong
}
