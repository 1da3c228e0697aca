package show

import (
	"strings"

	"simsearch/internal/terminal"
)

// A Style says how differences are printed.
type Style struct {
	Colours bool // red and green on a terminal, beside the marks
	Columns int  // of the terminal; 0: lines are as long as they come
	Indent  string
}

// Lines returns the lines that show differences, without line ends: a passage for each change or for some
// that are near one another, a line if there are more changes, and the remarks.
func (d Differences) Lines(s Style) []string {
	var lines []string
	for i := 0; i < len(d.Changes); {
		var p passage
		p.add(d.Changes[i].Before, plain, d.Changes[i].spaceBefore)
		for ; ; i++ {
			c := d.Changes[i]
			if c.A != "" {
				p.add("[-"+c.A+"-]", deleted, c.B != "" && c.spaceBetween || c.B == "" && c.spaceAfter)
			}
			if c.B != "" {
				p.add("{+"+c.B+"+}", inserted, c.spaceAfter)
			}
			if !c.joined {
				p.add(c.After, plain, false)
				i++
				break
			}
			p.add(c.between, plain, d.Changes[i+1].spaceBefore)
		}
		lines = append(lines, p.lines(s)...)
	}
	switch {
	case d.More > 0 && len(d.Changes) > 0:
		lines = append(lines, s.Indent+"… and "+terminal.Plural(d.More, "more difference"))
	case d.More > 0:
		lines = append(lines, s.Indent+terminal.Plural(d.More, "difference"))
	}
	for _, r := range d.Remarks {
		lines = append(lines, s.Remark(r))
	}
	return lines
}

// Titles returns the lines of the titles of A and B, or one line if they have the same. Titles may be "".
func (s Style) Titles(a, b string) []string {
	switch {
	case a == b && a == "":
		return nil
	case a == b:
		return []string{s.Indent + a}
	}
	var lines []string
	if a != "" {
		lines = append(lines, s.Indent+s.coloured(terminal.Red, "- "+a))
	}
	if b != "" {
		lines = append(lines, s.Indent+s.coloured(terminal.Green, "+ "+b))
	}
	return lines
}

// Failure returns the line that stands where differences would be, if they cannot be shown.
func (s Style) Failure(err error) string { return s.Remark("not shown: " + Reason(err)) }

// Reason returns the text of an error in one line.
func Reason(err error) string { return clean(strings.ReplaceAll(err.Error(), "\n", "; ")) }

// coloured returns a text in a colour, if there are colours.
func (s Style) coloured(colour, text string) string {
	if !s.Colours {
		return text
	}
	return colour + text + terminal.Normal
}

// Remark returns the line of a remark.
func (s Style) Remark(text string) string {
	return s.Indent + s.coloured(terminal.Bold, text)
}

// A tone is how a piece of a passage looks.
type tone uint8

const (
	plain tone = iota
	deleted
	inserted
)

var colours = [...]string{deleted: terminal.Red, inserted: terminal.Green}

// A passage is a line of text in pieces without spaces.
type passage []piece

type piece struct {
	text  string
	tone  tone
	space bool // behind it
}

// add appends a text in one tone; space says whether there is a space behind it.
func (p *passage) add(text string, t tone, space bool) {
	words := strings.Split(text, " ")
	for i, w := range words {
		if w != "" {
			*p = append(*p, piece{w, t, i < len(words)-1 || space})
		}
	}
}

// lines returns the passage in lines that fit the style.
func (p passage) lines(s Style) []string {
	var out []string
	line, used := strings.Builder{}, 0
	now := plain
	colour := func(t tone) {
		if t == now || !s.Colours {
			return
		}
		if now != plain {
			line.WriteString(terminal.Normal)
		}
		line.WriteString(colours[t])
		now = t
	}
	end := func() {
		colour(plain)
		out = append(out, s.Indent+line.String())
		line.Reset()
		used = 0
	}
	for i := 0; i < len(p); {
		// What has no space between stays together, if it fits a line.
		last, width := i, terminal.Columns(p[i].text)
		for ; last+1 < len(p) && !p[last].space; last++ {
			width += terminal.Columns(p[last+1].text)
		}
		room := s.Columns - len(s.Indent)
		space := i > 0 && p[i-1].space && used > 0
		if s.Columns > 0 && used > 0 && used+1+width > room {
			end()
			space = false
		}
		for ; i <= last; i++ {
			if space {
				if p[i].tone != now {
					colour(plain)
				}
				line.WriteByte(' ')
				used++
				space = false
			}
			colour(p[i].tone)
			line.WriteString(p[i].text)
			used += terminal.Columns(p[i].text)
		}
	}
	if used > 0 {
		end()
	}
	return out
}
