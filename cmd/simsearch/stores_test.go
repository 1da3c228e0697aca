package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"simsearch/internal/ground/objects/objectstest"
	"simsearch/internal/tests/testkit"
)

// filesBelow returns the contents of the files below a directory, by their names there.
func filesBelow(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// collection returns files of all formats, of which some documents are near others.
func collection(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	for dir, in := range map[string]string{"../../testdata/formats": "formats/", "../../testdata/sample": "sample/"} {
		for name, text := range filesBelow(t, dir) {
			if ext := filepath.Ext(name); ext != ".fp" && ext != ".sets" && ext != ".webp" {
				files[in+name] = text
			}
		}
	}
	for name := range maps.Clone(files) {
		if filepath.Ext(name) == ".jsonl" {
			files["again/"+filepath.Base(name)] = files[name]
		}
	}
	files["formats/.hidden.txt"] = "A file that nobody reads, since its name begins with a dot."
	files["sample/.git/notes.txt"] = "A directory that nobody reads, since its name begins with a dot."
	return files
}

// both puts files into a directory, which becomes the working directory, and into one of a store, whose name it
// returns.
func both(t *testing.T, s *objectstest.Server, files map[string]string) (name string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.Put("in/"+name, text)
	}
	t.Chdir(dir)
	return objectstest.Name("in")
}

// dedupTree runs dedup, and returns what it has written, without what says when and by which command.
func dedupTree(t testing.TB, args ...string) (files map[string]string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	status, _, stderr := command(t, t.Context(), nil, append([]string{"dedup", "--out", out, "--skip=binary"}, args...)...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	files = filesBelow(t, out)
	for name := range files {
		if name == "written.jsonl" || name == "report.json" || name == "report.html" || strings.HasPrefix(name, "state/") {
			delete(files, name)
		}
	}
	return files
}

// same reports differences of two sets of files, of which the first is made of objects in a directory of a store, and
// the second of files in the working directory.
func same(t testing.TB, what string, got, want map[string]string, name string) {
	t.Helper()
	for file, text := range want {
		if strings.ReplaceAll(got[file], name+"/", "") != text {
			t.Errorf("%s: %s is %.300q, want %.300q", what, file, got[file], text)
			break
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d: %q", what, len(got), len(want), slices.Sorted(maps.Keys(got)))
	}
}

// What dedup writes of objects is what it writes of files.
func TestDedupOfObjects(t *testing.T) {
	s := objectstest.New(t)
	name := both(t, s, collection(t))
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte(name+"/sample/\n"+name+"/formats/jsonl.jsonl\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{
		{}, {"--include", ".*", "--include", "*"}, {"--include", "*.jsonl"}, {"--include", "!en/", "--include", "!formats/t*"},
		{"--by", "passage", "--passage-words", "8", "--include", "sample/"},
		{"--keep", "first"}, {"--k", "3"},
	} {
		of := func(in string) []string {
			args := slices.Clone(flags)
			for i := range args {
				args[i] = strings.Replace(args[i], "DIR", in, 1)
			}
			return append(args, in)
		}
		want := dedupTree(t, of(".")...)
		got := dedupTree(t, of(name)...)
		same(t, fmt.Sprint(flags), got, want, name)
		if len(want) < 4 {
			t.Errorf("%v: only %d files", flags, len(want))
		}
	}
	want := dedupTree(t, "sample", "formats/jsonl.jsonl")
	got := dedupTree(t, "--files-from", list)
	same(t, "list", got, want, name)
}

// What index adds of objects is what it adds of files, and --sync follows them.
func TestIndexOfObjects(t *testing.T) {
	s := objectstest.New(t)
	name := both(t, s, collection(t))
	idx := t.TempDir()
	exported := func(of string) string {
		status, stdout, stderr := command(t, t.Context(), nil, "pairs", "--index", filepath.Join(idx, of), "--jaccard", "0.3")
		if status != 0 {
			t.Fatalf("status %d: %s", status, stderr)
		}
		return strings.ReplaceAll(stdout, name+"/", "")
	}
	for range 2 {
		for of, in := range map[string]string{"files": ".", "objects": name} {
			if status, _, stderr := command(t, t.Context(), nil, "index", "--sync", "--index", filepath.Join(idx, of), in); status != 0 {
				t.Fatalf("status %d: %s", status, stderr)
			}
		}
		if got, want := exported("objects"), exported("files"); got != want || strings.Count(want, "\n") < 20 {
			t.Errorf("objects have the pairs %s, want %s", got, want)
		}
		s.Do(http.MethodDelete, "in/sample/en/library-hours.txt", nil)
		s.Put("in/sample/new.txt", "The library opens at nine and closes at noon, and that is new.")
		if err := os.Remove("sample/en/library-hours.txt"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.WriteFile("sample/new.txt", []byte("The library opens at nine and closes at noon, and that is new."), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, _, stderr := command(t, t.Context(), nil, "index", "--sync", "--index", filepath.Join(idx, "objects"), name)
	if status != 0 || !strings.Contains(stderr, "files") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// A store that fails now and then changes nothing of the result. If one fails for good, an earlier result stays.
func TestStoreFails(t *testing.T) {
	s := objectstest.New(t)
	name := both(t, s, collection(t))
	want := dedupTree(t, ".")
	for fault, every := range map[string]int64{"cut": 2, "503": 3, "reset": 4} {
		s.Fail(objectstest.EachNth(every, objectstest.Faults[fault]))
		got := dedupTree(t, name)
		same(t, fault, got, want, name)
	}
	out := filepath.Join(t.TempDir(), "out")
	s.Fail(nil)
	if status, _, stderr := command(t, t.Context(), nil, "dedup", "--quiet", "--skip=binary", "--out", out, name+"/sample"); status != 0 {
		t.Fatal(stderr)
	}
	before := filesBelow(t, out)
	s.Put("in/sample/more.txt", "Something that comes later, so that there is something to read.")
	s.Fail(func(_ int64, r *http.Request) objectstest.Fault {
		if strings.HasSuffix(r.URL.Path, "more.txt") {
			return objectstest.Faults["503"]
		}
		return nil
	})
	status, _, stderr := command(t, t.Context(), nil, "dedup", "--quiet", "--skip=binary", "--out", out, name+"/sample")
	if status != 2 || !strings.HasPrefix(stderr, "simsearch: cannot read "+name+"/sample/more.txt: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d: %s", status, stderr)
	}
	after := filesBelow(t, out)
	for file := range before {
		if after[file] != before[file] {
			t.Errorf("%s has changed", file)
		}
	}
}

// A store that fails for good ends the run soon, in one line, whatever the format is that it fails in.
func TestStoreFailsInEachFormat(t *testing.T) {
	testkit.Long(t, "a store that fails, in eleven formats")
	files := collection(t)
	for _, fails := range []string{"sample/en/library-hours.txt", "formats/csv.csv", "formats/parquet.parquet", "formats/arrow.arrows",
		"formats/json.json", "formats/mail.mbox", "formats/warc.warc", "formats/html.html", "formats/office.docx", "formats/lines.lines",
		"formats/jsonl.jsonl"} {
		for _, fault := range []string{"503", "cut", "reset"} {
			s := objectstest.New(t)
			s.Put("in/"+fails, files[fails])
			s.Put("in/other.txt", "Another text.")
			name, out := objectstest.Name("in"), filepath.Join(t.TempDir(), "out")
			s.Fail(func(_ int64, r *http.Request) objectstest.Fault {
				if strings.HasSuffix(r.URL.Path, fails) {
					return objectstest.Faults[fault]
				}
				return nil
			})
			began := time.Now()
			status, _, stderr := command(t, t.Context(), nil, "dedup", "--quiet", "--skip=binary", "--out", out, name)
			if status != 2 || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "simsearch: cannot read "+name+"/"+fails+": ") ||
				!strings.Contains(stderr, "tried 6 times") {
				t.Errorf("%s %s: status %d: %s", fault, fails, status, stderr)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s %s: took %v", fault, fails, took)
			}
			if made, err := os.ReadDir(out); err == nil && len(made) > 0 {
				t.Errorf("%s %s: there is %s", fault, fails, made[0].Name())
			}
		}
	}
}

// An object that changes between the two readings ends the run.
func TestObjectChanges(t *testing.T) {
	s := objectstest.New(t)
	name := both(t, s, collection(t))
	gets := 0
	s.Fail(func(_ int64, r *http.Request) objectstest.Fault {
		if strings.HasSuffix(r.URL.Path, "again/jsonl.jsonl") && r.Method == http.MethodGet {
			gets++
			s.Put("in/formats/jsonl.jsonl", "{\"id\": \"other\", \"text\": \"another text\"}\n")
		}
		return nil
	})
	status, _, stderr := command(t, t.Context(), nil, "dedup", "--quiet", "--skip=binary", "--out", filepath.Join(t.TempDir(), "out"), name)
	if status != 2 || !strings.Contains(stderr, "in/formats/jsonl.jsonl: it has changed since it was listed") || gets == 0 {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// Small objects are asked for before they are opened, once each, and no object is that is known.
func TestManySmallObjects(t *testing.T) {
	s := objectstest.New(t)
	const n = 100
	for i := range n {
		s.Put(fmt.Sprintf("in/%03d.txt", i), fmt.Sprintf("Text %d has the words %d, %d and %d.", i, 3*i, 5*i, 7*i))
	}
	var now, most, gets atomic.Int64
	s.Fail(func(_ int64, r *http.Request) objectstest.Fault {
		return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if strings.HasSuffix(r.URL.Path, ".txt") {
				gets.Add(1)
				is := now.Add(1)
				defer now.Add(-1)
				if is > most.Load() {
					most.Store(is)
				}
				time.Sleep(20 * time.Millisecond)
			}
			next.ServeHTTP(w, r)
		}
	})
	out := filepath.Join(t.TempDir(), "out")
	for _, want := range []int64{n, 1} {
		gets.Store(0)
		if status, _, stderr := command(t, t.Context(), nil, "dedup", "--out", out, objectstest.Name("in")); status != 0 {
			t.Fatal(stderr)
		}
		if got := gets.Load(); got != want || most.Load() < 5 {
			t.Errorf("%d objects were asked for, up to %d at a time, want %d", got, most.Load(), want)
		}
		s.Put("in/050.txt", "Another text.")
	}
}

// An interrupt ends a run that waits for a store.
func TestInterruptWhileAStoreIsWaitedFor(t *testing.T) {
	s := objectstest.New(t)
	name := both(t, s, collection(t))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.Fail(func(n int64, r *http.Request) objectstest.Fault {
		if n < 5 {
			return nil
		}
		time.AfterFunc(50*time.Millisecond, cancel)
		return objectstest.Faults["stall"]
	})
	status, _, stderr := command(t, ctx, nil, "dedup", "--out", filepath.Join(t.TempDir(), "out"), name)
	if status != statusInterrupted || !strings.Contains(stderr, "interrupted") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// What cannot be in a store is refused in a line, before anything is asked or made.
func TestRefusedObjects(t *testing.T) {
	s := objectstest.New(t)
	s.Put("in/a.txt", "text")
	t.Chdir(t.TempDir())
	for _, c := range [][2]string{
		{"serve --index s3://crawl/idx", "an index is in a directory of this machine"},
		{"near --index s3://crawl/idx --new --add a", "an index is in a directory of this machine"},
		{"watch --index idx s3://crawl/in", "watch looks at folders of this machine"},
		{"eval --out s3://crawl/out s3://crawl/in", "only dedup writes to a store"},
		{"dedup --out s3://crawl/out --from s3://crawl/list in", "want what is on this machine"},
		{"dedup --out out --from s3://crawl/in --jaccard 0.9", "want what is on this machine"},
		{"dedup --out s3://crawl/in/out s3://crawl/in", "would be read and written"},
		{"dedup --out s3://crawl s3://crawl/in", "would be read and written"},
		{"dedup --out out --skip gitignore s3://crawl/in", "--skip gitignore goes"},
		{"dedup --out out s3://crawl/none", "there is no such object"},
		{"dedup --out out s3://cr", "cannot be the name of a bucket"},
		{"dedup --out out s3://none-there/in", "has no such bucket"},
	} {
		status, _, stderr := command(t, t.Context(), nil, strings.Fields(c[0])...)
		if status != 2 || !strings.Contains(stderr, c[1]) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d: %s", c[0], status, stderr)
		}
	}
	if made, _ := os.ReadDir("."); len(made) > 0 {
		t.Errorf("%s was made", made[0].Name())
	}
}

// Objects that cannot be files beside the others are left out by name, and the others are read.
func TestOddKeys(t *testing.T) {
	s := objectstest.New(t)
	text := func(i int) string {
		return fmt.Sprintf("Text %d says something of its own about %d ships and %d mills.", i, i*7, i*13)
	}
	read := []string{"ok.txt", "a//b.txt", "x#y.txt", "é.txt", " lead.txt", "w/x.txt", "d/e.txt", strings.Repeat("n", 250) + ".txt"}
	odd := []string{"/abs.txt", strings.Repeat("n", 252) + ".txt", strings.Repeat("m", 300) + "/f.txt", "w", "d//e.txt", "dir/"}
	for i, key := range append(slices.Clone(read), odd...) {
		s.Put("in/"+strings.ReplaceAll(url.PathEscape(key), "%2F", "/"), text(i))
	}
	out := filepath.Join(t.TempDir(), "out")
	status, _, stderr := command(t, t.Context(), nil, "dedup", "--quiet", "--out", out, objectstest.Name("in"))
	if status != 2 {
		t.Errorf("status %d: %s", status, stderr)
	}
	left, err := os.ReadFile(filepath.Join(out, "left_out.jsonl"))
	if err != nil || strings.Count(string(left), "\n") != len(odd) {
		t.Errorf("%v, left out: %s", err, left)
	}
	for _, key := range odd {
		if !strings.Contains(string(left), `"`+objectstest.Name("in/"+key)+`"`) {
			t.Errorf("%s is not left out by name", key)
		}
	}
	for i, key := range read {
		if kept, err := os.ReadFile(filepath.Join(out, "kept", key)); string(kept) != text(i) {
			t.Errorf("%s: %q, %v", key, kept, err)
		}
	}
}
