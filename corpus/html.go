package corpus

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"simsearch/document"
)

// htmlSource is a file that is one HTML document.
type htmlSource struct {
	textSource
	text []byte
}

func (h *htmlSource) next(doc *document.Document) error {
	if err := h.textSource.next(doc); err != nil {
		return err
	}
	h.text = AppendHTMLText(h.text[:0], doc.Text)
	doc.Text = h.text
	return nil
}

// AppendHTMLText appends to dst what a reader sees of an HTML document: its text, with
// entities decoded, without tags, comments, scripts, styles and what stands in for them.
// Elements that stand in a line of text, such as <b>, part no words; all others do. The
// title belongs to the text; attributes do not. Malformed input is read as browsers cut it
// into tokens, so that everything has a text. src is not retained.
func AppendHTMLText(dst, src []byte) []byte {
	z := html.NewTokenizer(bytes.NewReader(src))
	unseen := false // the text to come belongs to an element that is not shown
	for {
		switch z.Next() {
		case html.ErrorToken: // the end
			return dst
		case html.TextToken:
			if !unseen {
				dst = append(dst, z.Text()...)
			}
			unseen = false
		case html.StartTagToken:
			name, _ := z.TagName()
			unseen = isUnseen(name)
			dst = part(dst, name)
		case html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			unseen = false
			dst = part(dst, name)
		}
	}
}

// part ends a line of dst unless an element of this name stands inside lines.
func part(dst, name []byte) []byte {
	if inline[string(name)] || len(dst) == 0 || dst[len(dst)-1] == '\n' {
		return dst
	}
	return append(dst, '\n')
}

// unseen are the elements whose whole content is one text token that is not shown.
var unseen = []string{"script", "style", "noscript", "noembed", "noframes", "iframe"}

func isUnseen(name []byte) bool { return slices.Contains(unseen, string(name)) }

// inline are the elements of phrasing content that part no words, as HTML's rendering
// section has them: display: inline.
var inline = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label
		mark nobr output q rb ruby s samp small span strike strong sub sup time tt u var wbr`) {
		set[name] = true
	}
	return set
}()
