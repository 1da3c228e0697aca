package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
)

var update = flag.Bool("update", false, "write the expected output of scripts anew")

// command runs the program in this process.
func command(t testing.TB, ctx context.Context, stdin io.Reader, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = runProgram(ctx, append([]string{"simsearch"}, args...), stdin, &out, &errs)
	return status, out.String(), errs.String()
}

// A cancelling cancels a context when it is read to its end. It then blocks for ever, like a
// terminal without input.
type cancelling struct {
	from   io.Reader
	cancel context.CancelFunc
}

func (c *cancelling) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if errors.Is(err, io.EOF) {
		c.cancel()
		select {}
	}
	return n, err
}

// After an interrupt the index is as it was, or does not exist, and the status is 130.
func TestInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	if status, _, stderr := command(t, t.Context(), strings.NewReader("first\nsecond"), "index", "--index", "old", "--format", "lines", "-"); status != 0 {
		t.Fatal(stderr)
	}
	manifest, err := os.ReadFile("old/MANIFEST")
	if err != nil {
		t.Fatal(err)
	}
	for dir, before := range map[string]string{
		"old": "simsearch: the index has documents of standard input: those that come now without an id are -#3 and so on\n",
		"new": "",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		in := &cancelling{strings.NewReader(strings.Repeat("a line of text\n", 5000)), cancel}
		status, _, stderr := command(t, ctx, in, "index", "--index", dir, "--format", "lines", "-")
		if status != statusInterrupted || stderr != before+"simsearch: interrupted\n" {
			t.Errorf("%s: status %d, stderr %q", dir, status, stderr)
		}
	}
	if after, err := os.ReadFile("old/MANIFEST"); err != nil || !bytes.Equal(after, manifest) {
		t.Errorf("the old index has changed: %v", err)
	}
	if names, _ := filepath.Glob("old/.tmp-*"); len(names) > 0 {
		t.Errorf("unfinished files are left: %v", names)
	}
	if _, err := os.Stat("new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a new index was left: %v", err)
	}
}

// A closedPipe is the standard output of `simsearch … | head` after head has ended.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestClosedPipeIsNoError(t *testing.T) {
	t.Chdir(t.TempDir())
	if status, _, stderr := command(t, t.Context(), strings.NewReader(strings.Repeat("some text\n", 300)), "index", "--index", "idx", "--format", "lines", "-"); status != 0 {
		t.Fatal(stderr)
	}
	var stderr bytes.Buffer
	status := runProgram(t.Context(), []string{"simsearch", "pairs", "--quiet", "--index", "idx"}, nil, closedPipe{}, &stderr)
	if status != 0 || stderr.Len() > 0 {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}
}

// Every flag has a description, and a name means the same in all commands but those of OwnMeaning.
func TestFlags(t *testing.T) {
	program := newProgram(&environment{stdin: os.Stdin, stderr: io.Discard}, "")
	usage := map[string]string{}
	for _, c := range program.Commands {
		if c.Usage == "" || c.Description == "" {
			t.Errorf("%s is not described", c.Name)
		}
		names := map[string]bool{}
		for _, o := range program.Options(c) {
			name, text := o.Names[0], o.Usage
			if names[name] {
				t.Errorf("%s has --%s twice", c.Name, name)
			}
			names[name] = true
			if text == "" {
				t.Errorf("%s --%s is not described", c.Name, name)
			}
			if !slices.Contains(program.OwnMeaning, c.Name+" --"+name) {
				if old, ok := usage[name]; ok && old != text {
					t.Errorf("--%s is described in two ways", name)
				}
				usage[name] = text
			}
			if !slices.Contains(program.Groups, o.Group) {
				t.Errorf("%s --%s is in the group %q", c.Name, name, o.Group)
			}
		}
		if c.Name == "completion" || c.Name == "man" {
			continue // they print a text, and do no work
		}
		for _, name := range []string{"json", "threads", "memory", "quiet"} {
			if !names[name] {
				t.Errorf("%s lacks --%s", c.Name, name)
			}
		}
	}
}

func TestRowsOnATerminal(t *testing.T) {
	var out bytes.Buffer
	env := testEnvironment(&out)
	env.outIsTerminal = true
	r := (&task{environment: env}).rows()
	for _, id := range []string{"a", "a long id"} {
		if err := r.Print(name("id", id), col("distance", 3)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(end(r), env.stdout.Flush()); err != nil {
		t.Fatal(err)
	}
	want := "DISTANCE  ID\n       3  a\n       3  a long id\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func testEnvironment(out io.Writer) *environment {
	return &environment{stdin: strings.NewReader(""), stdout: bufio.NewWriter(out), stderr: io.Discard, teller: &intake.Teller{To: io.Discard, Line: oneLine}}
}

// atTerminal runs a command with a person at standard error, and returns its status and what it prints there.
func atTerminal(t *testing.T, args ...string) (status int, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	status = newEnvironment(nil, io.Discard, &errs, false, true).run(t.Context(), append([]string{"simsearch"}, args...))
	return status, errs.String()
}

// The answer to a query on standard input comes before the next query is written.
func TestNearAnswersAtOnce(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "list.txt")
	if err := os.WriteFile(list, []byte("a\t00000000000000ff\nb\t00000000000000fe\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	idx := filepath.Join(dir, "idx")
	if status, _, stderr := command(t, t.Context(), nil, "index", "--index", idx, "--format", "fingerprints", list); status != 0 {
		t.Fatal(stderr)
	}
	questions, ask := io.Pipe()
	answers, answer := io.Pipe()
	done := make(chan int)
	go func() {
		done <- runProgram(t.Context(), []string{"simsearch", "near", "--index", idx, "--format", "fingerprints", "--quiet", "-"}, questions, answer, io.Discard)
	}()
	lines := bufio.NewScanner(answers)
	for i, question := range []string{"00000000000000ff\n", "00000000000000fe\n"} {
		if _, err := io.WriteString(ask, question); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if !lines.Scan() {
				t.Fatalf("question %d has no answer: %v", i, lines.Err())
			}
		}
	}
	_ = ask.Close()
	if status := <-done; status != 0 {
		t.Errorf("status %d", status)
	}
}

// A flag of another program is one error, which names what does the same. No command that it is for has it.
func TestHints(t *testing.T) {
	program := newProgram(&environment{stderr: io.Discard}, "")
	for flag, instead := range cli.Hints {
		name, flag, one := strings.Cut(flag, " --")
		if !one {
			flag = name
		}
		told := false
		for _, c := range program.Commands {
			if one && c.Name != name {
				continue
			}
			has := func(flag string) bool {
				return slices.ContainsFunc(program.Options(c), func(o cli.Option) bool { return slices.Contains(o.Names, flag) })
			}
			if has(flag) {
				t.Errorf("%s has --%s, of which there is a hint", c.Name, flag)
			}
			status, _, stderr := command(t, t.Context(), nil, c.Name, "--"+flag, "1")
			line, found := strings.CutPrefix(stderr, "simsearch: "+c.Name+": no flag --"+flag+"; ")
			if status != statusError || !found {
				t.Errorf("%s --%s: status %d, %q", c.Name, flag, status, stderr)
			}
			told = told || line == instead+"\n"
			if other, ok := strings.CutPrefix(line, "--"); ok && !has(strings.Fields(other)[0]) {
				t.Errorf("%s --%s: %q, which it has not", c.Name, flag, line)
			}
		}
		if !told {
			t.Errorf("no command says of --%s: %s", flag, instead)
		}
	}
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("verify = none\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	program.Config = config
	err := program.Run(t.Context(), []string{"simsearch", "near"})
	if err == nil || !strings.HasSuffix(err.Error(), ":1: no command has a flag --verify; "+cli.Hints["verify"]) {
		t.Error(err)
	}
}
