package commandline

import (
	"testing"

	"github.com/urfave/cli/v2"
)

// A command line is written again as a shell reads it, with the flags that are asked for.
func TestArguments(t *testing.T) {
	for want, args := range map[string][]string{
		"a.jsonl b/c": {"--other", "x", "a.jsonl", "b/c"},
		"--format text --include '*.md' --include x --hidden 'it'\\''s mine' 'a b'": {"--include", "*.md", "--hidden", "--include", "x", "--format", "text", "it's mine", "a b"},
		"-- -x": {"--", "-x"}, "- '' '*'": {"-", "", "*"},
	} {
		got := "nothing"
		flags := []cli.Flag{new(Flag[string]).As("format", "").Or("auto"), new(Flag[[]string]).As("include", ""), new(Flag[bool]).As("hidden", "")}
		app := &cli.App{Flags: append(flags[:3:3], new(Flag[string]).As("other", "")), Action: func(c *cli.Context) error {
			got = Arguments(c.Args().Slice(), flags)
			return nil
		}}
		if err := app.Run(append([]string{"program"}, args...)); err != nil || got != want {
			t.Errorf("%s, want %s; %v", got, want, err)
		}
	}
}
