package commandline

import (
	"fmt"
	"strings"
)

// ManPage returns the manual page in the macros of man(7).
func (p *Program) ManPage() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".\\\" Made by: %s man\n.TH %s 1 \"\" %s \"User Commands\"\n.nh\n.ad l\n",
		p.Name, strings.ToUpper(p.Name), roffArgument(p.Name+" "+p.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(p.Name), roff(p.Usage))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n", roff(p.UsageText))
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "%s\n", roff(p.usageLine(c)))
	}
	b.WriteString(".fi\n.SH DESCRIPTION\n")
	b.WriteString(p.roffBlocks(p.Description))
	b.WriteString(".SH COMMANDS\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, ".SS %s\n.P\n%s\n", roffArgument(p.usageLine(c)), roff(sentence(c.Usage)))
		b.WriteString(p.roffBlocks(c.Description))
		group := ""
		for _, o := range p.Options(c) {
			if o.Group != group {
				group = o.Group
				fmt.Fprintf(&b, ".P\n.I %s\n", roff(group))
			}
			flags := strings.TrimSuffix(o.Spelled(), " "+o.Value)
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR", roff(flags))
			if o.Value != "" {
				fmt.Fprintf(&b, " \\fI%s\\fR", roff(o.Value))
			}
			fmt.Fprintf(&b, "\n%s\n", roff(sentence(o.about())))
		}
	}
	return b.String()
}

// sentence returns text with a capital and a full stop.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// roffBlocks returns a description.
func (p *Program) roffBlocks(description string) string {
	var b strings.Builder
	for _, block := range blocks(description, p.Name) {
		switch block.kind {
		case paragraph:
			fmt.Fprintf(&b, ".P\n%s\n", roff(block.text))
		case example:
			b.WriteString(".P\n.nf\n")
			for line := range strings.Lines(block.text) {
				b.WriteString(roff(line))
			}
			b.WriteString(".fi\n")
		case item:
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", roff(block.term), roff(block.text))
		}
	}
	return b.String()
}

// roff returns a line of text in which nothing is a request or an escape.
func roff(text string) string {
	text = roffEscape.Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// roffArgument returns text as one argument of a macro.
func roffArgument(text string) string {
	return `"` + strings.ReplaceAll(roffEscape.Replace(text), `"`, `\(dq`) + `"`
}

// roffEscape keeps roff from reading backslashes and from changing dashes and accents.
var roffEscape = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`)
