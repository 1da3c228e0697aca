package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A program with a flag of each kind. Its flags are those of the command run.
type typed struct {
	text   Flag[string]
	yes    Flag[bool]
	number Flag[int]
	seed   Flag[uint64]
	list   Flag[[]string]
	share  Flag[float64]
	count  Flag[int]
	absent Flag[int]
}

func (f *typed) program(ran *bool) *Program {
	flags := []AnyFlag{
		f.text.As("text", "a `TEXT`").Or("usual").Env("SIMSEARCH_TEST_TEXT"), f.yes.As("yes", "say yes").Alias("y"), f.number.As("number", "`N`").Or(7), f.seed.As("seed", "`N`"),
		f.list.As("list", "`ITEM`"), f.share.As("share", "`S`").Or(.5).By(Share), f.count.As("count", "`N`").By(Count("things")),
	}
	p := &Program{Name: "program", Groups: []string{"All"}, Out: io.Discard}
	p.Commands = []*Command{{Name: "run", Flags: InGroup("All", flags), Do: func(context.Context, []string) error {
		*ran = true
		return nil
	}}}
	return p
}

// run returns the flags that a configuration and arguments give.
func runs(t *testing.T, config, args string) (*typed, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	f, ran := new(typed), false
	p := f.program(&ran)
	p.Config = path
	err := p.Run(t.Context(), append([]string{"program", "run"}, strings.Fields(args)...))
	if err == nil && !ran {
		err = errors.New("the command did not run")
	}
	return f, err
}

// Values come from the command line, before the environment, before the configuration file, before the default.
func TestFlagValues(t *testing.T) {
	f, err := runs(t, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if f.text.Value != "usual" || f.number.Value != 7 || f.share.Value != .5 || f.list.Value != nil || f.text.Has() || f.number.Given || f.absent.Has() {
		t.Errorf("defaults: %+v", f)
	}
	f, err = runs(t, "text = c\nlist = a\nlist = b\nnumber = 3\nyes = true\nshare = 1", "--number 16 --seed 18446744073709551615 --list=c --list d --count=2")
	if err != nil {
		t.Fatal(err)
	}
	if f.text.Value != "c" || !f.text.isConfigured() || f.text.Given || !f.text.Has() || f.number.Value != 16 || f.number.isConfigured() || !f.number.Given || f.seed.Value != 1<<64-1 ||
		!slices.Equal(f.list.Value, []string{"c", "d"}) || !f.yes.Value || f.yes.Given || f.share.Value != 1 || f.count.Value != 2 {
		t.Errorf("values: %+v", f)
	}
	Ignore(&f.text, &f.yes, &f.number, &f.absent)
	if f.text.Value != "usual" || f.text.Has() || f.yes.Value || f.number.Value != 16 || !f.number.Given {
		t.Errorf("configured values that are ignored: %+v", f)
	}
	if got := FirstGiven(&f.text, &f.absent, &f.list, &f.number); got != "list" {
		t.Errorf("the first given is %q", got)
	}
	into := 5
	if Put(&f.absent, &into); into != 5 {
		t.Error("a flag that is not there has put", into)
	}
	if Put(&f.count, &into); into != 2 {
		t.Error("put", into)
	}
	if f, err = runs(t, "", "-y --share .25"); err != nil || !f.yes.Value || !f.yes.Given || f.share.Value != .25 {
		t.Errorf("a letter: %+v, %v", f, err)
	}
	if f, err = runs(t, "list = a\nlist = b", "--yes=false"); err != nil || !slices.Equal(f.list.Value, []string{"a", "b"}) || f.yes.Value || !f.yes.Given {
		t.Errorf("a list of the file: %+v, %v", f, err)
	}
}

func TestFlagOfTheEnvironment(t *testing.T) {
	t.Setenv("SIMSEARCH_TEST_TEXT", "e")
	for args, want := range map[string]string{"": "e", "--text a": "a"} {
		if f, err := runs(t, "text = c", args); err != nil || f.text.Value != want || !f.text.Given {
			t.Errorf("%q: %+v, %v", args, f.text, err)
		}
	}
}

// A mistake is one line, that of the check of the flag if it has one.
func TestFlagMistakes(t *testing.T) {
	for _, tt := range []struct{ config, args, want string }{
		{"", "--share 2", "--share 2: want a number more than 0 and at most 1"},
		{"", "--share NaN", "--share NaN: want a number more than 0 and at most 1"},
		{"", "--count 0", "--count 0: want a whole number of things, 1 or more"},
		{"", "--share .5 --count x", "--count x: want a whole number of things, 1 or more"},
		{"", "--number x", "--number x: want a whole number"},
		{"", "--number 99999999999999999999", "--number 99999999999999999999: want a whole number"},
		{"", "--yes=x", "--yes x: want true or false"},
		{"", "--texd x", "run: no flag --texd; did you mean --text?"},
		{"number = x", "", "config:1: --number x: want a whole number"},
		{"yes = x", "", "config:1: --yes x: want true or false"},
		{"\nshare = 3", "", "config:2: --share 3: want a number more than 0 and at most 1"},
		{"[run]\ncount = no", "--count 3", "config:2: --count no: want a whole number of things, 1 or more"},
		{"number = 1\nnumber = 2", "", "config:2: number has a value already, in line 1"},
	} {
		_, err := runs(t, tt.config, tt.args)
		if err == nil || err.Error() != tt.want && !strings.HasSuffix(err.Error(), string(filepath.Separator)+tt.want) {
			t.Errorf("%q, %q: %v, want %s", tt.config, tt.args, err, tt.want)
		}
	}
}
