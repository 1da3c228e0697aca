package syntax

import (
	"bytes"
	"slices"
)

// from returns text without what w names. It changes text only in a copy.
//
// A quote is lines that begin with >, with the lines before them that introduce it, such as "On Monday, Ann wrote:",
// and all that is behind a line such as "-----Original Message-----". A signature begins with a line "-- ", and ends
// with the text, or with a quote: some programs put the earlier message below it.
func (w Without) from(text []byte) []byte {
	kept := make([]byte, 0, len(text))
	inSignature := false
	for line := range bytes.Lines(text) {
		bare := bytes.TrimRight(line, "\r\n")
		switch quote := bytes.HasPrefix(bare, []byte(">")); { // it repeats an earlier message
		case isOriginal(bare):
			if w&Quotes != 0 {
				return trimIntroduction(kept)
			}
			inSignature = false
		case quote && w&Quotes != 0:
			kept = trimIntroduction(kept)
			inSignature = false
			continue
		case quote:
			inSignature = false
		case string(bare) == "-- " && w&Signatures != 0:
			inSignature = true
		}
		if !inSignature {
			kept = append(kept, line...)
		}
	}
	return kept
}

// originals are what some programs write between a message and the earlier one below it, in lower case and without the
// dashes around it.
var originals = []string{"original message", "forwarded message", "ursprüngliche nachricht", "message d'origine", "mensaje original",
	"messaggio originale", "mensagem original", "oorspronkelijk bericht"}

// isOriginal reports whether the rest of a text is an earlier message, by a line above it.
func isOriginal(line []byte) bool {
	if bytes.EqualFold(bytes.TrimSpace(line), []byte("Begin forwarded message:")) {
		return true
	}
	if !bytes.HasPrefix(line, []byte("---")) {
		return false
	}
	return slices.Contains(originals, string(bytes.ToLower(bytes.Trim(line, "- \t"))))
}

// introductions are words of the line before a quote, in lower case.
var introductions = []string{" wrote", " writes", " said", " schrieb", " a écrit", " escribió", " ha scritto", " schreef", " escreveu",
	" skrev", " napisał", " kirjoitti", " пишет", " писал"}

const (
	// maxIntroduction is the number of lines that introduce a quote, at most: programs break long ones.
	maxIntroduction = 3
	// introductionBytes is the number of bytes before a quote that are looked at.
	introductionBytes = 500
)

// trimIntroduction returns text without the lines at its end that introduce a quote, and the empty lines between them
// and the quote. It returns text if nothing introduces one.
func trimIntroduction(text []byte) []byte {
	first := max(len(text)-introductionBytes, 0)
	body := bytes.TrimRight(text[first:], " \t\r\n")
	if len(body) == 0 || body[len(body)-1] != ':' {
		return text
	}
	lastLine := bytes.LastIndexByte(body, '\n') + 1
	start, end := lastLine, len(body)
	for lines := 0; lines < maxIntroduction && len(bytes.TrimSpace(body[start:end])) > 0; lines++ { // in one paragraph
		if beginsIntroduction(body[start:]) && introduces(body[start:]) {
			return text[:first+start]
		}
		end = max(0, start-1)
		start = bytes.LastIndexByte(body[:end], '\n') + 1
	}
	if introduces(body[lastLine:]) {
		return text[:first+lastLine]
	}
	return text
}

// introduces reports whether text, of a few lines, has one of the introductions.
func introduces(text []byte) bool {
	lower := bytes.ReplaceAll(bytes.ToLower(text), []byte("\n"), []byte(" "))
	return slices.ContainsFunc(introductions, func(word string) bool { return bytes.Contains(lower, []byte(word)) })
}

// datedWords are beginnings of introductions that have a date: "On Monday, …".
var datedWords = []string{"On ", "Am ", "Le ", "El ", "Il ", "Op ", "Em ", "Den ", "W dniu "}

// beginsIntroduction reports whether a line begins as such an introduction does.
func beginsIntroduction(line []byte) bool {
	return slices.ContainsFunc(datedWords, func(word string) bool { return bytes.HasPrefix(line, []byte(word)) })
}

// appendUnquoted is AppendText of a page without its blockquotes. A line ">" stands for each outermost one, so that
// it is found as in other texts.
func appendUnquoted(dst, src []byte) []byte {
	p := page{dst: dst, unquoted: bytes.Contains(bytes.ToLower(src), []byte("<blockquote"))}
	return p.read(src)
}

// passes reports whether a tag is passed over, since it is that of a blockquote or in one. by is how many elements it
// opens, 1 or -1.
func (p *page) passes(name []byte, by int) bool {
	switch {
	case !p.unquoted:
		return false
	case string(name) != "blockquote":
		return p.quotes > 0
	case by > 0 && p.quotes == 0:
		p.endLine()
		p.dst = append(p.dst, ">\n"...)
	}
	p.quotes = max(0, p.quotes+by)
	return true
}
