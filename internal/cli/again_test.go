package cli

import (
	"context"
	"testing"
)

// A command line is written again as a shell reads it, with the flags that are asked for.
func TestArguments(t *testing.T) {
	for want, args := range map[string][]string{
		"a.jsonl b/c": {"--other", "x", "a.jsonl", "b/c"},
		"--format text --include '*.md' --include x --hidden 'it'\\''s mine' 'a b'": {"--include", "*.md", "--hidden", "--include", "x", "--format", "text", "it's mine", "a b"},
		"-- -x": {"--", "-x"}, "- '' '*'": {"-", "", "*"},
	} {
		got := "nothing"
		flags := []AnyFlag{new(Flag[string]).As("format", "").Or("auto"), new(Flag[[]string]).As("include", ""), new(Flag[bool]).As("hidden", "")}
		p := &Program{Name: "program", Commands: []*Command{{Name: "run", Flags: append(flags[:3:3], new(Flag[string]).As("other", "")), Do: func(_ context.Context, args []string) error {
			got = Arguments(args, flags)
			return nil
		}}}}
		if err := p.Run(t.Context(), append([]string{"program", "run"}, args...)); err != nil || got != want {
			t.Errorf("%s, want %s; %v", got, want, err)
		}
	}
}
