package cli

import (
	"cmp"
	"fmt"
	"simsearch/internal/ground/terminal"
	"slices"
	"strings"
)

// Widths in columns.
const (
	UnknownWidth = 80 // of what is no terminal
	LeastWidth   = 40 // of help, on any terminal
)

const (
	usageColumn   = 26 // where the texts of flags begin
	commandColumn = 16
)

// A helpKind says how much of help is asked for.
type helpKind int

// Kinds of help.
const (
	noHelp    helpKind = iota
	ShortHelp          // the flags needed most, in a clause each
	LongHelp           // all
)

// Help returns the help of the program, or of a command if it is not nil. What it says of flags is in lines of at most
// width columns, but of LeastWidth at least. Descriptions stand as they are. 0 columns are UnknownWidth.
func (p *Program) Help(command *Command, kind helpKind, width int) string {
	width = max(cmp.Or(width, UnknownWidth), LeastWidth)
	switch {
	case command == nil:
		return p.programHelp(kind, width)
	case command.Name == p.Topic.Name:
		return p.topicHelp(width)
	}
	return p.commandHelp(command, kind, width)
}

// programHelp returns the help of the program.
func (p *Program) programHelp(kind helpKind, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", terminal.Wrapped(p.Name+": "+p.Usage, 0, width))
	fmt.Fprintf(&b, "Usage: %s\n", terminal.Wrapped(p.Name+" COMMAND [flags] [arguments]", len("Usage: "), width))
	if kind == LongHelp {
		b.WriteString("\n" + p.Description + "\n")
	}
	b.WriteString("\nCommands:\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "  %-*s%s\n", commandColumn-2, c.Name, terminal.Wrapped(c.Usage, commandColumn, width))
	}
	more := fmt.Sprintf("%[1]s COMMAND -h shows the flags of a command that are needed most, %[1]s COMMAND --help all of them. %[1]s help "+
		"%[2]s describes the flags of inputs, and %[1]s --help what holds for all commands.", p.Name, p.Topic.Name)
	fmt.Fprintf(&b, "\n%s\n", terminal.Wrapped(more, 0, width))
	return b.String()
}

// commandHelp returns the flags of a command that are needed most, in a clause each, or all that there is to say of it.
func (p *Program) commandHelp(c *Command, kind helpKind, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", terminal.Wrapped(p.Name+" "+c.Name+": "+c.Usage, 0, width))
	usage := strings.TrimSpace(p.Name + " " + c.Name + " [flags] " + c.ArgsUsage)
	fmt.Fprintf(&b, "Usage: %s\n", terminal.Wrapped(usage, len("Usage: "), width))
	if kind == LongHelp {
		b.WriteString("\n" + c.Description + "\n")
	}
	group := ""
	for _, o := range p.Options(c) {
		text, shared := o.about(), o.Group == p.Topic.Flags[0].described().Group
		if kind == ShortHelp {
			text = o.brief()
			if !shared && !slices.Contains(p.Essential, o.Names[0]) && !slices.Contains(p.Essential, c.Name+" --"+o.Names[0]) {
				continue
			}
		}
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(&b, "\n%s:\n", group)
			if shared {
				fmt.Fprintf(&b, "  %s\n", terminal.Wrapped(p.aboutTopic(kind), 2, width))
			}
		}
		if !shared {
			writeOption(&b, o, text, width)
		}
	}
	if kind == ShortHelp {
		fmt.Fprintf(&b, "\n%s\n", terminal.Wrapped(p.Name+" "+c.Name+" --help describes all flags.", 0, width))
	}
	return b.String()
}

// aboutTopic returns what the help of a command says in place of the flags that Topic describes.
func (p *Program) aboutTopic(kind helpKind) string {
	if kind == ShortHelp {
		return fmt.Sprintf("%s: %s help %s", p.Topic.Usage, p.Name, p.Topic.Name)
	}
	var names []string
	for _, f := range p.Topic.Flags {
		names = append(names, "--"+f.Names()[0])
	}
	return fmt.Sprintf("%s; %s help %s describes them", strings.Join(names, ", "), p.Name, p.Topic.Name)
}

// topicHelp returns the help of the flags that Topic describes.
func (p *Program) topicHelp(width int) string {
	var b strings.Builder
	head := p.Name + " help " + p.Topic.Name + ": " + p.Topic.Usage
	fmt.Fprintf(&b, "%s\n\n%s\n\n", terminal.Wrapped(head, 0, width), p.Topic.Description)
	for _, f := range p.Topic.Flags {
		o := p.option(*f.described())
		writeOption(&b, o, o.about(), width)
	}
	return b.String()
}

// writeOption writes the names of an option, and a text about it in the column of texts.
func writeOption(b *strings.Builder, o Option, text string, width int) {
	flags := fmt.Sprintf("  %-*s", usageColumn-2, o.Spelled())
	if len(flags) > usageColumn || !strings.HasSuffix(flags, "  ") {
		flags = fmt.Sprintf("  %s\n%*s", o.Spelled(), usageColumn, "")
	}
	b.WriteString(flags + terminal.Wrapped(text, usageColumn, width) + "\n")
}

// manWidth is the width of the manual page.
const manWidth = 72

// ManPage returns the manual page in the macros of man(7): what help says of the program, of each command and of Topic.
func (p *Program) ManPage() string {
	var b strings.Builder
	section := func(macro, title, text string) {
		fmt.Fprintf(&b, "%s \"%s\"\n.nf\n", macro, roff(title))
		for line := range strings.Lines(text) {
			b.WriteString(roff(line))
		}
		b.WriteString(".fi\n")
	}
	fmt.Fprintf(&b, ".\\\" Made by: %s man\n.TH %s 1 \"\" \"%s\" \"User Commands\"\n.nh\n.ad l\n", p.Name, strings.ToUpper(p.Name), roff(p.Name+" "+p.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(p.Name), roff(p.Usage))
	section(".SH", "DESCRIPTION", p.Help(nil, LongHelp, manWidth))
	b.WriteString(".SH COMMANDS\n")
	for _, c := range p.Commands {
		section(".SS", p.Name+" "+c.Name, p.Help(c, LongHelp, manWidth))
	}
	section(".SH", strings.ToUpper(p.Topic.Name), p.Help(p.Topic, LongHelp, manWidth))
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

// roffEscape keeps roff from reading backslashes and quotes of arguments, and from changing dashes and accents.
var roffEscape = strings.NewReplacer(`\`, `\e`, `"`, `\(dq`, "-", `\-`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`)
