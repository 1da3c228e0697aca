package commandline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// shells are those that Completion has scripts for.
var shells = []struct {
	name   string
	script func(*Program) string
}{{"bash", (*Program).bashCompletion}, {"zsh", (*Program).zshCompletion}, {"fish", (*Program).fishCompletion}}

// Shells returns the names of the shells that Completion knows.
func Shells() []string {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

// Completion returns the script that completes commands, flags and values in a shell, one of Shells.
func (p *Program) Completion(shell string) (string, error) {
	for _, s := range shells {
		if s.name == shell {
			return s.script(p), nil
		}
	}
	return "", fmt.Errorf("no completion for %q: want one of %s", shell, strings.Join(Shells(), ", "))
}

// named returns a script with the name of the program in the place of PROGRAM_NAME, which no description
// contains.
func (p *Program) named(script string) string {
	return strings.ReplaceAll(script, "PROGRAM_NAME", p.Name)
}

// A completed says what stands for a value or an argument.
type completed struct {
	words              []string // one of these, if there are any
	files, directories bool
}

// completedValue returns what stands for the value of an option.
func completedValue(o Option) completed {
	return completed{words: o.Values, files: strings.HasPrefix(o.Value, "FILE"), directories: o.Value == "DIR"}
}

// completedArguments returns what stands for the arguments of a command: words, if its usage lists
// them, or else files, if it takes any.
func completedArguments(c *cli.Command) completed {
	words := strings.Split(c.ArgsUsage, "|")
	if len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !oneWord.MatchString(w) }) {
		return completed{words: words}
	}
	return completed{files: c.ArgsUsage != ""}
}

// dashed returns the names of an option with dashes. A letter has both one and two.
func (o Option) dashed() []string {
	var out []string
	for _, name := range o.Names {
		if len(name) == 1 {
			out = append(out, "-"+name)
		}
		if len(name) > 1 || o.Value != "" {
			out = append(out, "--"+name)
		}
	}
	return out
}

// commandNames returns the names of all commands, and help.
func (p *Program) commandNames() []string {
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	return append(names, "help")
}

// helpUsage describes the word help, which is no command of the library's.
const helpUsage = "show the flags of a command"

// valued returns all options with a value, those of one name once.
func (p *Program) valued() []Option {
	var out []Option
	for _, c := range p.Commands {
		for _, o := range p.Options(c) {
			if o.Value != "" && !p.hasOwnMeaning(c, o.Names[0]) && !slices.ContainsFunc(out, func(other Option) bool { return other.Names[0] == o.Names[0] }) {
				out = append(out, o)
			}
		}
	}
	return out
}

// hasOwnMeaning reports whether a flag means something else in other commands.
func (p *Program) hasOwnMeaning(c *cli.Command, flag string) bool {
	return slices.Contains(p.OwnMeaning, c.Name+" --"+flag)
}

// bashCompletion returns a script for bash 3.2 and later.
func (p *Program) bashCompletion() string {
	var b strings.Builder
	b.WriteString(`# Completion of PROGRAM_NAME for bash. Made by: PROGRAM_NAME completion bash

_PROGRAM_NAME_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }

_PROGRAM_NAME_paths() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$1" -- "$cur"))
}

_PROGRAM_NAME() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} word
    COMPREPLY=()
    if [[ $COMP_CWORD -le 1 ]]; then
`)
	fmt.Fprintf(&b, "        _PROGRAM_NAME_words %s\n        return\n    fi\n", quoted(strings.Join(p.commandNames(), " ")+" --help --version"))
	b.WriteString(`    # bash makes three words of --flag=value.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $word == -- ]]; then
            _PROGRAM_NAME_paths -f
            return
        fi
    done
    case $command:$prev in
`)
	for _, c := range p.Commands {
		for _, o := range p.Options(c) {
			if p.hasOwnMeaning(c, o.Names[0]) && o.Value != "" {
				fmt.Fprintf(&b, "    %s:%s) %s return ;;\n", c.Name, strings.Join(o.dashed(), "|"+c.Name+":"), bashReply(completedValue(o)))
			}
		}
	}
	b.WriteString("    esac\n    case $prev in\n")
	for _, o := range p.valued() {
		fmt.Fprintf(&b, "    %s) %s return ;;\n", strings.Join(o.dashed(), "|"), bashReply(completedValue(o)))
	}
	b.WriteString("    esac\n    case $command in\n")
	for _, c := range p.Commands {
		var flags []string
		for _, o := range p.Options(c) {
			flags = append(flags, o.dashed()...)
		}
		fmt.Fprintf(&b, "    %s)\n        if [[ $cur == -* ]]; then\n            _PROGRAM_NAME_words %s\n", c.Name, quoted(strings.Join(flags, " ")))
		if reply := bashReply(completedArguments(c)); reply != "" {
			fmt.Fprintf(&b, "        else\n            %s\n", strings.TrimSuffix(reply, ";"))
		}
		b.WriteString("        fi ;;\n")
	}
	fmt.Fprintf(&b, "    help) _PROGRAM_NAME_words %s ;;\n    esac\n}\n\ncomplete -F _PROGRAM_NAME PROGRAM_NAME\n", quoted(strings.Join(p.commandNames(), " ")))
	return p.named(b.String())
}

// bashReply returns the command that gives the completions, with a semicolon behind it, or "".
func bashReply(c completed) string {
	switch {
	case len(c.words) > 0:
		return "_PROGRAM_NAME_words " + quoted(strings.Join(c.words, " ")) + ";"
	case c.directories:
		return "_PROGRAM_NAME_paths -d;"
	case c.files:
		return "_PROGRAM_NAME_paths -f;"
	}
	return ""
}

// quoted returns s as one word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

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

// zshCompletion returns a script that zsh loads as a function named after the program, or that is sourced.
func (p *Program) zshCompletion() string {
	var b strings.Builder
	b.WriteString(`#compdef PROGRAM_NAME
# Completion of PROGRAM_NAME for zsh. Made by: PROGRAM_NAME completion zsh

_PROGRAM_NAME() {
    local -a commands
    commands=(
`)
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "        %s\n", quoted(c.Name+":"+c.Usage))
	}
	fmt.Fprintf(&b, "        %s\n", quoted("help:"+helpUsage))
	b.WriteString(`    )
    if (( CURRENT == 2 )); then
        if [[ $words[2] == -* ]]; then
            compadd -- --help --version
        else
            _describe command commands
        fi
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
`)
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "    %s)\n        _arguments -S", c.Name)
		for _, o := range p.Options(c) {
			fmt.Fprintf(&b, " \\\n            %s", zshSpec(o))
		}
		if action := zshAction(completedArguments(c)); action != "" {
			fmt.Fprintf(&b, " \\\n            %s", quoted("*:argument:"+action))
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString(`    help) _describe command commands ;;
    esac
}

if [[ $funcstack[1] == _PROGRAM_NAME ]]; then
    _PROGRAM_NAME "$@"
else
    compdef _PROGRAM_NAME PROGRAM_NAME
fi
`)
	return p.named(b.String())
}

// zshSpec returns what the function _arguments of zsh wants to know of an option.
func zshSpec(o Option) string {
	var names []string
	for _, name := range o.dashed() {
		switch {
		case o.Value == "":
		case strings.HasPrefix(name, "--"):
			name += "=" // the value is behind it, or the next word
		default:
			name += "+"
		}
		names = append(names, name)
	}
	spec := "[" + zshEscape.Replace(inOneLine(o.Usage, 100)) + "]"
	if o.Value != "" {
		spec += ":" + zshEscape.Replace(o.Value) + ":" + zshAction(completedValue(o))
	}
	exclude := quoted("(" + strings.Join(o.dashed(), " ") + ")")
	if o.Repeated {
		exclude = quoted("*")
	}
	if len(names) == 1 {
		return exclude + names[0] + quoted(spec)
	}
	return exclude + "{" + strings.Join(names, ",") + "}" + quoted(spec)
}

// zshAction returns how zsh finds values.
func zshAction(c completed) string {
	switch {
	case len(c.words) > 0:
		return "(" + zshEscape.Replace(strings.Join(c.words, " ")) + ")"
	case c.directories:
		return "_files -/"
	case c.files:
		return "_files"
	}
	return ""
}

// zshEscape escapes the characters that divide a specification.
var zshEscape = strings.NewReplacer(`\`, `\\`, `:`, `\:`, `[`, `\[`, `]`, `\]`)
