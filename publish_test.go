package simsearch_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"simsearch/internal/tests/testkit"
)

// TestPublished writes the tree as a module of another path, installs the command from it, and runs a program of
// another module that imports it: the example of the documentation.
func TestPublished(t *testing.T) {
	testkit.Long(t, "all packages are compiled under another path")
	const path = "example.com/Acme/nearby"
	version := fmt.Sprintf("v0.7.%d", time.Now().Unix()) // the cache of modules has no other tree under it
	proxy, bin, foreign := t.TempDir(), t.TempDir(), t.TempDir()
	environment := append(os.Environ(), "GOPROXY=file://"+proxy+","+goEnv(t, "GOPROXY"), "GONOSUMDB="+path, "GOFLAGS=-mod=mod",
		"GOBIN="+bin, "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	run := func(dir string, command ...string) string {
		t.Helper()
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir, cmd.Env = dir, environment
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
		}
		return string(out)
	}
	cached := filepath.Join(goEnv(t, "GOMODCACHE"), "example.com", "!acme")
	t.Cleanup(func() { // what the go command unpacks cannot be written
		exec.Command("chmod", "-R", "u+w", cached).Run() //nolint:errcheck // RemoveAll says what is left
		if err := os.RemoveAll(cached); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download", "example.com", "!acme")); err != nil {
			t.Error(err)
		}
	})
	run(".", "scripts/publish-as", path, version, proxy)

	run(foreign, "go", "install", path+"/cmd/simsearch@"+version)
	if said := run(foreign, filepath.Join(bin, "simsearch"), "version"); !strings.HasPrefix(said, "simsearch "+version+" ") {
		t.Errorf("the program says %q", said)
	}

	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	program := strings.NewReplacer("package simsearch_test", "package main", `"simsearch"`, `"`+path+`"`, "func Example()", "func main()").Replace(string(example))
	if err := os.WriteFile(filepath.Join(foreign, "main.go"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	run(foreign, "go", "mod", "init", "example.com/foreign")
	run(foreign, "go", "get", path+"@"+version)
	if said, want := run(foreign, "go", "run", "."), "hours: Jaccard similarity 0.78\n"; said != want {
		t.Errorf("a program that imports the module prints %q, want %q", said, want)
	}
}

func goEnv(t *testing.T, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
