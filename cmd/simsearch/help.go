package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

const (
	unknownWidth  = 80 // of what is no terminal
	leastWidth    = 40 // of help, on any terminal
	usageColumn   = 26 // where the texts of flags begin
	commandColumn = 14
)

// programDescription is what holds for all commands.
const programDescription = `Finds which documents are near a text, and which pairs of a collection are near,
exactly as a comparison of all fingerprints would.

Flags may stand before and after arguments; behind -- all are arguments. Results go to standard
output, and everything else to standard error. The exit status says how it went:

0    something was found, or the work is done
1    nothing was found
2    there was an error, or the usage was wrong
130  the command was interrupted

` + indexVariable + ` gives --index. The file $XDG_CONFIG_HOME/simsearch/config, or ~/.config/simsearch/config,
gives defaults of other flags, too: lines such as

   memory = 2GB
   [near]
   limit = 10

The lines below the name of a command are for that command, those above for all. Lines that
begin with # are comments. The command line comes before the environment, and that before the
file. The settings of an existing index come before those of the file.`

// terminalWidth returns the number of columns of a stream that is a terminal, else unknownWidth.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return max(width, leastWidth)
		}
	}
	return unknownWidth
}

// A helpKind says how much of help is asked for.
type helpKind int

const (
	noHelp helpKind = iota
	shortHelp
	longHelp
)

// help returns which help the flags of a command line ask for.
func (line *commandLine) help() helpKind {
	flags := slices.Clone(line.program[min(1, len(line.program)):])
	for _, f := range line.flags {
		flags = append(flags, f.flag)
	}
	kind := noHelp
	for _, f := range flags {
		switch f {
		case "--help", "-help":
			return longHelp
		case "-h", "--h":
			kind = shortHelp
		}
	}
	return kind
}

// printHelp prints the help of the program, or of a command if there is one.
func (env *environment) printHelp(app *cli.App, command *cli.Command, kind helpKind) error {
	width := env.width
	if width == 0 {
		width = unknownWidth
	}
	var text string
	switch {
	case command == nil:
		text = programHelp(app, kind, width)
	case kind == shortHelp:
		text = commandShortHelp(command, width)
	default:
		text = commandHelp(command, width)
	}
	_, err := io.WriteString(env.stdout, text)
	return err
}

// programHelp returns the help of the program.
func programHelp(app *cli.App, kind helpKind, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", wrapped("simsearch: "+app.Usage, 0, width))
	fmt.Fprintf(&b, "Usage: %s\n", wrapped(app.UsageText, len("Usage: "), width))
	if kind == longHelp {
		b.WriteString("\n" + described(app.Description, width))
	}
	b.WriteString("\nCommands:\n")
	for _, c := range app.Commands {
		fmt.Fprintf(&b, "  %-*s%s\n", commandColumn-2, c.Name, wrapped(c.Usage, commandColumn, width))
	}
	b.WriteString("\n" + wrapped("simsearch COMMAND -h shows the flags of a command that are needed most, simsearch COMMAND --help all of them. simsearch --help says what holds for all commands.", 0, width) + "\n")
	return b.String()
}

// usageLine returns how a command is called.
func usageLine(c *cli.Command) string {
	return strings.TrimSpace("simsearch " + c.Name + " [flags] " + c.ArgsUsage)
}

// commandShortHelp returns the flags of a command that are needed most, in a line each.
func commandShortHelp(c *cli.Command, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", wrapped("simsearch "+c.Name+": "+c.Usage, 0, width))
	fmt.Fprintf(&b, "Usage: %s\n", wrapped(usageLine(c), len("Usage: "), width))
	group := ""
	for _, o := range options(c) {
		if !slices.Contains(essential, o.names[0]) {
			continue
		}
		if o.group != group {
			group = o.group
			fmt.Fprintf(&b, "\n%s:\n", group)
		}
		fmt.Fprintf(&b, "  %-*s%s\n", usageColumn-2, o.spelled(), inOneLine(o.usage, width-usageColumn))
	}
	fmt.Fprintf(&b, "\n%s\n", wrapped("simsearch "+c.Name+" --help describes all flags.", 0, width))
	return b.String()
}

// commandHelp returns all that there is to say of a command.
func commandHelp(c *cli.Command, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", wrapped("simsearch "+c.Name+": "+c.Usage, 0, width))
	fmt.Fprintf(&b, "Usage: %s\n\n", wrapped(usageLine(c), len("Usage: "), width))
	b.WriteString(described(c.Description, width))
	group := ""
	for _, o := range options(c) {
		if o.group != group {
			group = o.group
			fmt.Fprintf(&b, "\n%s:\n", group)
		}
		flags := "  " + o.spelled()
		if len(flags)+2 > usageColumn {
			fmt.Fprintf(&b, "%s\n%*s", flags, usageColumn, "")
		} else {
			fmt.Fprintf(&b, "%-*s", usageColumn, flags)
		}
		b.WriteString(wrapped(o.about(), usageColumn, width) + "\n")
	}
	return b.String()
}

// described returns a description, wrapped.
func described(description string, width int) string {
	var b strings.Builder
	all := blocks(description)
	term := 0 // the width of the longest term that leaves room for a text
	for _, block := range all {
		if n := len([]rune(block.term)); n < usageColumn {
			term = max(term, n)
		}
	}
	for i, block := range all {
		if i > 0 && (block.kind != item || all[i-1].kind != item) {
			b.WriteByte('\n')
		}
		switch block.kind {
		case paragraph:
			b.WriteString(wrapped(block.text, 0, width) + "\n")
		case example:
			b.WriteString(block.text)
		case item:
			if len([]rune(block.term)) > term {
				fmt.Fprintf(&b, "  %s\n%*s%s\n", block.term, term+4, "", wrapped(block.text, term+4, width))
			} else {
				fmt.Fprintf(&b, "  %-*s%s\n", term+2, block.term, wrapped(block.text, term+4, width))
			}
		}
	}
	return b.String()
}
