package cli

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Markdown returns the pages of a reference: one for the program and one for each command. A page begins with a line
// "# NAME", and no other line of it begins with "# ".
func (p *Program) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n```text\n%s\n```\n\n", p.Name, sentence(p.Usage), p.usageText())
	p.markDescription(&b, p.Description)
	b.WriteString("## Commands\n\n| command | what it does |\n|---|---|\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "| [`%s`](%s.md) | %s |\n", c.Name, c.Name, c.Usage)
	}
	for _, c := range p.Commands {
		p.markCommand(&b, c)
	}
	return b.String()
}

// markCommand writes the page of a command.
func (p *Program) markCommand(b *strings.Builder, c *Command) {
	fmt.Fprintf(b, "\n# %s %s\n\n%s\n\n```text\n%s\n```\n\n", p.Name, c.Name, sentence(c.Usage), p.usageLine(c))
	p.markDescription(b, c.Description)
	b.WriteString("## Flags\n")
	group := ""
	for _, o := range p.Options(c) {
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(b, "\n### %s\n\n| flag | what it does |\n|---|---|\n", group)
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(o.Spelled(), "|", `\|`), marked(o.about()))
	}
}

// markDescription writes a description: paragraphs, lists of terms, and examples as they are.
func (p *Program) markDescription(b *strings.Builder, description string) {
	all := blocks(description, p.Name)
	for i, block := range all {
		last := i == len(all)-1
		switch block.kind {
		case paragraph:
			b.WriteString(marked(block.text) + "\n\n")
		case example:
			language := "text"
			if strings.HasPrefix(strings.TrimSpace(block.text), p.Name+" ") {
				language = "sh"
			}
			fmt.Fprintf(b, "```%s\n", language)
			indent := len(block.text) - len(strings.TrimLeft(block.text, " "))
			for line := range strings.Lines(block.text) {
				b.WriteString(strings.TrimPrefix(line, strings.Repeat(" ", indent)))
			}
			b.WriteString("```\n\n")
		case item:
			fmt.Fprintf(b, "- `%s`: %s\n", block.term, marked(block.text))
			if last || all[i+1].kind != item {
				b.WriteByte('\n')
			}
		}
	}
}

// marked returns text in which nothing is Markdown, and flags stand as code with their values.
func marked(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range flagInText().FindAllStringIndex(text, -1) {
		b.WriteString(markdownEscape.Replace(text[at:m[0]]) + "`" + text[m[0]:m[1]] + "`")
		at = m[1]
	}
	return b.String() + markdownEscape.Replace(text[at:])
}

// flagInText finds flags, and values that cannot be words of a sentence.
var flagInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`--[a-z][a-z-]*(?: (?:[A-Z]+\b|[0-9]+(?:\.[0-9]+)?\b|[a-z]+:[a-z0-9]+\b))?`)
})

var markdownEscape = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "<", "&lt;", "|", `\|`, "~", `\~`)
