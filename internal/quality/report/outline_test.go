package report

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A reader that reads the page aloud finds headings without a gap, names of tables and plots, and header cells of
// rows and columns; the verdict comes first.
func TestPageReadAloud(t *testing.T) {
	r := reportOf("plain")
	long := r.Sections[0].AddTable("", "k", "pairs")
	for k := range 20 {
		long.Add(k, 1000*k)
	}
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	level, unfolding := 0, 0
	var headings []string
	for n := range page.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "h1", "h2", "h3", "h4":
			now := int(n.Data[1] - '0')
			if now > level+1 {
				t.Errorf("a heading %s behind one of level %d", n.Data, level)
			}
			level = now
			headings = append(headings, textOf(n))
		case "table":
			caption := n.FirstChild
			if caption == nil || caption.Data != "caption" || textOf(caption) == "" {
				t.Error("a table has no caption")
			}
		case "tr":
			if first := n.FirstChild; first.Data != "th" || attribute(first, "scope") == "" {
				t.Errorf("a row begins with %s", first.Data)
			}
		case "svg":
			if attribute(n, "role") != "img" || attribute(n, "aria-label") == "" {
				t.Error("a plot has no name")
			}
			for d := range n.ChildNodes() {
				if d.Type == html.ElementNode && d.Data != "style" && attribute(d, "aria-hidden") != "true" {
					t.Errorf("of a plot, %s is read aloud", d.Data)
				}
			}
		case "blockquote", "section", "nav", "figure":
			if attribute(n, "aria-label") == "" && attribute(n, "id") == "" {
				t.Errorf("a %s has no name", n.Data)
			}
		case "details":
			unfolding++
			if n.FirstChild.Data != "summary" || !strings.Contains(textOf(n), "19,000") {
				t.Errorf("a table that unfolds: %s", textOf(n))
			}
		}
	}
	if len(headings) < 4 || headings[1] != "What to use" || unfolding != 2 { // what follows the first table, and a long table in it
		t.Errorf("headings %q, %d tables unfold", headings, unfolding)
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}
