package commandline

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestTyped(t *testing.T) {
	got := Typed([]string{"simsearch", "dedup", "--out", "a b", "it's", "", "x/y.jsonl", "*"})
	if want := `simsearch dedup --out 'a b' 'it'\''s' '' x/y.jsonl '*'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Flags are left out with their values, however they are written, and nothing else is.
func TestWithout(t *testing.T) {
	command := &cli.Command{Flags: []cli.Flag{
		new(Flag[int]).As("threads", "").Alias("t"), new(Flag[bool]).As("quiet", ""), new(Flag[string]).As("out", ""), new(Flag[string]).As("k", ""),
	}}
	for args, want := range map[string]string{
		"--threads 2 --out threads a":          "--out threads a",
		"a -threads=2 --out --threads b -":     "a --out --threads b -",
		"--quiet a --quiet=false -t2 -t 3 -k3": "a -k3",
		"a -- --quiet b":                       "a -- --quiet b",
		"--unknown --threads":                  "--unknown",
		"":                                     "",
	} {
		if got := Without(command, strings.Fields(args), "threads", "quiet"); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q becomes %q, want %q", args, got, want)
		}
	}
}
