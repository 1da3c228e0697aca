package commandline

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

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
