package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"simsearch/internal/cli"
)

// A completionTest is a command line up to the cursor, and some of what can stand there.
type completionTest struct {
	line   string
	want   string // words that are offered
	absent string // a word that is not
}

var completionTests = []completionTest{
	{"simsearch n", "near", "index"},
	{"simsearch ", "index near pairs help completion", "a.txt"},
	{"simsearch groups --gr", "--group", "--index"},
	{"simsearch pairs --pas", "--passages", ""},
	{"simsearch groups --group ", "star components", "a.txt"},
	{"simsearch index --mode mi", "minhash", "simhash"},
	{"simsearch index --format js", "jsonl", "text"},
	{"simsearch index --lang d", "de", "en"},
	{"simsearch export --as s", "signatures sql", "fingerprints"},
	{"simsearch near --index ", "idx/", "a.txt"},
	{"simsearch near a", "a.txt", "near"},
	{"simsearch near -- a", "a.txt", "near"},
	{"simsearch completion f", "fish", "bash"},
	{"simsearch help exp", "export", "near"},
	{"simsearch help in", "input index", "near"},
	{"simsearch in", "index", "input"},
}

// shell returns the program and its script, in a directory with a file and an index, or skips.
func shell(t *testing.T, name string) (program, script string) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("idx", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("a.txt", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	status, text, stderr := command(t, t.Context(), nil, "completion", name)
	if status != statusDone || text == "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	script = filepath.Join(t.TempDir(), "_simsearch")
	if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return program, script
}

// check compares the words that a shell offers with those wanted.
func (c completionTest) check(t *testing.T, offered []string) {
	t.Helper()
	for i := range offered {
		offered[i] = strings.TrimSuffix(offered[i], "/")
	}
	for word := range strings.FieldsSeq(c.want) {
		if !slices.Contains(offered, strings.TrimSuffix(word, "/")) {
			t.Errorf("%s: offered %q, want %s", c.line, offered, word)
		}
	}
	if c.absent != "" && slices.Contains(offered, c.absent) {
		t.Errorf("%s: offered %q", c.line, c.absent)
	}
}

func TestBashCompletion(t *testing.T) {
	program, script := shell(t, "bash")
	run := func(line string) []string {
		words := strings.Split(strings.ReplaceAll(line, "=", " = "), " ")
		line = "COMP_WORDS=(" + strings.ReplaceAll(strings.Join(words, " "), "  ", " ") + ")"
		if words[len(words)-1] == "" {
			line = strings.TrimSuffix(line, ")") + "'')"
		}
		code := "source " + script + "\n" + line + "\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_simsearch\nprintf '%s\\n' \"${COMPREPLY[@]}\""
		out, err := exec.Command(program, "--norc", "--noprofile", "-c", code).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	for _, c := range completionTests {
		c.check(t, run(c.line))
	}
	if out := run("simsearch absent "); len(out) != 1 || out[0] != "" {
		t.Errorf("offered %q behind a command that is not there", out)
	}
	completionTest{"simsearch groups --group=co", "components", "a.txt"}.check(t, run("simsearch groups --group=co"))
	completionTest{"simsearch groups --group=", "star components", "a.txt"}.check(t, run("simsearch groups --group="))
}

func TestFishCompletion(t *testing.T) {
	program, script := shell(t, "fish")
	for _, c := range completionTests {
		cmd := exec.Command(program, "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, c.line)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var offered []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			offered = append(offered, word)
		}
		c.check(t, offered)
	}
}

// Zsh completes where there is one way to go on; a terminal of its own module types the line.
func TestZshCompletion(t *testing.T) {
	program, script := shell(t, "zsh")
	tests := []struct{ line, want string }{
		{"simsearch nea", "simsearch near "},
		{"simsearch groups --gr", "simsearch groups --group "},
		{"simsearch groups --group co", "simsearch groups --group components "},
		{"simsearch groups --group=co", "simsearch groups --group=components "},
		{"simsearch index --mode mi", "simsearch index --mode minhash "},
		{"simsearch near -k 3 a", "simsearch near -k 3 a.txt "},
		{"simsearch near --index i", "simsearch near --index idx/"},
		{"simsearch completion f", "simsearch completion fish "},
		{"simsearch help exp", "simsearch help export "},
	}
	var code strings.Builder
	code.WriteString(`zmodload zsh/zpty || exit 77
zpty z $1 -f -i
zpty -w z "PS1=; fpath=($fpath); autoload -U compinit; compinit -u -D; source $2"
zpty -w z 'capture() { zle complete-word; print -r -- "$BUFFER|" >> out; BUFFER=; }; zle -N capture; bindkey "^T" capture'
zpty -w z 'print ready >> out'
`)
	code.WriteString("while [[ ! -s out ]]; do zpty -r -t z line; sleep .05; done\n")
	for i, c := range tests {
		code.WriteString("zpty -w -n z " + "'" + c.line + "'" + "$'\\024'\n")
		code.WriteString("while (( $(wc -l < out) < " + strconv.Itoa(i+2) + " )); do zpty -r -t z line; sleep .05; done\n")
	}
	file := filepath.Join(t.TempDir(), "drive")
	if err := os.WriteFile(file, []byte(code.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-f", file, program, script)
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code == 77 {
		t.Skip("zsh has no module zpty")
	}
	out, _ := os.ReadFile("out")
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(tests)+1 {
		t.Fatalf("%v\n%s%s", err, said, out)
	}
	for i, c := range tests {
		if got := strings.TrimSuffix(lines[i+1], "|"); got != c.want {
			t.Errorf("%q completes to %q, want %q", c.line, got, c.want)
		}
	}
}

// Every command, flag and value is offered.
func TestCompletionIsWhole(t *testing.T) {
	program := newProgram(&environment{stderr: io.Discard}, "")
	offered := func(want []string, words ...string) {
		t.Helper()
		status, out, stderr := command(t, t.Context(), nil, append([]string{cli.CompleteWord}, words...)...)
		if status != statusDone || stderr != "" {
			t.Errorf("%q: status %d, %s", words, status, stderr)
		}
		for _, word := range want {
			if !strings.Contains("\n"+strings.ReplaceAll(out, "\t", "\n"), "\n"+word+"\n") {
				t.Errorf("%q: %s is not offered", words, word)
			}
		}
	}
	for _, c := range program.Commands {
		offered([]string{c.Name}, c.Name[:1])
		for _, o := range program.Options(c) {
			for _, name := range o.Names {
				if len(name) > 1 {
					offered([]string{"--" + name}, c.Name, "--")
				}
				if len(o.Values) > 0 {
					offered(o.Values, c.Name, "--"+name, "")
				}
			}
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"completion", "bash", "zsh"}} {
		if status, out, stderr := command(t, t.Context(), nil, args...); status != statusError || out != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q", args, status, out, stderr)
		}
	}
}
