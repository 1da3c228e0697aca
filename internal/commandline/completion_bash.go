package commandline

import (
	"fmt"
	"strings"
)

// bashCompletion returns a script for bash 3.2 and later.
func (p *Program) bashCompletion() string {
	var b strings.Builder
	b.WriteString(`# Completion of simsearch for bash. Made by: simsearch completion bash

_simsearch_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }

_simsearch_paths() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$1" -- "$cur"))
}

_simsearch() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} word
    COMPREPLY=()
    if [[ $COMP_CWORD -le 1 ]]; then
`)
	fmt.Fprintf(&b, "        _simsearch_words %s\n        return\n    fi\n", quoted(strings.Join(p.commandNames(), " ")+" --help --version"))
	b.WriteString(`    # bash makes three words of --flag=value.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $word == -- ]]; then
            _simsearch_paths -f
            return
        fi
    done
    case $prev in
`)
	for _, o := range p.valued() {
		fmt.Fprintf(&b, "    %s) %s return ;;\n", strings.Join(o.dashed(), "|"), bashReply(completedValue(o)))
	}
	b.WriteString("    esac\n    case $command in\n")
	for _, c := range p.Commands {
		var flags []string
		for _, o := range p.Options(c) {
			flags = append(flags, o.dashed()...)
		}
		fmt.Fprintf(&b, "    %s)\n        if [[ $cur == -* ]]; then\n            _simsearch_words %s\n", c.Name, quoted(strings.Join(flags, " ")))
		if reply := bashReply(completedArguments(c)); reply != "" {
			fmt.Fprintf(&b, "        else\n            %s\n", strings.TrimSuffix(reply, ";"))
		}
		b.WriteString("        fi ;;\n")
	}
	fmt.Fprintf(&b, "    help) _simsearch_words %s ;;\n    esac\n}\n\ncomplete -F _simsearch simsearch\n", quoted(strings.Join(p.commandNames(), " ")))
	return b.String()
}

// bashReply returns the command that gives the completions, with a semicolon behind it, or "".
func bashReply(c completed) string {
	switch {
	case len(c.words) > 0:
		return "_simsearch_words " + quoted(strings.Join(c.words, " ")) + ";"
	case c.directories:
		return "_simsearch_paths -d;"
	case c.files:
		return "_simsearch_paths -f;"
	}
	return ""
}

// quoted returns s as one word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
