package testkit

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

// DataVariable is the environment variable of the directory of the archives of real collections. The texts have the
// licences of
// their owners, and are not part of this repository. The default is shared/data beside
// the repository.
const DataVariable = "SIMSEARCH_DATA"

// RequireVariable is the environment variable that lists what must not be missing, such as "data,python".
// Then a test that needs it fails instead of being skipped.
const RequireVariable = "SIMSEARCH_REQUIRE"

// Skip skips the test for lack of what. It fails the test if RequireVariable lists what.
func Skip(t testing.TB, what, reason string) {
	t.Helper()
	for name := range strings.SplitSeq(os.Getenv(RequireVariable), ",") {
		if name == what {
			t.Fatalf("%s is required by %s: %s", what, RequireVariable, reason)
		}
	}
	t.Skip(reason)
}

// Fixture unpacks fixture.tar.zst, a small real collection with exact truth, and returns its directory. It
// skips the test if there is no archive.
func Fixture(t testing.TB) string {
	t.Helper()
	return filepath.Join(unpack(t, "fixture.tar.zst", func(string) bool { return true }), "fixture")
}

// Dev unpacks the named collections of dev.tar.zst, in about a second, and returns their directory. It skips
// the test if there is no archive.
func Dev(t testing.TB, collections ...string) string {
	t.Helper()
	return filepath.Join(unpack(t, "dev.tar.zst", func(name string) bool {
		return slices.Contains(collections, path.Base(path.Dir(name)))
	}), "dev")
}

// maxWindow is the largest zstd window of the archives.
const maxWindow = 1 << 28

// unpack unpacks the files of an archive for which keep returns true, into a directory of the test.
func unpack(t testing.TB, archive string, keep func(name string) bool) string {
	t.Helper()
	from := filepath.Join(directory(t), archive)
	f, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		Skip(t, "data", from+" is absent; "+DataVariable+" names another directory")
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

// directory returns the directory of the archives, which need not exist.
func directory(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(DataVariable); dir != "" {
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
