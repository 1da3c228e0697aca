package intake

import (
	"fmt"

	"simsearch/corpus"
	"simsearch/internal/terminal"
)

// Decided says on standard error how an input is read whose name does not say it. It speaks once for each
// kind of input, since a directory may have many of a kind, and since some commands read their input
// twice.
func (t *Teller) Decided(d corpus.Decision) {
	kind := corpus.Decision{Format: d.Format, Looks: d.Looks, Charset: d.Charset}
	if d.Path == "-" {
		kind.Path = d.Path
	}
	if t.decided[kind] {
		return
	}
	if t.decided == nil {
		t.decided = map[corpus.Decision]bool{}
	}
	t.decided[kind] = true
	message := "simsearch: " + decisionLine(d)
	if t.meter != nil {
		t.meter.Print(message)
		return
	}
	fmt.Fprintln(t.To, message)
}

// decisionLine says in a line how an input is read, and how it can be read otherwise.
func decisionLine(d corpus.Decision) string {
	name := terminal.Plain(d.Path)
	if d.Path == "-" {
		name = "standard input"
	}
	words := d.Format.Words()
	switch {
	case d.Charset != "":
		return fmt.Sprintf("%s is read as %s", name, d.Charset)
	case d.Looks != d.Format:
		return fmt.Sprintf("%s: %s, as its name says, though it looks like %s (--format %s reads it)", name, words, d.Looks.Words(), d.Looks)
	case d.Format == corpus.Text && d.Path == "-":
		return fmt.Sprintf("%s: %s (--format lines takes each line as a document)", name, words)
	case d.Format == corpus.Text:
		return fmt.Sprintf("%s: %s, since it has no record with the text field (--format json reads records)", name, words)
	}
	return fmt.Sprintf("%s: %s (--format says otherwise)", name, words)
}
