package commandline

import (
	"fmt"
	"strings"
)

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
