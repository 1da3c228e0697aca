package explain

import (
	"strings"

	"simsearch/internal/ground/terminal"
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
	for _, passage := range d.passages {
		lines = append(lines, s.wrapped(passage)...)
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
	if a == b && a != "" {
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
func Reason(err error) string { return terminal.OneLine(strings.ReplaceAll(err.Error(), "\n", "; ")) }

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

// wrapped returns a passage in lines that fit the style.
func (s Style) wrapped(passage string) (lines []string) {
	line, used := "", 0
	for word := range strings.FieldsSeq(passage) {
		columns := terminal.Columns(unsigned.Replace(word))
		if s.Columns > 0 && used > 0 && used+1+columns > s.Columns-len(s.Indent) {
			lines = append(lines, line)
			line, used = "", 0
		}
		if used > 0 {
			line += " "
			used++
		}
		line += word
		used += columns
	}
	if used > 0 {
		lines = append(lines, line)
	}
	tone := plain // at the beginning of a line
	for i, line := range lines {
		line = strings.TrimPrefix(tone, plain) + line
		if last := strings.LastIndexAny(line, plain+deleted+inserted); last >= 0 {
			tone = line[last : last+1]
		}
		if tone != plain {
			line += plain
		}
		if s.Colours {
			line = colours.Replace(line)
		}
		lines[i] = s.Indent + unsigned.Replace(line)
	}
	return lines
}

var (
	unsigned = strings.NewReplacer(plain, "", deleted, "", inserted, "")
	colours  = strings.NewReplacer(plain, terminal.Normal, deleted, terminal.Red, inserted, terminal.Green)
)
