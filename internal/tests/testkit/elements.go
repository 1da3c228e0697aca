package testkit

import (
	"strings"

	"golang.org/x/net/html"
)

// Elements returns the elements of a page with the names of their attributes, in order, without text and the places
// where its lines may end.
func Elements(page string) (out []string) {
	for z := html.NewTokenizer(strings.NewReader(strings.ReplaceAll(page, "<wbr>", ""))); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return out
		case html.TextToken:
		default:
			token := z.Token()
			what := kind.String() + " " + token.Data
			for _, a := range token.Attr {
				what += " " + a.Key
			}
			out = append(out, what)
		}
	}
}
