package commandline

import (
	"fmt"
	"strings"
)

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
