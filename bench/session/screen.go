package main

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"unicode"

	"simsearch/internal/ground/terminal"
)

// A Screen is what a terminal shows, line by line. Lines may have the escape sequences that set colours
// and weights (ECMA-48, SGR). Other control characters are left out.
type Screen struct {
	Title string
	Lines []string
}

// Sizes of characters in units of the drawing.
const (
	cellWidth, cellHeight = 7.8, 17.0
	screenMargin          = 14.0
)

// screenStyle has one ground for all readers, as terminals have. Its letters have a contrast of 4.5 or more.
const screenStyle = `<style>
svg{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
rect{fill:#16181d}text{fill:#d8dce4}.b{font-weight:bold;fill:#fff}.d{fill:#949cab}.u{text-decoration:underline}.s{text-decoration:line-through}
.c1{fill:#ff8b8b}.c2{fill:#7fd88f}.c3{fill:#e8c468}.c4{fill:#82b1ff}.c5{fill:#d9a0e8}.c6{fill:#6fd3d3}
</style>
`

var (
	graphic      = regexp.MustCompile("\x1b\\[([0-9;]*)m")
	unprintable  = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-ln-z]|[\x00-\x1a\x1c-\x1f\x7f]")
	classesOfSGR = map[string]string{"1": "b", "2": "d", "4": "u", "9": "s"}
)

// Write writes the screen as one svg element. The error is that of w.
func (s *Screen) Write(w io.Writer) error {
	columns := 0
	for _, line := range s.Lines {
		columns = max(columns, terminal.Columns(graphic.ReplaceAllString(unprintable.ReplaceAllString(line, ""), "")))
	}
	wide, high := 2*screenMargin+cellWidth*float64(columns), 2*screenMargin+cellHeight*float64(len(s.Lines))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" role="img" aria-label="%s">`+"\n%s", wide, high, wide, xmlText(s.Title), screenStyle)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" rx="8"/>`+"\n", wide, high)
	for i, line := range s.Lines {
		drawLine(&b, unprintable.ReplaceAllString(line, ""), screenMargin+cellHeight*(float64(i)+0.75))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// drawLine draws the parts of a line that have one style each. Their lengths are given, so that columns
// stay in line whatever the font is.
func drawLine(b *strings.Builder, line string, y float64) {
	var classes []string
	at := 0
	draw := func(part string) {
		columns := terminal.Columns(part)
		if strings.TrimSpace(part) != "" {
			// Spaces at the ends of an element may not be drawn.
			trimmed := strings.TrimLeft(part, " ")
			from, text := at+len(part)-len(trimmed), strings.TrimRight(trimmed, " ")
			class := ""
			if len(classes) > 0 {
				class = fmt.Sprintf(` class="%s"`, strings.Join(classes, " "))
			}
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f"%s xml:space="preserve">%s</text>`+"\n", screenMargin+cellWidth*float64(from), y, cellWidth*float64(terminal.Columns(text)), class, xmlText(text))
		}
		at += columns
	}
	for {
		escape := graphic.FindStringSubmatchIndex(line)
		if escape == nil {
			draw(line)
			return
		}
		draw(line[:escape[0]])
		for code := range strings.SplitSeq(line[escape[2]:escape[3]], ";") {
			classes = withSGR(classes, code)
		}
		line = line[escape[1]:]
	}
}

// withSGR returns the classes of style after a code. Codes that are not known change nothing.
func withSGR(classes []string, code string) []string {
	switch {
	case code == "" || code == "0":
		return nil
	case classesOfSGR[code] != "":
		return append(classes, classesOfSGR[code])
	case len(code) == 2 && (code[0] == '3' || code[0] == '9') && code[1] >= '1' && code[1] <= '6':
		return append(classes, "c"+code[1:])
	}
	return classes
}

// xmlText returns a text as it stands in XML. What XML does not allow is left out or replaced.
func xmlText(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		switch {
		case r < ' ':
			return -1
		case r == 0xFFFE || r == 0xFFFF:
			return unicode.ReplacementChar
		}
		return r
	}, s))
}
