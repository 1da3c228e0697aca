package report

import (
	"html"
	"regexp"
	"strings"

	"simsearch/internal/ground/terminal"
)

// HTML is markup of a page.
type HTML string

// A Path is a name in markup. Its lines may end behind slashes.
type Path string

// H returns markup in which values stand for %s, in their order: markup as it is, and others as Cell shows them.
// These are harmless as a text and as an attribute between quotes: they have no markup and no control characters.
func H(markup HTML, values ...any) HTML {
	var b Builder
	b.Add(markup, values...)
	return b.HTML()
}

// A Builder gathers markup.
type Builder struct{ strings.Builder }

// Add appends what H returns.
func (b *Builder) Add(markup HTML, values ...any) {
	size := len(markup)
	for _, v := range values {
		if v, is := v.(HTML); is {
			size += len(v)
		}
	}
	b.Grow(size)
	for _, v := range values {
		before, behind, _ := strings.Cut(string(markup), "%s")
		b.WriteString(before)
		switch v := v.(type) {
		case HTML:
			b.WriteString(string(v))
		case Path:
			b.WriteString(strings.ReplaceAll(escape(string(v)), "/", "/<wbr>"))
		default:
			b.WriteString(escape(Cell(v)))
		}
		markup = HTML(behind)
	}
	b.WriteString(string(markup))
}

// escape returns a text of one line as H has it.
func escape(text string) string { return html.EscapeString(terminal.Harmless(text)) }

// P appends what P returns.
func (b *Builder) P(class string, markup HTML, values ...any) {
	b.WriteString(string(P(class, markup, values...)))
}

// HTML returns all of it.
func (b *Builder) HTML() HTML { return HTML(b.String()) }

// flag finds flags in markup.
var flag = regexp.MustCompile(`--[a-z][a-z-]*`)

// whole returns markup without attributes, whose lines end within no flag.
func whole(markup HTML) HTML {
	return HTML(flag.ReplaceAllString(string(markup), `<span class="flag">$0</span>`))
}

// Each returns the markup with each of some values.
func Each[T any](markup HTML, all []T) HTML {
	var b Builder
	for _, value := range all {
		b.Add(markup, value)
	}
	return b.HTML()
}

// Text returns a text with its lines and tabs.
func Text(text string) HTML { return HTML(html.EscapeString(harmlessText(text))) }

// If returns markup if something is so.
func If(so bool, markup HTML) HTML {
	if so {
		return markup
	}
	return ""
}

// P returns a paragraph of a class, such as verdict, notes or notice, or of none. Its markup and values are those of H.
func P(class string, markup HTML, values ...any) HTML {
	return H("<p%s>%s</p>\n", If(class != "", H(` class="%s"`, class)), H(markup, values...))
}

// First says that a list has more than what is shown of it. The markup has the two numbers.
func First(shown, all int, markup HTML) HTML { return If(shown < all, P("notice", markup, shown, all)) }

// Goes says that a list goes on, and where all of it is.
func Goes(shown, all int, where string) HTML {
	return If(shown < all, P("notice", "These are the first %s of %s; %s all.", shown, all, where))
}

// Fold returns what is shown on demand, or hidden on demand if it is open.
func Fold(open bool, summary string, markup HTML) HTML {
	return H("<details class=\"folded\"%s><summary>%s</summary>\n%s</details>\n", If(open, " open"), summary, markup)
}

// Link returns a text that leads to an address, unless that is "".
func Link[T string | Path](text T, to string) HTML {
	if to == "" {
		return H("%s", text)
	}
	return H(`<a href="%s">%s</a>`, to, text)
}

// Verb returns one form of a verb for one thing, and the other for several.
func Verb(n int, one, several string) string { return Either(n == 1, several, one) }

// Is returns the verb for so many things.
func Is(n int) string { return Verb(n, "is", "are") }
