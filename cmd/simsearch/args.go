package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// reorder moves the flags of a command before its arguments. The library stops at the first
// argument and would take later flags for arguments. Everything after "--" is an argument.
func reorder(app *cli.App, args []string) []string {
	i := 1
	for i < len(args) && strings.HasPrefix(args[i], "-") {
		i++ // flags of the program itself; none of them takes a value
	}
	if i >= len(args) {
		return args
	}
	command := app.Command(args[i])
	if command == nil || slices.Contains(args, "--generate-bash-completion") {
		return args
	}
	var flags, rest []string
	for tail := args[i+1:]; len(tail) > 0; {
		arg := tail[0]
		tail = tail[1:]
		switch {
		case arg == "--":
			rest = append(rest, tail...)
			tail = nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			rest = append(rest, arg)
		default:
			flags = append(flags, arg)
			if takesValue(command, arg) && len(tail) > 0 {
				flags = append(flags, tail[0])
				tail = tail[1:]
			}
		}
	}
	out := append(slices.Clone(args[:i+1]), flags...)
	if len(rest) > 0 {
		out = append(append(out, "--"), rest...)
	}
	return out
}

// takesValue reports whether the argument after the flag arg is the value of arg.
func takesValue(command *cli.Command, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool
		}
	}
	return false
}
