package commandline

import "strings"

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

// isPlain reports whether a character means itself to a shell anywhere in a word.
func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,=+@%", r)
}
