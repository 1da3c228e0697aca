package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects/objectstest"
	"simsearch/internal/tests/testkit"
)

// published are the objects of a result, without what says when and by which command it was made, and without the
// state, which has both.
func published(s *objectstest.Server) map[string]string {
	files := s.Files("clean/")
	for name := range files {
		if name == "written.jsonl" || name == "report.json" || name == "report.html" || strings.HasPrefix(name, "state/") {
			delete(files, name)
		}
	}
	return files
}

// publish runs dedup on the store, and returns its status and what it tells.
func toStore(t testing.TB, ctx context.Context, flags ...string) (status int, stderr string) {
	t.Helper()
	args := append([]string{"dedup", "--skip=binary", "--out", objectstest.Name("clean")}, flags...)
	status, _, stderr = command(t, ctx, nil, append(args, objectstest.Name("in"))...)
	return status, stderr
}

// mustPublish is publish for a run that succeeds. It returns the last line.
func mustPublish(t testing.TB) string {
	t.Helper()
	status, stderr := toStore(t, t.Context())
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	return lines[len(lines)-1]
}

// sound reports whether the store has the result that a directory would have, and nothing else.
func sound(t testing.TB, s *objectstest.Server, what string) {
	t.Helper()
	want := dedupTree(t, objectstest.Name("in"))
	got := published(s)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %s is %.200q, want %.200q", what, name, got[name], text)
			break
		}
	}
	if len(got) != len(want) || s.Uploads() > 0 {
		t.Errorf("%s: %d objects, want %d, and %d uploads", what, len(got), len(want), s.Uploads())
	}
	written := s.Files("clean/")
	for line := range strings.Lines(written["written.jsonl"]) {
		if _, name, ok := strings.Cut(line, `{"name":"`); ok {
			name, _, _ = strings.Cut(name, `"`)
			if _, there := written[name]; !there {
				t.Errorf("%s: the list names %s, which is not there", what, name)
			}
			delete(written, name)
		}
	}
	if delete(written, "written.jsonl"); len(written) > 0 {
		t.Errorf("%s: the list does not name %q", what, slices.Sorted(maps.Keys(written)))
	}
}

// A result in a store grows every night: only what differs is written, what is not part of it any more goes, and it
// is always that of a directory. It does not matter whether the files of the last night are still on this machine.
func TestPublishedGrows(t *testing.T) {
	s := objectstest.New(t)
	both(t, s, collection(t))
	if line := mustPublish(t); !strings.Contains(line, "objects written") || !strings.HasSuffix(line, "0 as before, 0 removed") {
		t.Error(line)
	}
	sound(t, s, "first")
	before := published(s)
	// One object has the time of the run.
	if line := mustPublish(t); !strings.Contains(line, ": 1 object written") || !maps.Equal(before, published(s)) {
		t.Errorf("nothing has changed, and %s", line)
	}
	locks, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "simsearch", "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	lock, err := disk.OS.Lock(locks[0], "simsearch dedup")
	if err != nil {
		t.Fatal(err)
	}
	if status, stderr := toStore(t, t.Context()); status != 2 || !strings.Contains(stderr, "another command of this machine works on it") {
		t.Errorf("beside another command: status %d: %s", status, stderr)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	nights := []func(){
		func() { s.Put("in/sample/new.txt", "Something that no other text says, about a night in November.") },
		func() {
			s.Put("in/sample/new.txt", "Something else that no other text says, about a night in December.")
		},
		func() { s.Do(http.MethodDelete, "in/sample/new.txt", nil) },
		func() {
			s.Put("in/again/more.jsonl", `{"id": "more", "text": "One more record, of another kind."}`+"\n")
		},
	}
	for i, night := range nights {
		night()
		if i%2 == 1 { // this machine has lost everything
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
		}
		status, stderr := toStore(t, t.Context())
		if status != 0 || !strings.Contains(stderr, objectstest.Name("clean")+" has a result of this command: ") {
			t.Errorf("night %d: status %d: %s", i, status, stderr)
		}
		sound(t, s, "night")
	}
	s.Put("clean/state/documents", "damaged") // of another size: somebody has changed it
	const changed = "clean/state/documents was changed since simsearch has written it"
	if status, stderr := toStore(t, t.Context()); status != 2 || !strings.Contains(stderr, changed) {
		t.Errorf("status %d: %s", status, stderr)
	}
	s.Do(http.MethodDelete, "clean/state/documents", nil)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	mustPublish(t)
	sound(t, s, "without a state")
}

// With --append, what another machine has published is gone on from, and not what this one has decided before.
func TestPublishedAppends(t *testing.T) {
	s := objectstest.New(t)
	both(t, s, collection(t))
	out := filepath.Join(t.TempDir(), "out")
	machines := []string{t.TempDir(), t.TempDir()}
	for night := range 5 {
		// It is near that of the night before the last, and longer, and would be kept if that were not kept already.
		text := []string{"The night is long and full of words. ", "Every morning a clean text comes. "}[night%2]
		s.Put(fmt.Sprintf("in/sample/%d.txt", night), strings.Repeat(text, night+1))
		t.Setenv("XDG_CACHE_HOME", append(machines, t.TempDir(), machines[0], machines[0])[night])
		if status, stderr := toStore(t, t.Context(), "--append", "--jaccard", "0.5"); status != 0 {
			t.Fatalf("status %d: %s", status, stderr)
		}
		status, _, stderr := command(t, t.Context(), nil, "dedup", "--skip=binary", "--append", "--jaccard", "0.5", "--out", out, objectstest.Name("in"))
		if status != 0 {
			t.Fatalf("status %d: %s", status, stderr)
		}
		got := published(s)
		for name, text := range filesBelow(t, out) {
			if is, there := got[name]; there && is != text || !there && strings.HasPrefix(name, "kept/") {
				t.Errorf("night %d: %s is %.200q, want %.200q", night, name, is, text)
			}
		}
	}
}

// publishedOnce returns a store with a small collection, and with its result.
func publishedOnce(t *testing.T) *objectstest.Server {
	t.Helper()
	s := objectstest.New(t)
	files := map[string]string{}
	for name, text := range collection(t) {
		if strings.HasPrefix(name, "again/") || strings.HasPrefix(name, "sample/de/") {
			files[name] = text
		}
	}
	both(t, s, files)
	mustPublish(t)
	return s
}

// A run that is interrupted or fails while it publishes, at whatever request, leaves the earlier list, or the new
// result. The next run ends with the new one.
func TestPublishingIsInterrupted(t *testing.T) {
	s := publishedOnce(t)
	orgel := s.Files("in/sample/de/")["orgel.txt"]
	const changing = "PUT POST DELETE"
	every := 5
	if testkit.IsLong() {
		every = 1
	}
	for at, done := 0, false; !done; at += every {
		text := strings.Repeat("The night is long and full of words. ", at+1)
		s.Put("in/sample/de/new.txt", text)
		if at%2 == 1 {
			s.Do(http.MethodDelete, "in/sample/de/orgel.txt", nil)
		} else {
			s.Put("in/sample/de/orgel.txt", orgel)
		}
		list := s.Files("clean/written.jsonl")[""]
		for _, fails := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			s.Fail(func(_ int64, r *http.Request) objectstest.Fault {
				if !strings.Contains(changing, r.Method) {
					return nil
				}
				if n++; n <= at {
					return nil
				}
				if !fails {
					cancel()
				}
				return objectstest.Faults["503"]
			})
			status, stderr := toStore(t, ctx)
			cancel()
			s.Fail(nil)
			if done = status == 0; done {
				break
			}
			want := map[bool]int{false: statusInterrupted, true: statusError}[fails]
			if status != want || fails && !strings.Contains(stderr, "tried 6 times") {
				t.Errorf("request %d: status %d: %s", at, status, stderr)
			}
			now := s.Files("clean/")
			if now["written.jsonl"] != list && now["kept/sample/de/new.txt"] != text {
				t.Errorf("request %d: the list is not that of what is there", at)
			}
		}
		mustPublish(t)
		sound(t, s, "after an interruption")
	}
}

// What is not ours is named, and nothing is written.
func TestForeignObjects(t *testing.T) {
	s := objectstest.New(t)
	both(t, s, collection(t))
	refused := func(what, want string) {
		t.Helper()
		before := s.Files("clean/")
		if status, stderr := toStore(t, t.Context()); status != 2 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d: %s", what, status, stderr)
		}
		if !maps.Equal(before, s.Files("clean/")) {
			t.Errorf("%s: something was written", what)
		}
	}
	s.Put("clean/notes.txt", "mine")
	refused("before", "s3://crawl/clean/notes.txt was not written by simsearch")
	s.Do(http.MethodDelete, "clean/notes.txt", nil)
	mustPublish(t)
	for _, key := range []string{"clean/kept/notes.txt", "clean/notes", "clean/unfinished/x"} {
		s.Put(key, "mine")
		refused(key, "s3://crawl/"+key+" was not written by simsearch")
		s.Do(http.MethodDelete, key, nil)
	}
	removed := s.Files("clean/")["removed.jsonl"]
	for _, edited := range []string{"edited", strings.Replace(removed, `"id"`, `"Id"`, 1), strings.ToUpper(removed)} {
		s.Put("clean/removed.jsonl", edited)
		refused("edited", "s3://crawl/clean/removed.jsonl was changed since simsearch has written it")
	}
	s.Put("clean/removed.jsonl", removed)
	mustPublish(t)
	status, stderr := toStore(t, t.Context(), "--jaccard", "0.9")
	if status != 2 || !strings.Contains(stderr, "has the result of another command") {
		t.Errorf("another command: status %d: %s", status, stderr)
	}
	s.Put("clean/written.jsonl", "{}")
	refused("another list", "no list that simsearch has written")
	s.Do(http.MethodDelete, "clean/written.jsonl", nil)
	refused("no list", "was not written by simsearch")
}

// A store that says that it has taken an object, and has kept nothing or half of it, is found out before the result
// counts. The next run writes what is missing.
func TestStoreThatLies(t *testing.T) {
	testkit.Long(t, "a store lies about each object")
	s := publishedOnce(t)
	for _, again := range []bool{false, true} { // into nothing, and over an earlier result
		victims := append(slices.Collect(maps.Keys(s.Files("clean/"))), "unfinished/names")
		for what, lie := range objectstest.Lies {
			for i, victim := range victims {
				if again {
					s.Put("in/sample/de/new.txt", fmt.Sprintf("A text of %d words that is new in this night, and of %s.", i, what))
				} else {
					for name := range s.Files("clean/") {
						s.Do(http.MethodDelete, "clean/"+name, nil)
					}
					t.Setenv("XDG_CACHE_HOME", t.TempDir())
				}
				told := false
				s.Fail(func(_ int64, r *http.Request) objectstest.Fault {
					if told || r.Method != http.MethodPut || r.URL.Path != "/"+objectstest.Bucket+"/clean/"+victim || r.ContentLength == 0 {
						return nil
					}
					told = true
					return lie
				})
				status, stderr := toStore(t, t.Context())
				s.Fail(nil)
				if told != (status == 2) || told && !strings.Contains(stderr, "clean/"+victim+": the store said that it has taken it, and has ") {
					t.Errorf("%s of %s: status %d: %s", what, victim, status, stderr)
				}
				mustPublish(t)
				sound(t, s, what+" of "+victim)
			}
		}
	}
}

// Secrets are in nothing that is printed or written, whatever happens.
func TestSecrets(t *testing.T) {
	s := objectstest.New(t)
	both(t, s, collection(t))
	cache := os.Getenv("XDG_CACHE_HOME")
	var told strings.Builder
	run := func(args ...string) {
		_, stdout, stderr := command(t, t.Context(), nil, args...)
		told.WriteString(stdout + stderr)
	}
	name, clean := objectstest.Name("in"), objectstest.Name("clean")
	for _, fault := range testkit.Of([]string{"", "503"}, []string{"", "503", "cut", "reset", "page"}) {
		for _, args := range [][]string{{"dedup", "--out", clean, name}, {"index", "--index", filepath.Join(cache, "idx"), name},
			{"dedup", "--json", "--out", clean, name, "s3://none-there"}, {"index", "--index", objectstest.Name("idx"), name}} {
			for from := range int64(testkit.Of(2, 3)) {
				s.Fail(func(n int64, _ *http.Request) objectstest.Fault {
					if n > 1+40*from {
						return objectstest.Faults[fault]
					}
					return nil
				})
				run(args...)
			}
		}
	}
	s.Fail(func(int64, *http.Request) objectstest.Fault {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			w.WriteHeader(http.StatusForbidden)
			told := r.Header.Get("Authorization") + r.Header.Get("X-Amz-Security-Token")
			_, _ = w.Write([]byte("<Error><Code>SignatureDoesNotMatch</Code><Message>" + told + "</Message></Error>"))
		}
	})
	run("dedup", "--out", clean, name)
	s.Fail(nil)
	if !strings.Contains(told.String(), "AWS_ACCESS_KEY_ID") || !strings.Contains(told.String(), "tried 6 times") {
		t.Errorf("the test has seen nothing: %s", told.String())
	}
	all := filesBelow(t, cache)
	maps.Copy(all, s.Files(""))
	all["what is printed"] = told.String()
	for name, text := range all {
		if strings.Contains(text, objectstest.Secret) {
			t.Errorf("%s has a secret", name)
		}
	}
	if len(all) < 50 {
		t.Errorf("only %d files", len(all))
	}
}
