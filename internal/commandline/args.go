package commandline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// A Line is the arguments of a program, split into flags of the program, a command, its flags and its
// arguments.
type Line struct {
	program []string // the name of the program, and flags before the command
	name    string   // of the command as given, or ""
	flags   []givenFlag

	Command   *cli.Command // nil if there is none, or if no command has the name
	Arguments []string     // arguments, or all that follows the name if no command has it
}

// A givenFlag is a flag with its dashes, and the value if that is an argument of its own.
type givenFlag struct {
	flag, value string
	hasValue    bool
}

// Parse splits the arguments args, which begin with the name of the program.
func Parse(app *cli.App, args []string) *Line {
	i := 1
	for i < len(args) && strings.HasPrefix(args[i], "-") {
		i++ // flags of the program itself; none of them takes a value
	}
	i = min(i, len(args))
	line := &Line{program: args[:i]}
	if i == len(args) {
		return line
	}
	line.name, line.Command = args[i], app.Command(args[i])
	if line.Command == nil {
		line.Arguments = args[i+1:]
		return line
	}
	for tail := args[i+1:]; len(tail) > 0; {
		arg := tail[0]
		tail = tail[1:]
		switch {
		case arg == "--":
			line.Arguments = append(line.Arguments, tail...)
			return line
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			line.Arguments = append(line.Arguments, arg)
		default:
			f := givenFlag{flag: arg}
			if letter, value, ok := attached(line.Command, arg); ok {
				f = givenFlag{letter, value, true}
			} else if takesValue(line.Command, arg) && len(tail) > 0 {
				f.value, f.hasValue = tail[0], true
				tail = tail[1:]
			}
			line.flags = append(line.flags, f)
		}
	}
	return line
}

// Args returns the arguments with the flags of the command before its arguments, since the library
// stops at the first argument and would take the flags behind it for more of them.
func (line *Line) Args() []string {
	out := slices.Clone(line.program)
	if line.name != "" {
		out = append(out, line.name)
	}
	if line.Command == nil {
		return append(out, line.Arguments...)
	}
	for _, f := range line.flags {
		out = append(out, f.flag)
		if f.hasValue {
			out = append(out, f.value)
		}
	}
	if len(line.Arguments) > 0 {
		out = append(append(out, "--"), line.Arguments...)
	}
	return out
}

// FlagNames returns the first name of each flag that is given to the command, "" for a flag that the
// command does not have.
func (line *Line) FlagNames() []string {
	var names []string
	for _, given := range line.flags {
		name := ""
		if f := findFlag(line.Command, given.flag); f != nil {
			name = f.Names()[0]
		}
		names = append(names, name)
	}
	return names
}

// Once returns an error if a flag is given several times with different values. The library takes the last
// of them.
func (line *Line) Once(name string) error {
	first, given := "", false
	for _, g := range line.flags {
		f := findFlag(line.Command, g.flag)
		if f == nil || f.Names()[0] != name {
			continue
		}
		value := g.value
		if _, behind, ok := strings.Cut(g.flag, "="); ok && !g.hasValue {
			value = behind
		}
		if given && value != first {
			return fmt.Errorf("--%s is given twice, with %s and with %s: want one", name, first, value)
		}
		first, given = value, true
	}
	return nil
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
	f, ok := findFlag(command, arg).(AnyFlag)
	return ok && f.described().Value != ""
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

// Arguments returns the arguments args of a command and those of the flags that are given, as another command line has them.
func Arguments(args []string, flags []cli.Flag) string {
	var words []string
	for _, f := range flags {
		words = append(words, f.(AnyFlag).again()...)
	}
	if slices.ContainsFunc(args, func(s string) bool { return strings.HasPrefix(s, "-") }) {
		words = append(words, "--")
	}
	return Typed(append(words, args...))
}

// Typed returns a command line as a shell reads it.
func Typed(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if arg == "" || strings.ContainsFunc(arg, func(r rune) bool { return !isPlain(r) }) {
			words[i] = quoted(arg)
		}
	}
	return strings.Join(words, " ")
}

// Without returns arguments, which follow the name of a command, without the flags that have one of the names. The others
// stay as they are.
func Without(command *cli.Command, args []string, names ...string) (left []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(left, args[i:]...)
		}
		is := []string{arg}
		if strings.HasPrefix(arg, "-") && arg != "-" {
			if letter, _, ok := attached(command, arg); ok {
				arg = letter
			} else if takesValue(command, arg) && i+1 < len(args) {
				i++
				is = append(is, args[i])
			}
			if f := findFlag(command, arg); f != nil && slices.Contains(names, f.Names()[0]) {
				continue
			}
		}
		left = append(left, is...)
	}
	return left
}

// isPlain reports whether a character means itself to a shell anywhere in a word.
func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,=+@%", r)
}
