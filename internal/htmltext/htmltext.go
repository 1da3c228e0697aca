// Package htmltext makes the text of HTML documents.
package htmltext

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Append appends the text of an HTML document to dst, as a reader sees it. Entities are
// decoded. Tags, comments, scripts and styles are left out, and so is what stands in for them, such
// as the contents of noscript. The title belongs to the text; attributes do not.
//
// Elements that stand inside a line of text, such as <b>, do not separate words; all others do.
// There is no error: malformed input is cut into tokens as browsers do. src is not retained.
func Append(dst, src []byte) []byte {
	z := html.NewTokenizer(bytes.NewReader(src))
	unseen := false // whether the next text belongs to an element that is not shown
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

// part ends the current line of dst, unless elements with this name stand inside a line.
func part(dst, name []byte) []byte {
	if inline[string(name)] || len(dst) == 0 || dst[len(dst)-1] == '\n' {
		return dst
	}
	return append(dst, '\n')
}

// unseen lists the elements that contain just one text token, which is not shown.
var unseen = []string{"script", "style", "noscript", "noembed", "noframes", "iframe"}

func isUnseen(name []byte) bool { return slices.Contains(unseen, string(name)) }

// inline holds the elements of phrasing content that do not separate words. The rendering section
// of the HTML standard gives them "display: inline".
var inline = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label
		mark nobr output q rb ruby s samp small span strike strong sub sup time tt u var wbr`) {
		set[name] = true
	}
	return set
}()
