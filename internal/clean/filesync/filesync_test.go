package filesync

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
)

// errStopped ends a run between two commits.
var errStopped = errors.New("stopped")

// A folder is files, and an index of them.
type folder struct {
	t      testing.TB
	docs   string
	dir    string        // of the index
	format corpus.Format // of what is added without a Sync
	opened func()        // is called between the digest of a file and its reading, if it is not nil
}

func newFolder(t testing.TB) *folder {
	root := t.TempDir()
	f := &folder{t: t, docs: filepath.Join(root, "docs"), dir: filepath.Join(root, "idx")}
	f.must(os.Mkdir(f.docs, 0o777))
	return f
}

func (f *folder) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) path(name string) string { return filepath.Join(f.docs, filepath.FromSlash(name)) }

func (f *folder) write(name, contents string) {
	f.t.Helper()
	f.must(os.MkdirAll(filepath.Dir(f.path(name)), 0o777))
	f.must(os.WriteFile(f.path(name), []byte(contents), 0o666))
}

// age makes the last change of a file a certain one, long ago.
func (f *folder) age(name string, seconds int) {
	f.t.Helper()
	at := time.Unix(1e9+int64(seconds), 0)
	f.must(os.Chtimes(f.path(name), at, at))
}

// rewrite changes what the catalogue says of each file, and makes it say that size and time are enough.
func (f *folder) rewrite(change func(*index.CatalogueFile)) {
	f.t.Helper()
	w, err := index.OpenWriter(f.dir, settings(), index.WriterOptions{})
	f.must(err)
	c, _, err := w.Catalogue()
	f.must(err)
	for i := range c.Files {
		c.Files[i].Again = false
		change(&c.Files[i])
	}
	w.SetCatalogue(c)
	_, err = w.Commit(context.Background())
	f.must(errors.Join(err, w.Close()))
	time.Sleep(20 * time.Millisecond) // more than a step of the clock
}

func settings() analysis.Settings {
	s := analysis.Classic()
	s.Mode = analysis.Both
	return s
}

// sync makes the index what the files are. full says when a part ends, and stop after how many commits the run ends.
func (f *folder) sync(full func() bool, stop int) (Counts, index.Result, error) {
	f.t.Helper()
	total := index.Result{}
	w, err := index.OpenWriter(f.dir, settings(), index.WriterOptions{Keep: index.KeepText, Base: f.docs})
	f.must(err)
	defer func() { f.must(w.Close()) }()
	s, err := New(context.Background(), w, 1)
	f.must(err)
	r, err := corpus.Open([]string{f.docs}, corpus.Options{Base: f.docs, Opening: func(found corpus.File) (bool, error) {
		read, err := s.Opening(found)
		if read && f.opened != nil {
			f.opened()
		}
		return read, err
	}})
	if err != nil {
		return s.Counts, total, err
	}
	defer func() { f.must(r.Close()) }()
	f.must(s.Use(r))
	documents := good(r, s)
	for more := true; more; {
		f.must(w.Ingest(context.Background(), s.Part(documents, func(*document.Document) bool { return full() }, &more)))
		if !more && s.Done() {
			r.Rewind()
			more = true
		}
		changed, err := s.Hand()
		f.must(err)
		if !changed {
			continue
		}
		r, err := w.Commit(context.Background())
		f.must(err)
		total.Added += r.Added
		total.Unchanged += r.Unchanged
		total.Replaced += r.Replaced
		total.Deleted += r.Deleted
		if stop--; stop == 0 {
			return s.Counts, total, errStopped
		}
	}
	s.CountElsewhere(w.Len())
	return s.Counts, total, nil
}

// add adds what is in a folder, without a Sync. full says when a part ends, and stop after how many commits the run
// ends.
func (f *folder) add(folder string, full func() bool, stop int) {
	f.t.Helper()
	r, err := corpus.Open([]string{folder}, corpus.Options{Base: f.docs, Format: f.format})
	if err != nil {
		return // there is no file
	}
	w, err := index.OpenWriter(f.dir, settings(), index.WriterOptions{Keep: index.KeepText, Base: f.docs, Parts: true})
	f.must(err)
	defer func() { f.must(errors.Join(w.Close(), r.Close())) }()
	d, _, err := NewRecord(w, r, 1+uint64(f.format))
	f.must(err)
	documents := d.Part(good(r, &Sync{}), func(*document.Document) bool { return false }, new(bool))
	for more := true; more && stop != 0; stop-- {
		f.must(w.Ingest(context.Background(), func(yield func(*document.Document, error) bool) {
			for doc, err := range documents {
				if !yield(doc, err) {
					return
				}
				if full() {
					return
				}
			}
			more = false
		}))
		_, _ = d.Hand() // never fails
		_, err := w.Commit(context.Background())
		f.must(err)
	}
}

// good yields the good documents of r, as intake.Intake does.
func good(r *corpus.Reader, s *Sync) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range r.Documents() {
			if bad := (*corpus.BadError)(nil); errors.As(err, &bad) {
				s.Bad(bad)
				continue
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

func never() bool { return false }

// fresh returns what a new index of the files holds.
func (f *folder) fresh() map[string]string {
	f.t.Helper()
	dir := filepath.Join(f.t.TempDir(), "idx")
	r, err := corpus.Open([]string{f.docs}, corpus.Options{Base: f.docs})
	if err != nil {
		return map[string]string{}
	}
	w, err := index.OpenWriter(dir, settings(), index.WriterOptions{Keep: index.KeepText, Base: f.docs})
	f.must(err)
	f.must(w.Ingest(context.Background(), good(r, &Sync{})))
	_, err = w.Commit(context.Background())
	f.must(errors.Join(err, w.Close(), r.Close()))
	return contents(f.t, dir)
}

// contents returns the texts of an index by their ids.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	ix, err := index.Open(dir)
	if errors.Is(err, index.ErrNoIndex) {
		return all
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ix.Close() }()
	for doc := range uint32(ix.Len()) {
		id, err := ix.ID(doc)
		if err != nil {
			t.Fatal(err)
		}
		if all[string(id)], err = ix.Text(doc, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := ix.VerifyChecksums(); err != nil {
		t.Fatal(err)
	}
	return all
}

// An editor makes random changes to a folder.
type editor struct {
	*folder
	rng   *rand.Rand
	clock int
}

func (e *editor) text() string {
	words := make([]string, 3+e.rng.IntN(4))
	for i := range words {
		words[i] = fmt.Sprint("word", e.rng.IntN(1000))
	}
	return strings.Join(words, " ")
}

// names returns the files that there are.
func (e *editor) names() (names []string) {
	e.must(filepath.WalkDir(e.docs, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(e.docs, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	return names
}

func (e *editor) newName() string {
	return fmt.Sprintf("%s%d%s", []string{"", "a/", "b/c/"}[e.rng.IntN(3)], e.rng.IntN(12), []string{".txt", ".jsonl"}[e.rng.IntN(2)])
}

// contents returns contents for a file: a text, or records with ids of which other files have some.
func (e *editor) contents(name string) string {
	if !strings.HasSuffix(name, ".jsonl") {
		if e.rng.IntN(15) == 0 {
			return "\x00 no text"
		}
		return e.text()
	}
	var b strings.Builder
	for range e.rng.IntN(8) {
		switch e.rng.IntN(9) {
		case 0:
			b.WriteString("{broken\n")
		case 1:
			fmt.Fprintf(&b, `{"text": %q}`+"\n", e.text())
		case 2:
			fmt.Fprintf(&b, `{"id": "%d.txt", "text": %q}`+"\n", e.rng.IntN(12), e.text()) // the name of a file
		default:
			fmt.Fprintf(&b, `{"id": "id%d", "text": %q}`+"\n", e.rng.IntN(20), e.text())
		}
	}
	return b.String()
}

func (e *editor) edit() {
	names := e.names()
	some := func() string { return names[e.rng.IntN(len(names))] }
	kind := e.rng.IntN(6)
	if len(names) == 0 {
		kind = 0
	}
	name := e.newName()
	switch kind {
	case 0, 1:
		e.write(name, e.contents(name))
	case 2:
		name = some()
		e.write(name, e.contents(name))
	case 3:
		from := some()
		name = name[:strings.LastIndex(name, ".")] + filepath.Ext(from)
		e.must(os.MkdirAll(filepath.Dir(e.path(name)), 0o777))
		e.must(os.Rename(e.path(from), e.path(name)))
	case 4:
		e.must(os.Remove(e.path(some())))
		return
	case 5:
		name = some() // is touched
		if old, err := os.ReadFile(e.path(name)); err == nil && strings.HasSuffix(name, ".txt") && e.rng.IntN(2) == 0 {
			e.write(name, string(old)+"!") // the same words
		}
	}
	if e.rng.IntN(3) > 0 {
		e.clock++
		e.age(name, e.clock)
	}
}

// After any history of edits, runs that are stopped, and changes by other means, the index has what a new index of the
// folder has, and what came from elsewhere.
func TestLikeANewIndex(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			e := &editor{folder: newFolder(t), rng: rand.New(rand.NewPCG(seed, 1))}
			foreign := map[string]string{}
			for round := range 12 {
				for range 1 + e.rng.IntN(6) {
					e.edit()
				}
				if len(e.names()) == 0 {
					continue
				}
				if e.rng.IntN(4) == 0 {
					e.byOtherMeans(fmt.Sprint("foreign", round), foreign)
				}
				full := func() bool { return e.rng.IntN(3) == 0 }
				if e.rng.IntN(3) == 0 {
					e.addOthers(round, full, foreign)
				}
				if e.rng.IntN(3) == 0 {
					e.add(e.docs, full, 1+e.rng.IntN(4))
					e.edit()
				}
				if len(e.names()) == 0 {
					continue
				}
				if e.rng.IntN(3) == 0 {
					if _, _, err := e.sync(full, 1+e.rng.IntN(3)); err != nil && !errors.Is(err, errStopped) {
						t.Fatal(err)
					}
					e.edit()
				}
				if len(e.names()) == 0 {
					continue
				}
				counts, _, err := e.sync(full, -1)
				if err != nil {
					t.Fatal(err)
				}
				want := e.fresh()
				if counts.Elsewhere != len(foreign) && len(want) > 0 {
					t.Errorf("round %d: %d documents from elsewhere, want %d", round, counts.Elsewhere, len(foreign))
				}
				maps.Copy(want, foreign)
				if got := contents(t, e.dir); !maps.Equal(got, want) {
					t.Fatalf("round %d: %v\nwant %v", round, got, want)
				}
				if round%3 > 0 { // as if it were an hour later: from now on, size and time are enough
					e.rewrite(func(*index.CatalogueFile) {})
				}
			}
		})
	}
}

// addOthers adds a file of another folder without a Sync, which may be gone soon. It says what it adds in foreign.
func (e *editor) addOthers(round int, full func() bool, foreign map[string]string) {
	folder := filepath.Join(filepath.Dir(e.docs), "others")
	e.must(os.MkdirAll(folder, 0o777))
	lines := ""
	for i := range 1 + e.rng.IntN(4) {
		id, text := fmt.Sprintf("other%d.%d", round, i), e.text()
		lines += fmt.Sprintf(`{"id": %q, "text": %q}`+"\n", id, text)
		foreign[id] = text
	}
	file := filepath.Join(folder, fmt.Sprint(e.rng.IntN(3), ".jsonl"))
	e.must(os.WriteFile(file, []byte(lines), 0o666))
	e.add(folder, full, -1)
	if e.rng.IntN(2) == 0 {
		e.must(os.Remove(file))
	}
}

// A file that is still to be looked at claims an id that another one has given up. If the run is stopped then, the next
// one reads it, although it has not changed.
func TestGivenUpBeforeAStop(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write("a.jsonl", `{"id": "x", "text": "the text of a"}`)
	f.write("b.jsonl", `{"id": "x", "text": "the text of b"}`) // changed a moment ago, and so looked at again
	_, _, err := f.sync(never, -1)
	f.must(err)
	f.write("a.jsonl", `{"id": "y", "text": "another text of a"}`)
	f.write("aa.txt", "a part ends before the next file")
	if _, _, err := f.sync(func() bool { return true }, 1); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	_, _, err = f.sync(never, -1)
	f.must(err)
	if got, want := contents(t, f.dir), f.fresh(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A document stays whose id a file of another collection claims, too, when the file of this one gives it up.
func TestSharedID(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	other := filepath.Join(t.TempDir(), "other")
	f.must(os.Mkdir(other, 0o777))
	f.must(os.WriteFile(filepath.Join(other, "b.jsonl"), []byte(`{"id": "x", "text": "the text of x"}`), 0o666))
	f.write("a.jsonl", `{"id": "x", "text": "the text of x"}`)
	f.add(f.docs, never, -1)
	f.add(other, never, -1)
	f.write("a.jsonl", `{"id": "y", "text": "the text of y"}`)
	counts, _, err := f.sync(never, -1)
	if got, want := contents(t, f.dir), map[string]string{"x": "the text of x", "y": "the text of y"}; err != nil || counts.Elsewhere != 1 || !maps.Equal(got, want) {
		t.Errorf("%v, want %v; %+v, %v", got, want, counts, err)
	}
}

// A run without a Sync adds a document of a file, which is then what it was at the last Sync: the document goes.
func TestAddedMeanwhile(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	const before = `{"id": "x", "text": "the text of x"}` + "\n"
	f.write("a.jsonl", before)
	_, _, err := f.sync(never, -1)
	f.must(err)
	f.write("a.jsonl", before+`{"id": "y", "text": "the text of y"}`+"\n")
	f.add(f.docs, never, -1)
	f.write("a.jsonl", before)
	_, result, err := f.sync(never, -1)
	if got, want := contents(t, f.dir), f.fresh(); err != nil || result.Deleted != 1 || !maps.Equal(got, want) {
		t.Errorf("%v, want %v; %+v, %v", got, want, result, err)
	}
}

// byOtherMeans deletes and replaces some documents of the index, and adds one that no file has.
func (e *editor) byOtherMeans(id string, foreign map[string]string) {
	w, err := index.OpenWriter(e.dir, settings(), index.WriterOptions{Keep: index.KeepText, Base: e.docs})
	e.must(err)
	has := slices.Sorted(maps.Keys(contents(e.t, e.dir)))
	add := func(id, text string) {
		e.must(w.Ingest(context.Background(), func(yield func(*document.Document, error) bool) {
			yield(&document.Document{ID: []byte(id), Text: []byte(text)}, nil)
		}))
	}
	for _, id := range has {
		if _, ok := foreign[id]; !ok && e.rng.IntN(6) == 0 {
			e.must(w.Delete([]byte(id)))
		} else if !ok && e.rng.IntN(6) == 0 {
			add(id, e.text())
		}
	}
	foreign[id] = e.text()
	add(id, foreign[id])
	_, err = w.Commit(context.Background())
	e.must(errors.Join(err, w.Close()))
}

// Files that have not changed are not read: not those with the same time, nor those with another time and the same
// contents. A file that was moved is deleted and added.
func TestCounts(t *testing.T) {
	f := newFolder(t)
	for i, name := range []string{"a.txt", "b.txt", "c.txt", "d.txt"} {
		f.write(name, "the text of "+name)
		f.age(name, i)
	}
	check := func(what string, want Counts, result index.Result) {
		t.Helper()
		got, r, err := f.sync(never, -1)
		if got.Unread = 0; err != nil || got != want || r != result {
			t.Errorf("%s: %+v, %+v, %v, want %+v, %+v", what, got, r, err, want, result)
		}
	}
	check("at first", Counts{Files: 4, New: 4}, index.Result{Added: 4})
	check("again", Counts{Files: 4}, index.Result{})
	f.age("a.txt", 100)
	f.write("b.txt", "another text")
	f.age("b.txt", 100)
	f.must(os.Rename(f.path("c.txt"), f.path("e.txt")))
	f.must(os.Remove(f.path("d.txt")))
	check("changed", Counts{Files: 3, New: 1, Changed: 1, Gone: 2, Renamed: 1, Touched: 1}, index.Result{Added: 1, Replaced: 1, Deleted: 2})
	check("in the end", Counts{Files: 3}, index.Result{})
	files, err := os.ReadDir(f.dir)
	if err != nil || len(files) > 6 {
		t.Errorf("%v, %v", files, err)
	}
}

// A file that changes shortly after it was read is found, though neither its size nor its time has changed.
func TestRacyClean(t *testing.T) {
	f := newFolder(t)
	f.write("a.txt", "one two three")
	info, err := os.Stat(f.path("a.txt"))
	f.must(err)
	for i, text := range []string{"one two three", "one two four!", "one two five!"} {
		f.write("a.txt", text)
		f.must(os.Chtimes(f.path("a.txt"), info.ModTime(), info.ModTime()))
		counts, _, err := f.sync(never, -1)
		if err != nil || counts.New+counts.Changed != 1 {
			t.Errorf("run %d: %+v, %v", i, counts, err)
		}
	}
	if got := contents(t, f.dir)["a.txt"]; got != "one two five!" {
		t.Errorf("%q", got)
	}
}

// On a file system whose clock has long steps, an edit leaves size and time as they are. It is found all the same if
// it comes right after the run, or in the run between the looks at the time of the file and at its contents.
func TestSameStepOfTheClock(t *testing.T) {
	clockStep = granularity
	defer func() { clockStep = 0 }()
	for _, during := range []bool{false, true} {
		for attempt := 0; ; attempt++ {
			f := newFolder(t)
			start := time.Now().Truncate(granularity)
			f.write("a.txt", "one two three")
			if during {
				f.opened = func() { f.write("a.txt", "one two four!") }
			}
			first, _, err := f.sync(never, -1)
			f.must(err)
			f.opened = nil
			f.write("a.txt", "one two five!")
			info, err := os.Stat(f.path("a.txt"))
			f.must(err)
			if !info.ModTime().Truncate(granularity).Equal(start) {
				if attempt == 20 {
					t.Skip("a run takes longer than a step")
				}
				continue
			}
			second, _, err := f.sync(never, -1)
			if err != nil || first.Meanwhile != 0 || second.Changed != 1 {
				t.Errorf("%+v, %+v, %v", first, second, err)
			}
			if got := contents(t, f.dir)["a.txt"]; got != "one two five!" {
				t.Errorf("during the run %v: %q", during, got)
			}
			break
		}
	}
}

// A file changes after its digest was taken, is read as it is then, and gets its old contents back. The digest of the
// catalogue is that of the file, and not that of the documents.
func TestChangedWhileItIsRead(t *testing.T) {
	f := newFolder(t)
	f.write("a.txt", "one two three")
	f.opened = func() {
		time.Sleep(20 * time.Millisecond) // more than a step of the clock
		f.write("a.txt", "one two four!")
	}
	counts, _, err := f.sync(never, -1)
	if err != nil || counts.Meanwhile != 1 || contents(t, f.dir)["a.txt"] != "one two four!" {
		t.Errorf("%+v, %v", counts, err)
	}
	f.opened = nil
	f.write("a.txt", "one two three")
	if counts, _, err = f.sync(never, -1); err != nil || counts.Meanwhile != 0 || contents(t, f.dir)["a.txt"] != "one two three" {
		t.Errorf("%+v, %v, %q", counts, err, contents(t, f.dir)["a.txt"])
	}
}

// Of a file that breaks off, the documents behind the break stay as they were, and the next run reads it again. A file
// that vanishes while the run goes on stays in the index until the next one.
func TestBrokenFiles(t *testing.T) {
	f := newFolder(t)
	f.write("a.jsonl", `{"id": "x", "text": "first"}`+"\n"+`{"id": "y", "text": "second"}`+"\n")
	f.write("b.txt", "vanishes")
	if _, _, err := f.sync(never, -1); err != nil {
		t.Fatal(err)
	}
	f.write("b.txt", "vanishes soon")
	f.write("a.jsonl", `{"id": "x", "text": "first changed"}`+"\n")
	w, err := index.OpenWriter(f.dir, settings(), index.WriterOptions{})
	f.must(err)
	s, err := New(context.Background(), w, 1)
	f.must(err)
	r, err := corpus.Open([]string{f.docs}, corpus.Options{Base: f.docs, Opening: func(file corpus.File) (bool, error) {
		read, err := s.Opening(file)
		if file.Path == filepath.ToSlash(f.path("b.txt")) {
			f.must(os.Remove(f.path("b.txt")))
		}
		return read, err
	}})
	f.must(err)
	f.must(s.Use(r))
	broken := func(yield func(*document.Document, error) bool) {
		for doc, err := range good(r, s) {
			if !yield(doc, err) {
				return
			}
			if doc.Line > 0 {
				s.Bad(&corpus.BadError{Path: doc.Source, Err: errors.New("the file ends too soon")})
			}
		}
	}
	more := false
	f.must(w.Ingest(context.Background(), s.Part(broken, func(*document.Document) bool { return false }, &more)))
	if s.Done() || more {
		t.Error("there is more")
	}
	_, err = s.Hand()
	f.must(err)
	_, err = w.Commit(context.Background())
	f.must(errors.Join(err, w.Close()))
	if s.Failed != 2 {
		t.Errorf("%+v", s.Counts)
	}
	want := map[string]string{"x": "first changed", "y": "second", "b.txt": "vanishes"}
	if got := contents(t, f.dir); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, _, err := f.sync(never, -1); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, f.dir); !maps.Equal(got, f.fresh()) {
		t.Errorf("in the end: %v", got)
	}
}
