package intake

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"simsearch/document"
)

// sentences are some of each language.
var sentences = map[string]string{
	"en": "The house that stands at the end of the street was built by a man who had been to the sea and who told us about it in the evenings.",
	"de": "Das Haus, das am Ende der Straße steht, wurde von einem Mann gebaut, der zur See gefahren war und uns am Abend davon erzählt hat.",
	"fr": "La maison qui se trouve au bout de la rue a été construite par un homme qui avait été en mer et qui nous en parlait le soir.",
}

// texts yields n texts, each of the language that of names.
func texts(n int, of func(i int) string) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for i := range n {
			text := fmt.Sprintf("%s %d", sentences[of(i)], i)
			if !yield(&document.Document{ID: []byte(fmt.Sprint(i)), Text: []byte(text)}, nil) {
				return
			}
		}
	}
}

func TestOtherLanguages(t *testing.T) {
	always := func(language string) func(int) string { return func(int) string { return language } }
	for name, tt := range map[string]struct {
		n    int
		of   func(i int) string
		code string
		want string // in the line; "" for none
	}{
		"the right one":          {500, always("en"), "en", ""},
		"another":                {500, always("de"), "en", "most texts look like de,"},
		"another, few":           {leastLooked - 1, always("de"), "en", ""},
		"none is left out":       {500, always("de"), "none", ""},
		"found for each":         {500, always("de"), "auto", ""},
		"several":                {500, func(i int) string { return []string{"de", "fr"}[i%2] }, "en", "several languages"},
		"one of several":         {500, func(i int) string { return []string{"de", "en", "fr"}[i%3] }, "en", ""},
		"others at the front":    {5000, func(i int) string { return map[bool]string{true: "de", false: "en"}[i < 50] }, "en", ""},
		"the right one in front": {5000, func(i int) string { return map[bool]string{true: "en", false: "de"}[i < 50] }, "en", "look like de"},
	} {
		var l Languages
		n := 0
		for _, err := range l.Of(texts(tt.n, tt.of)) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		got := l.Other(tt.code)
		if n != tt.n || (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %d texts, %q", name, n, got)
		}
		if l.looked > 150 {
			t.Errorf("%s: %d texts looked at", name, l.looked)
		}
	}
}
