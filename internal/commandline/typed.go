package commandline

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

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
