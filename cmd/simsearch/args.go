package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// A commandLine is the arguments of the program, parted.
type commandLine struct {
	program []string // the name of the program, and flags before the command
	name    string   // of the command as given, or ""
	command *cli.Command
	flags   []givenFlag
	rest    []string // arguments, or all that follows the name if no command has it
}

// A givenFlag is a flag with its dashes, and the value if that is an argument of its own.
type givenFlag struct {
	flag, value string
	hasValue    bool
}

// parseArgs parts the arguments args, which begin with the name of the program.
func parseArgs(app *cli.App, args []string) *commandLine {
	i := 1
	for i < len(args) && strings.HasPrefix(args[i], "-") {
		i++ // flags of the program itself; none of them takes a value
	}
	i = min(i, len(args))
	line := &commandLine{program: args[:i]}
	if i == len(args) {
		return line
	}
	line.name, line.command = args[i], app.Command(args[i])
	if line.command == nil {
		line.rest = args[i+1:]
		return line
	}
	for tail := args[i+1:]; len(tail) > 0; {
		arg := tail[0]
		tail = tail[1:]
		switch {
		case arg == "--":
			line.rest = append(line.rest, tail...)
			return line
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			line.rest = append(line.rest, arg)
		default:
			f := givenFlag{flag: arg}
			if letter, value, ok := attached(line.command, arg); ok {
				f = givenFlag{letter, value, true}
			} else if takesValue(line.command, arg) && len(tail) > 0 {
				f.value, f.hasValue = tail[0], true
				tail = tail[1:]
			}
			line.flags = append(line.flags, f)
		}
	}
	return line
}

// args returns the arguments with the flags of the command before its arguments, since the library
// stops at the first argument and would take the flags behind it for more of them.
func (line *commandLine) args() []string {
	out := slices.Clone(line.program)
	if line.name != "" {
		out = append(out, line.name)
	}
	if line.command == nil {
		return append(out, line.rest...)
	}
	for _, f := range line.flags {
		out = append(out, f.flag)
		if f.hasValue {
			out = append(out, f.value)
		}
	}
	if len(line.rest) > 0 {
		out = append(append(out, "--"), line.rest...)
	}
	return out
}

// attached splits -k3 into -k and 3, if -k is a flag with a value and no flag is called k3.
func attached(command *cli.Command, arg string) (letter, value string, ok bool) {
	if strings.HasPrefix(arg, "--") || len(arg) < 3 || arg[2] == '=' || findFlag(command, arg) != nil {
		return "", "", false
	}
	return arg[:2], arg[2:], takesValue(command, arg[:2])
}

// takesValue reports whether the next argument belongs to the flag arg.
func takesValue(command *cli.Command, arg string) bool {
	if strings.Contains(arg, "=") {
		return false
	}
	f, ok := findFlag(command, arg).(cli.DocGenerationFlag)
	return ok && f.TakesValue()
}

// findFlag returns the flag that arg names, with its dashes and perhaps a value behind "=", or nil.
func findFlag(command *cli.Command, arg string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}
