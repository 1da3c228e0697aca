package commandline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// plainWord is a word that no shell changes.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// Arguments returns the arguments of a command and those of the flags that are given, as another command line has them.
func Arguments(c *cli.Context, flags []cli.Flag) string {
	var words []string
	word := func(s string) string {
		if plainWord.MatchString(s) {
			return s
		}
		return quoted(s)
	}
	for _, f := range flags {
		name := f.Names()[0]
		if !c.IsSet(name) {
			continue
		}
		switch f.(type) {
		case *cli.BoolFlag:
			if c.Bool(name) {
				words = append(words, "--"+name)
			}
		case *cli.StringSliceFlag:
			for _, value := range c.StringSlice(name) {
				words = append(words, "--"+name, word(value))
			}
		default:
			words = append(words, "--"+name, word(c.String(name)))
		}
	}
	if slices.ContainsFunc(c.Args().Slice(), func(s string) bool { return strings.HasPrefix(s, "-") }) {
		words = append(words, "--")
	}
	for _, arg := range c.Args().Slice() {
		words = append(words, word(arg))
	}
	return strings.Join(words, " ")
}
