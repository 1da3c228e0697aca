package cli

import (
	"context"
	"strings"
	"testing"
)

// The flags of a command come before its arguments.
func TestParseArgs(t *testing.T) {
	p := &Program{Commands: []*Command{
		{Name: "near", Flags: []AnyFlag{new(Flag[string]).As("k", ""), new(Flag[string]).As("index", ""), new(Flag[bool]).As("json", "")}},
		{Name: "index", Flags: []AnyFlag{new(Flag[string]).As("index", "")}},
	}}
	for _, tt := range []struct{ in, want string }{
		{"simsearch near q.txt --k 3 --index i r.txt --json", "simsearch near --k 3 --index i --json -- q.txt r.txt"},
		{"simsearch near --k=3 -", "simsearch near --k=3 -- -"},
		{"simsearch near -k 3 a -- --json -x", "simsearch near -k 3 -- a --json -x"},
		{"simsearch near -k3 a", "simsearch near -k 3 -- a"},
		{"simsearch near a -k=3 -json", "simsearch near -k=3 -json -- a"},
		{"simsearch near --k3 a", "simsearch near --k3 -- a"},
		{"simsearch index -k3 a", "simsearch index -k3 -- a"},
		{"simsearch near a --unknown b", "simsearch near --unknown -- a b"},
		{"simsearch near --k", "simsearch near --k"},
		{"simsearch near -- -k3", "simsearch near -- -k3"},
		{"simsearch", "simsearch"},
		{"simsearch --help", "simsearch --help"},
		{"simsearch absent a --b", "simsearch absent a --b"},
	} {
		if got := strings.Join(parse(p, strings.Fields(tt.in)).Args, " "); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestOnce(t *testing.T) {
	t.Setenv("SIMSEARCH_TEST_INDEX", "z")
	for _, tt := range []struct {
		in string
		ok bool
	}{
		{"simsearch near --index a --k 1 --k 2 b", true},
		{"simsearch near --index a --index=a", true},
		{"simsearch near --index a b --index c", false},
		{"simsearch near --index=a -index=b", false},
		{"simsearch near --index a -- --index b", true},
		{"simsearch near", true},
	} {
		near := &Command{Name: "near", Do: func(context.Context, []string) error { return nil },
			Flags: []AnyFlag{new(Flag[string]).As("index", "").Env("SIMSEARCH_TEST_INDEX").Once(), new(Flag[string]).As("k", "")}}
		p := &Program{Name: "simsearch", Commands: []*Command{near}}
		if err := p.Run(t.Context(), strings.Fields(tt.in)); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.in, err)
		}
	}
}

// The last flag that asks for help counts for more if it asks for all, and what follows a flag with a value asks for
// nothing.
func TestHelpAsked(t *testing.T) {
	p := &Program{Commands: []*Command{{Name: "near", Flags: []AnyFlag{new(Flag[string]).As("text", "")}}}}
	for in, want := range map[string]helpKind{
		"p": noHelp, "p -h": ShortHelp, "p --help near": LongHelp, "p near -h": ShortHelp, "p near --help -h": LongHelp, "p near -h x --help": LongHelp,
		"p near --text -h": noHelp, "p near -- --help": noHelp, "p absent --help": noHelp,
	} {
		if got := parse(p, strings.Fields(in)).Help; got != want {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}
