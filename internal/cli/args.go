package cli

import (
	"slices"
	"strings"
)

// A Line is the arguments of a program as the library wants them: it stops at the first argument of a command, and
// would take the flags behind it for more of them.
type Line struct {
	Args    []string // with the flags of the command before its arguments
	Command *Command // nil if there is none, or if no command has the name
	Help    helpKind // that the flags ask for
}

// parse sorts the arguments args, which begin with the name of the program.
func parse(p *Program, args []string) (line Line) {
	at := 1
	for ; at < len(args) && strings.HasPrefix(args[at], "-"); at++ { // flags of the program itself; none of them takes a value
		line.see(args[at])
	}
	if at < len(args) {
		line.Command = p.Command(args[at])
	}
	if line.Command == nil {
		line.Args = args
		return line
	}
	line.Args = slices.Clone(args[:at+1])
	var arguments []string
	for tail := args[at+1:]; len(tail) > 0; tail = tail[1:] {
		arg := tail[0]
		if arg == "--" {
			arguments = append(arguments, tail[1:]...)
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			arguments = append(arguments, arg)
			continue
		}
		if isAttached(line.Command, arg) {
			line.Args = append(line.Args, arg[:2], arg[2:])
			continue
		}
		line.see(arg)
		line.Args = append(line.Args, arg)
		if takesValue(line.Command, arg) && len(tail) > 1 {
			tail = tail[1:]
			line.Args = append(line.Args, tail[0])
		}
	}
	if len(arguments) > 0 {
		line.Args = append(append(line.Args, "--"), arguments...)
	}
	return line
}

// see takes note of a flag that asks for help.
func (line *Line) see(flag string) {
	switch flag {
	case "--help", "-help":
		line.Help = LongHelp
	case "-h", "--h":
		line.Help = max(line.Help, ShortHelp)
	}
}

// isAttached reports whether arg is such as -k3, where -k is a flag with a value and no flag is called k3.
func isAttached(command *Command, arg string) bool {
	return !strings.HasPrefix(arg, "--") && len(arg) > 2 && arg[2] != '=' && findFlag(command, arg) == nil && takesValue(command, arg[:2])
}

// takesValue reports whether the next argument belongs to the flag arg.
func takesValue(command *Command, arg string) bool {
	f := findFlag(command, arg)
	return f != nil && f.described().Value != "" && !strings.Contains(arg, "=")
}

// findFlag returns the flag that arg names, with its dashes and perhaps a value behind "=", or nil.
func findFlag(command *Command, arg string) AnyFlag {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// Arguments returns the arguments args of a command and those of the flags that are given, as another command line
// has them.
func Arguments(args []string, flags []AnyFlag) string {
	var words []string
	for _, f := range flags {
		words = append(words, f.again()...)
	}
	if slices.ContainsFunc(args, func(s string) bool { return strings.HasPrefix(s, "-") && s != "-" }) {
		words = append(words, "--")
	}
	words = append(words, args...)
	for i, word := range words {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !isPlain(r) }) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// isPlain reports whether a character means itself to a shell anywhere in a word.
func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,=+@%", r)
}
