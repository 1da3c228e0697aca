// Package shareddata gives tests and benchmarks the real collections they measure
// on. The texts carry their owners' licences and are no part of this repository.
package shareddata

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Variable names the directory of the archives; without it they are looked for in
// shared/data beside the repository.
const Variable = "SIMSEARCH_DATA"

// RequireVariable lists what tests must not be skipped for, such as
// "data,python": a skipped test then cannot pass for one that ran.
const RequireVariable = "SIMSEARCH_REQUIRE"

// Skip skips the test, or fails it if what is named in RequireVariable.
func Skip(t testing.TB, what, reason string) {
	t.Helper()
	for name := range strings.SplitSeq(os.Getenv(RequireVariable), ",") {
		if name == what {
			t.Fatalf("%s is required by %s: %s", what, RequireVariable, reason)
		}
	}
	t.Skip(reason)
}

// Fixture unpacks fixture.tar.zst, a small real collection with exact truth, and
// returns its directory. It skips the test where the archive is absent.
func Fixture(t testing.TB) string {
	t.Helper()
	path := filepath.Join(directory(t), "fixture.tar.zst")
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		Skip(t, "data", path+" is absent; "+Variable+" names another directory")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	for archive := tar.NewReader(z); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return filepath.Join(dir, "fixture")
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			extract(t, filepath.Join(dir, filepath.FromSlash(header.Name)), archive)
		}
	}
}

func extract(t testing.TB, path string, from io.Reader) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(from)
	if err == nil {
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// directory is that of the archives; it need not exist.
func directory(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(Variable); dir != "" {
		return dir
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return filepath.Join(root, "..", "shared", "data")
		}
		parent := filepath.Dir(root)
		if parent == root {
			t.Fatal("no go.mod above the working directory")
		}
		root = parent
	}
}
