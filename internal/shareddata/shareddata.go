// Package shareddata gives tests and benchmarks the real collections they measure
// on. The texts carry their owners' licences and are no part of this repository.
package shareddata

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	return filepath.Join(unpack(t, "fixture.tar.zst", func(string) bool { return true }), "fixture")
}

// Dev unpacks the named collections of dev.tar.zst, in about a second, and returns the
// directory that they are in. It skips the test where the archive is absent.
func Dev(t testing.TB, collections ...string) string {
	t.Helper()
	return filepath.Join(unpack(t, "dev.tar.zst", func(name string) bool {
		return slices.Contains(collections, path.Base(path.Dir(name)))
	}), "dev")
}

// maxWindow is the largest zstd window that the archives were made with.
const maxWindow = 1 << 28

// unpack unpacks the files of an archive that keep wants into a directory of the test's.
func unpack(t testing.TB, archive string, keep func(name string) bool) string {
	t.Helper()
	from := filepath.Join(directory(t), archive)
	f, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		Skip(t, "data", from+" is absent; "+Variable+" names another directory")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	for files := tar.NewReader(z); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg && keep(header.Name) {
			extract(t, filepath.Join(dir, filepath.FromSlash(header.Name)), files)
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
