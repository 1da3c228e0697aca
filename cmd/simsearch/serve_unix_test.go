//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"simsearch/internal/tests/testkit"
)

// A served is a server in a process of its own.
type served struct {
	url  string
	stop func() string // ends it by SIGTERM, and returns what it has said on standard error
	kill func()        // ends it by SIGKILL
}

// serve starts simsearch serve at a free port. The test ends it, and fails unless its status is 0.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	cmd := exec.Command("simsearch", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &served{stop: sync.OnceValue(func() string {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, stderr.String())
		}
		return stderr.String()
	})}
	gone := false
	s.kill = func() {
		gone = true
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it says that the process was killed
	}
	t.Cleanup(func() {
		if !gone {
			s.stop()
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, s.stop())
	}
	s.url = strings.TrimSuffix(line, "/\n")
	return s
}

// The commands of the page on serving print what it says.
func TestPageOnServing(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	if out, err := exec.Command("curl", "--help", "all").Output(); err != nil || !strings.Contains(string(out), "--json") {
		t.Skip("curl is too old")
	}
	dir := t.TempDir()
	s := serve(t, "--data", filepath.Join(dir, "data"))
	runPage(t, "docs/SERVE.md", dir, 18, "http://localhost:8080", s.url)
	s.stop()
	if again := serve(t, "--data", filepath.Join(dir, "data")); again.url == "" {
		t.Error("it does not start again")
	}
}

func get(t *testing.T, url string, header ...string) (status int, body string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// An index is served as the collection default, another one as a collection that is mounted, and tokens are asked for.
func TestServedIndexAndTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := write(t, filepath.Join(dir, "a.txt"), "the ferry to the islands leaves at nine")
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	must(t, "index", "--index", one, "--quiet", text)
	must(t, "index", "--index", two, "--quiet", text)
	tokens := write(t, filepath.Join(dir, "tokens"), "0123456789abcdef read\n")
	if err := os.Chmod(tokens, 0o644); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--index", one, "--mount", "other="+two, "--token-file", tokens)
	if status, body := get(t, s.url+"/v1/collections"); status != 401 {
		t.Errorf("without a token: status %d, %s", status, body)
	}
	status, body := get(t, s.url+"/v1/collections", "Authorization", "Bearer 0123456789abcdef")
	if names := regexp.MustCompile(`"name":"(\w+)"`).FindAllString(body, -1); status != 200 || strings.Join(names, " ") != `"name":"default" "name":"other"` {
		t.Errorf("status %d, %s", status, body)
	}
	if told := s.stop(); !strings.Contains(told, "others can read the tokens") || !strings.Contains(told, "stopped") {
		t.Errorf("%q", told)
	}
}

// What a server is asked to do is refused before it listens, if it is not safe or makes no sense.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tokens := write(t, filepath.Join(dir, "tokens"), "short read\n")
	for want, args := range map[string][]string{
		"serve what?":             {},
		"--data and --index":      {"--data", dir, "--index", dir},
		"lets other machines in":  {"--data", dir, "--listen", "0.0.0.0:0"},
		"listen :0 lets":          {"--data", dir, "--listen", ":0"},
		"192.0.2.1:80 lets":       {"--data", dir, "--listen", "192.0.2.1:80"},
		"example.org:80 lets":     {"--data", dir, "--listen", "example.org:80"},
		"want a host and a port":  {"--data", dir, "--listen", "8080"},
		"fewer than 16":           {"--data", dir, "--token-file", tokens},
		"cannot read":             {"--data", dir, "--token-file", filepath.Join(dir, "none")},
		"want a name and":         {"--data", dir, "--mount", "x"},
		"two directories":         {"--mount", "x=a", "--mount", "x=b"},
		"--write is for":          {"--mount", "x=" + dir, "--write"},
		"exclude each other":      {"--data", dir, "--stdio", "--mcp"},
		"do without":              {"--data", dir, "--stdio", "--listen", "127.0.0.1:0"},
		"--write and --read-only": {"--data", dir, "--write", "--read-only"},
		"serve either names":      {"--write", dir},
		"make an index for":       {"--stdio", dir},
	} {
		if status, out, stderr := command(t, t.Context(), nil, append([]string{"serve"}, args...)...); status != statusError || out != "" || !strings.Contains(stderr, want) {
			t.Errorf("serve %q: status %d, %q, %q, want %q", args, status, out, stderr, want)
		}
	}
}

// Texts that are named are served with their passages, and nothing is left of their index. What a server leaves that
// is killed, the next one removes.
func TestServedTexts(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("SIMSEARCH_INDEX", filepath.Join(temp, "other"))
	s := serve(t, filepath.FromSlash("../../testdata/tutorial/archive/leaflets"))
	response, err := http.Get(s.url + "/v1/collections/default/info")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil || !bytes.Contains(body, []byte(`"passages":true`)) || bytes.Contains(body, []byte(`"documents":0`)) {
		t.Errorf("%s, %v", body, err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	killed := serve(t, filepath.FromSlash("../../testdata/tutorial/archive/leaflets"))
	killed.kill()
	if left, err := os.ReadDir(temp); err != nil || len(left) != 2 {
		t.Errorf("%v are there after a kill, %v", left, err)
	}
	next := serve(t, filepath.FromSlash("../../testdata/tutorial/archive/leaflets"))
	if left, err := os.ReadDir(temp); err != nil || len(left) != 2 {
		t.Errorf("%v are there beside a server, %v", left, err)
	}
	if response, err := http.Get(s.url + "/healthz"); err != nil || response.StatusCode != 200 {
		t.Errorf("the server that went on: %v", err)
	} else if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	next.stop()
	s.stop()
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// The files that run the program as a service name flags that it has, and leave it what it needs and no more.
func TestPackaging(t *testing.T) {
	t.Parallel()
	program := newProgram(&environment{stderr: io.Discard}, "")
	has := map[string]bool{}
	for _, o := range program.Options(program.Command("serve")) {
		for _, name := range o.Names {
			has["--"+name] = true
		}
	}
	for _, name := range []string{"simsearch.service", "Dockerfile"} {
		file, err := os.ReadFile(filepath.Join("../../packaging", name))
		if err != nil {
			t.Fatal(err)
		}
		lines := regexp.MustCompile(`(?m)^.*(ExecStart=|CMD ).+$`).FindAllString(string(file), -1)
		if len(lines) == 0 {
			t.Errorf("%s starts nothing", name)
		}
		for _, line := range lines {
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(line, -1) {
				if !has[flag] {
					t.Errorf("%s: serve has no flag %s", name, flag)
				}
			}
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	// 0 is safe, 100 is not: an ordinary service has 96.
	if out, err := exec.Command(analyze, "security", "--no-pager", "--offline=true", "--threshold=20", "../../packaging/simsearch.service").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A server that is sent SIGTERM while it is asked ends with status 0, and what it has acknowledged is there.
func TestServeEndsGracefully(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, "--data", dir)
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.url+"/v1/collections/c", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatal(answer, err)
	}
	_ = answer.Body.Close()
	var mu sync.Mutex
	var ids []string
	var wg sync.WaitGroup
	for client := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				id := string(rune('a'+client)) + strings.Repeat("x", i)
				answer, err := http.Post(s.url+"/v1/collections/c/documents", "application/json", strings.NewReader(`{"id":"`+id+`","text":"`+id+` y z"}`))
				if err != nil {
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if err == nil && answer.StatusCode == http.StatusOK {
					mu.Lock()
					ids = append(ids, id)
					mu.Unlock()
				}
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	s.stop()
	wg.Wait()
	if len(ids) == 0 {
		t.Fatal("nothing was acknowledged")
	}
	again := serve(t, "--data", dir)
	for _, id := range ids {
		if status, body := get(t, again.url+"/v1/collections/c/documents/"+id); status != 200 {
			t.Errorf("%s was acknowledged: status %d, %s", id, status, body)
		}
	}
}

// Schemathesis makes requests of the document of OpenAPI, right and wrong ones, and finds no answer that the document
// does not have. What the document cannot say, such as that a request has a text or a fingerprint and not both, is
// left out.
func TestRequestsOfTheSchema(t *testing.T) {
	testkit.Long(t, "it sends thousands of requests")
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		testkit.Skip(t, "schemathesis", "python3 is not installed")
	}
	if out, err := exec.Command(python, "-m", "schemathesis.cli", "--version").CombinedOutput(); err != nil {
		testkit.Skip(t, "schemathesis", string(out))
	}
	dir := t.TempDir()
	s := serve(t, "--data", filepath.Join(dir, "data"), "--mount", "mounted="+mountedIndex(t, dir))
	cmd := exec.Command(python, "-m", "schemathesis.cli", "run", s.url+"/openapi.json", "--seed", "1", "--max-examples", "15",
		"--exclude-checks", "positive_data_acceptance", "--no-color", "--generation-database", "none")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if found := regexp.MustCompile(`(\d+) generated`).FindSubmatch(out); found == nil || len(found[1]) < 3 {
		t.Errorf("it made no requests worth speaking of:\n%s", out)
	} else {
		t.Logf("%s requests", found[1])
	}
}

// mountedIndex returns an index of a sample.
func mountedIndex(t *testing.T, dir string) string {
	t.Helper()
	index := filepath.Join(dir, "mounted")
	must(t, "index", "--index", index, "--quiet", "../../testdata/sample")
	return index
}

// A browser is shown the page, which finds a copied paragraph, and says what the server has done.
func TestServedPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const paragraph = "The old mill by the river was sold to the town in the spring of that year, and nobody knew what would become of its wheel, " +
		"since some wanted a museum with a garden, others a school, and the miller asked for nothing but his cat and the old clock over his door."
	if err := os.Mkdir(filepath.Join(dir, "essays"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "essays", "a.txt"), "One essay begins in its own way. "+paragraph)
	write(t, filepath.Join(dir, "essays", "b.txt"), paragraph+" Another one ends with words which nobody else has thought of, and so it is not the same as a whole: "+
		"it tells of ships, of harbours and their lights, of sailors who came home late, and of the letters that waited for them there.")
	must(t, "index", "--index", filepath.Join(dir, "idx"), "--quiet", filepath.Join(dir, "essays"))
	s := serve(t, "--index", filepath.Join(dir, "idx"))
	if status, page := get(t, s.url+"/"); status != http.StatusOK || !strings.Contains(page, "Shared passages") {
		t.Errorf("%d: %s", status, page)
	}
	if status, page := get(t, s.url+"/c/default/passages"); status != http.StatusOK || !strings.Contains(page, "1 pair of documents shares passages") ||
		!strings.Contains(page, "essays%2Fb.txt") {
		t.Errorf("%d: %s", status, page)
	}
}
