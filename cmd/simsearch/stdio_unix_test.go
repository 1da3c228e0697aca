//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"simsearch/internal/tests/testkit"
)

// The program in Go of the page on serving does what the page says.
func TestProgramOfThePageOnServing(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "a program is compiled")
	page, err := os.ReadFile("../../docs/SERVE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```go\n")
	program, _, ok := strings.Cut(program, "```")
	if !ok {
		t.Fatal("the page has no program")
	}
	dir := t.TempDir()
	s := serve(t, "--data", filepath.Join(dir, "data"))
	made, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.url+"/v1/collections/c", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(made)
	if err != nil || answer.Body.Close() != nil || answer.StatusCode != http.StatusCreated {
		t.Fatal(answer, err)
	}
	run := exec.Command("go", "run", write(t, filepath.Join(dir, "main.go"), program), s.url, "c")
	run.Env = append(os.Environ(), "GOFLAGS=")
	out, err := run.CombinedOutput()
	if want := "0 true  0\n1 false 0 1\n"; err != nil || string(out) != want {
		t.Errorf("%v, it prints\n%swant\n%s", err, out, want)
	}
}

// piped starts simsearch serve with pipes.
func piped(t *testing.T, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader, stderr *bytes.Buffer) {
	t.Helper()
	cmd = exec.Command("simsearch", append([]string{"serve"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if the test has failed
	return cmd, in, bufio.NewReader(answers), stderr
}

// What is acknowledged on standard output is there, however the program ends.
func TestStdioKeepsWhatItAcknowledges(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	acknowledged := 0
	for round, end := range []string{"end of input", "SIGTERM", "SIGKILL"} {
		cmd, in, out, stderr := piped(t, "--data", dir, "--stdio")
		fmt.Fprintln(in, `{"id":"first","op":"create","collection":"c"}`)
		if answer, err := out.ReadString('\n'); err != nil || !strings.HasPrefix(answer, `{"id":"first","status":20`) {
			t.Fatalf("%s: %q, %v, %s", end, answer, err, stderr)
		}
		sent := 0
		for range 500 {
			fmt.Fprintf(in, `{"id":%d,"op":"check_and_add","collection":"c","body":{"id":"%d-%[1]d","text":"word%[2]d%[1]d only"}}`+"\n", sent, round)
			sent++
		}
		read := func() bool {
			answer, err := out.ReadString('\n')
			if err != nil {
				return false
			}
			if !strings.Contains(answer, `"new":true`) {
				t.Errorf("%s: %s", end, answer)
			}
			acknowledged++
			return true
		}
		switch end {
		case "end of input":
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
		case "SIGTERM":
			read()
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		default:
			for range 100 {
				read()
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		for read() {
		}
		if err := cmd.Wait(); (err != nil) != (end == "SIGKILL") || stderr.Len() > 0 {
			t.Errorf("%s: %v, %s", end, err, stderr)
		}
		if end == "end of input" && acknowledged != sent {
			t.Errorf("%d answers to %d requests", acknowledged, sent)
		}
	}
	_, in, out, _ := piped(t, "--data", dir, "--read-only", "--stdio")
	fmt.Fprintln(in, `{"id":1,"op":"info","collection":"c"}`)
	fmt.Fprintln(in, `{"id":2,"op":"put","collection":"c","body":{"id":"x","text":"y"}}`)
	_ = in.Close()
	var info struct{ Body struct{ Documents int } }
	answer, err := out.ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(answer), &info)
	}
	if err != nil || info.Body.Documents < acknowledged {
		t.Errorf("%d documents were acknowledged, and there are: %s (%v)", acknowledged, answer, err)
	}
	if answer, err := out.ReadString('\n'); err != nil || !strings.Contains(answer, `"status":403`) {
		t.Errorf("a write with --read-only: %s (%v)", answer, err)
	}
}

// An agent keeps its notes without duplicates, in a program that it has started, and over HTTP.
func TestAgentKeepsNotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep := func(transport mcp.Transport, text, how string) string {
		t.Helper()
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		arguments := map[string]any{"text": text}
		if how != "" {
			arguments["if_near"] = how
		}
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "check_and_add", Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
	started := func() mcp.Transport {
		return &mcp.CommandTransport{Command: exec.Command("simsearch", "serve", "--data", filepath.Join(dir, "notes"), "--write", "--mcp")}
	}
	const note = "The user prefers short answers in German, and never wants tables in them"
	if got := keep(started(), note, "reject"); !strings.Contains(got, `"new":true,"kept":true`) {
		t.Errorf("the first note: %s", got)
	}
	again := strings.Replace(note, "short", "brief", 1)
	if got := keep(started(), again, "reject"); !strings.Contains(got, `"new":false,"kept":false,"match":{`) || !strings.Contains(got, note) {
		t.Errorf("a note that is near: %s", got)
	}
	s := serve(t, "--data", filepath.Join(dir, "notes"), "--write")
	overHTTP := &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", DisableStandaloneSSE: true}
	if got := keep(overHTTP, again, "link"); !strings.Contains(got, `"new":false,"kept":true`) {
		t.Errorf("a note that is linked: %s", got)
	}
	const nine = "The user has a call with the bank at nine every Monday until the end of May"
	ten := strings.Replace(nine, "nine", "ten", 1)
	if got := keep(overHTTP, nine, ""); !strings.Contains(got, `"new":true,"kept":true`) {
		t.Errorf("a note: %s", got)
	}
	if got := keep(overHTTP, ten, "reject"); !strings.Contains(got, `"new":false,"kept":false,"match":{`) {
		t.Errorf("a note with another number that is rejected: %s", got)
	}
	if got := keep(overHTTP, ten, ""); !strings.Contains(got, `"new":false,"kept":true,"match":{`) || !strings.Contains(got, `"differs":["numbers"]`) {
		t.Errorf("a note with another number: %s", got)
	}
	if got := keep(overHTTP, strings.ToUpper(ten)+"!", ""); !strings.Contains(got, `"new":false,"kept":false`) {
		t.Errorf("the same note: %s", got)
	}
	if got := keep(overHTTP, "Something else altogether", "reject"); !strings.Contains(got, `"new":true`) {
		t.Errorf("another note: %s", got)
	}
}

// The inspector, a client that is not ours, lists the tools and calls them.
func TestAgentAgainstTheInspector(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "a program of Node starts several times")
	if _, err := exec.LookPath("mcp-inspector"); err != nil {
		testkit.Skip(t, "inspector", "mcp-inspector is not installed")
	}
	data := filepath.Join(t.TempDir(), "notes")
	inspect := func(want string, args ...string) {
		t.Helper()
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		out, err := exec.CommandContext(ctx, "mcp-inspector", append([]string{"--cli"}, args...)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("mcp-inspector %q: %v\n%s\nwant %s", args, err, out, want)
		}
	}
	program := []string{"simsearch", "serve", "--data", data, "--write", "--mcp", "--method"}
	inspect(`"name": "check_and_add"`, append(program, "tools/list")...)
	call := append(program, "tools/call", "--tool-name", "check_and_add", "--tool-arg")
	inspect(`"kept": true`, append(call, "text=The user prefers short answers in German, and never tables")...)
	inspect(`"text": "The user prefers short answers in German, and never tables"`, append(call, "text=The user prefers brief answers in German, and never tables")...)
	s := serve(t, "--data", data)
	near := []string{s.url + "/mcp", "--transport", "http", "--method", "tools/call", "--tool-name", "near", "--tool-arg", "text=The user prefers brief answers in German, and never tables"}
	inspect(`"total": 1`, near...)
}
