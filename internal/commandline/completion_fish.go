package commandline

import (
	"fmt"
	"strings"
)

// fishCompletion returns a script for fish 3 and later.
func (p *Program) fishCompletion() string {
	var b strings.Builder
	b.WriteString(`# Completion of PROGRAM_NAME for fish. Made by: PROGRAM_NAME completion fish

function __PROGRAM_NAME_no_command
    test (count (commandline -opc)) -eq 1
end

function __PROGRAM_NAME_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end

complete -c PROGRAM_NAME -f
complete -c PROGRAM_NAME -n __PROGRAM_NAME_no_command -l help -d 'describe the commands'
complete -c PROGRAM_NAME -n __PROGRAM_NAME_no_command -l version -d 'print the version'
`)
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "complete -c PROGRAM_NAME -n __PROGRAM_NAME_no_command -a %s -d %s\n", c.Name, fishQuoted(c.Usage))
	}
	fmt.Fprintf(&b, "complete -c PROGRAM_NAME -n __PROGRAM_NAME_no_command -a help -d %s\n", fishQuoted(helpUsage))
	fmt.Fprintf(&b, "complete -c PROGRAM_NAME -n '__PROGRAM_NAME_command help' -a %s\n", fishQuoted(strings.Join(p.commandNames(), " ")))
	for _, c := range p.Commands {
		when := fmt.Sprintf("complete -c PROGRAM_NAME -n '__PROGRAM_NAME_command %s'", c.Name)
		for _, o := range p.Options(c) {
			b.WriteString(when)
			for _, name := range o.dashed() {
				if letter, ok := strings.CutPrefix(name, "--"); ok {
					fmt.Fprintf(&b, " -l %s", letter)
				} else {
					fmt.Fprintf(&b, " -s %s", name[1:])
				}
			}
			if o.Value != "" {
				b.WriteString(fishValue(completedValue(o)))
			}
			fmt.Fprintf(&b, " -d %s\n", fishQuoted(inOneLine(o.Usage, 100)))
		}
		if arguments := completedArguments(c); len(arguments.words) > 0 {
			fmt.Fprintf(&b, "%s -a %s\n", when, fishQuoted(strings.Join(arguments.words, " ")))
		} else if arguments.files {
			fmt.Fprintf(&b, "%s -F\n", when)
		}
	}
	return p.named(b.String())
}

// fishValue returns how fish finds the value that a flag needs.
func fishValue(c completed) string {
	switch {
	case len(c.words) > 0:
		return " -x -a " + fishQuoted(strings.Join(c.words, " "))
	case c.directories:
		return " -x -a '(__fish_complete_directories)'"
	case c.files:
		return " -r -F"
	}
	return " -x"
}

// fishQuoted returns s as one word of fish.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
