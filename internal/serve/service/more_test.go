package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index"
	"simsearch/internal/match/sequences"
	"simsearch/internal/serve/gate"
	"simsearch/internal/tests/testkit"
)

// Passages are found in a collection that was made for them, and in another one that keeps texts.
func TestPassages(t *testing.T) {
	s := open(t, Options{Data: t.TempDir()})
	ctx := t.Context()
	words := testkit.NewWords(3)
	shared := words.Text(80)
	for name, st := range map[string]Settings{"with": {Passages: true, Fields: []string{"n"}}, "without": {Fields: []string{"n"}}} {
		create(t, s, name, st)
		ok[[]Outcome](t)(s.Put(ctx, name, []Document{doc("a", words.Text(50)+"\n"+shared+"\n"+words.Text(30), "n", "1"), doc("b", words.Text(100)),
			doc("c", shared+words.Text(200), "n", "2")}))
		query := "before " + shared + " behind"
		for range 2 {
			a := ok[*NearAnswer](t)(s.Near(ctx, name, &NearRequest{Content: textOf(query), Nearness: Nearness{Passages: true}, Limit: 1, WithTexts: true}))
			if a.Total != 2 || len(a.Matches) != 1 || len(a.Matches[0].Passages) == 0 || a.Matches[0].QueryShare == nil {
				t.Fatalf("%s: %+v", name, a)
			}
			p, m := a.Matches[0].Passages[0], a.Matches[0]
			if got := m.Text[p.Document[0]:p.Document[1]]; !strings.Contains(shared, strings.Fields(got)[3]) || p.Words < 30 {
				t.Errorf("%s: %q, %+v", name, got, p)
			}
		}
		a := ok[*NearAnswer](t)(s.Near(ctx, name, &NearRequest{ID: "a", Nearness: Nearness{Passages: true}, Where: []string{"n=2"}}))
		if a.Total != 1 || a.Matches[0].ID != "c" || a.Matches[0].Fields["n"] != "2" {
			t.Errorf("%s: %+v", name, a)
		}
		ok[[]Outcome](t)(s.Put(ctx, name, []Document{doc("d", "more: "+shared)})) // which is found at once
		a = ok[*NearAnswer](t)(s.Near(ctx, name, &NearRequest{Content: textOf(query), Nearness: Nearness{Passages: true}}))
		if a.Total != 3 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	// A service has bounds and boilerplate of its own.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for share, o := range map[int]Options{0: {Boilerplate: []string{shared}}, 2: {Passages: sequences.Bounds{Words: 20, Edits: .1}}} {
		o.Data = t.TempDir()
		s = open(t, o)
		create(t, s, "own", Settings{Passages: true})
		ok[[]Outcome](t)(s.Put(ctx, "own", []Document{doc("a", shared+words.Text(50)), doc("b", words.Text(50)+strings.Join(strings.Fields(shared)[:25], " "))}))
		if a := ok[*NearAnswer](t)(s.Near(ctx, "own", &NearRequest{Content: textOf(shared), Nearness: Nearness{Passages: true}})); a.Total != share {
			t.Errorf("%+v: %+v", o, a)
		}
	}
	create(t, s, "nothing", Settings{Keep: "nothing"})
	ok[[]Outcome](t)(s.Put(ctx, "nothing", []Document{doc("a", shared)}))
	_, err := s.Near(ctx, "nothing", &NearRequest{Content: textOf(shared), Nearness: Nearness{Passages: true}})
	hasCode(t, err, BadRequest)
}

// Compare answers what the command prints as JSON.
func TestCompare(t *testing.T) {
	s := open(t, Options{Data: t.TempDir()})
	ctx := t.Context()
	create(t, s, "c", Settings{})
	ok[[]Outcome](t)(s.Put(ctx, "c", []Document{doc("a", fox)}))
	text := fox + " too"
	raw := ok[CompareAnswer](t)(s.Compare(ctx, "c", &CompareRequest{A: Side{ID: "a"}, B: Side{Text: &text}}))
	var object struct {
		V       int
		Jaccard struct{ Exact float64 }
		Changes []any
		Near    *bool
	}
	if err := json.Unmarshal(raw, &object); err != nil || object.V != 1 || object.Jaccard.Exact < 0.9 || object.Jaccard.Exact == 1 || object.Near != nil {
		t.Errorf("%s: %v", raw, err)
	}
	for _, r := range []CompareRequest{{}, {A: Side{ID: "a"}}, {A: Side{ID: "a"}, B: Side{ID: "a", Text: &text}}} {
		_, err := s.Compare(ctx, "c", &r)
		hasCode(t, err, BadRequest)
	}
	_, err := s.Compare(ctx, "c", &CompareRequest{A: Side{ID: "a"}, B: Side{ID: "none"}})
	hasCode(t, err, NotFound)
	long := strings.Repeat("a", mostText+1)
	_, err = s.Compare(ctx, "c", &CompareRequest{A: Side{ID: "a"}, B: Side{Text: &long}})
	hasCode(t, err, TooLarge)
	_, err = s.Near(ctx, "c", &NearRequest{Content: textOf(long)})
	hasCode(t, err, TooLarge)
}

// Pages of groups go on as they began while documents come and go. Listings that were forgotten say so.
func TestGroups(t *testing.T) {
	s := open(t, Options{Data: t.TempDir()})
	ctx := t.Context()
	create(t, s, "c", Settings{Fields: []string{"n"}})
	words := testkit.NewWords(3)
	const groups = 12
	var docs []Document
	var texts []string
	for i := range groups {
		texts = append(texts, words.Text(30))
		for copied := range i + 2 {
			docs = append(docs, doc(fmt.Sprintf("%d-%d", i, copied), fmt.Sprint(texts[i], " x", copied), "n", fmt.Sprint(copied%2)))
		}
	}
	ok[[]Outcome](t)(s.Put(ctx, "c", docs))
	var sizes []int
	cursor := ""
	for page := 0; page == 0 || cursor != ""; page++ {
		p := ok[*GroupsPage](t)(s.Groups(ctx, "c", &GroupsRequest{Cursor: cursor, Limit: 5, Members: 3}))
		if p.Total != groups {
			t.Errorf("%+v", p)
		}
		for _, g := range p.Groups {
			sizes = append(sizes, g.Size)
			if len(g.Members) != min(3, g.Size) || g.Jaccard == nil || g.Members[0].Fields["n"] == "" {
				t.Errorf("%+v", g)
			}
		}
		cursor = p.Cursor
		// what is listed goes, and comes
		ok[[]Outcome](t)(s.Delete(ctx, "c", []string{fmt.Sprintf("%d-0", page), fmt.Sprintf("%d-1", page)}))
		ok[[]Outcome](t)(s.Put(ctx, "c", []Document{doc(fmt.Sprint("new", page), texts[page])}))
	}
	if want := []int{13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2}; !slices.Equal(sizes, want) {
		t.Errorf("sizes %v, want %v", sizes, want)
	}
	ok[[]Outcome](t)(s.Put(ctx, "c", []Document{doc("4-same", fmt.Sprint(texts[4], " x0")), doc("9-same", fmt.Sprint(texts[9], " x0"))}))
	nearest := ok[*GroupsPage](t)(s.Groups(ctx, "c", &GroupsRequest{OfPage: true, Nearness: Nearness{Jaccard: 0.7}})).Groups
	of := func(g *Group) []float64 { return []float64{*g.Members[1].Jaccard, *g.Jaccard, float64(g.Size)} }
	for i := range nearest[1:] {
		if a, b := of(&nearest[i]), of(&nearest[i+1]); slices.Compare(a, b) < 0 {
			t.Errorf("the nearest first: %v comes before %v", a, b)
		}
	}
	for _, g := range nearest {
		for i := range g.Members[2:] {
			if *g.Members[i+1].Jaccard < *g.Members[i+2].Jaccard {
				t.Errorf("the nearest document of a group is not the first: %+v", g.Members)
			}
		}
	}
	if of(&nearest[0])[0] != 1 || of(&nearest[0])[1] == 1 || of(&nearest[len(nearest)-1])[0] == 1 {
		t.Errorf("equal texts come first, beside others, too: %+v", nearest[0])
	}
	first := ok[*GroupsPage](t)(s.Groups(ctx, "c", &GroupsRequest{Limit: 1, Where: []string{"n=1"}, Nearness: Nearness{Jaccard: 0.7}}))
	for i := range mostListings {
		ok[*GroupsPage](t)(s.Groups(ctx, "c", &GroupsRequest{Limit: 1, Nearness: Nearness{Jaccard: 0.9 + float64(i)/100}}))
	}
	_, err := s.Groups(ctx, "c", &GroupsRequest{Cursor: first.Cursor})
	hasCode(t, err, NotFound)
	for _, r := range []GroupsRequest{{Cursor: "x"}, {Cursor: "x.-1"}, {Limit: -1}, {Members: 1 << 20}, {Where: []string{"m=1"}}, {Nearness: Nearness{Passages: true}}} {
		_, err := s.Groups(ctx, "c", &r)
		hasCode(t, err, BadRequest)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err = s.Groups(stopped, "c", &GroupsRequest{})
	hasCode(t, err, Deadline)
	late, end := context.WithDeadline(ctx, time.Now())
	defer end()
	if _, err = s.Groups(late, "c", &GroupsRequest{}); err == nil || err.Error() != "this took too long: ask for less at once" {
		t.Error(err)
	}
	hasCode(t, err, Deadline)
}

// A collection that is mounted is followed when it grows, and when it is replaced as a whole, and no request fails
// meanwhile.
func TestMounts(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	write := func(name string, n int) string {
		data := filepath.Join(dir, "data"+name)
		w := open(t, Options{Data: data})
		create(t, w, "c", Settings{})
		for i := range n {
			ok[[]Outcome](t)(w.Put(ctx, "c", []Document{doc(fmt.Sprint(i), fmt.Sprint(fox, " number", i))}))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(data, "c")
	}
	at := filepath.Join(dir, "mounted")
	if err := os.Rename(write("0", 3), at); err != nil {
		t.Fatal(err)
	}
	s := open(t, Options{Mounts: map[string]string{"m": at}})
	_, err := s.Put(ctx, "m", []Document{doc("x", "y")})
	hasCode(t, err, ReadOnly)
	_, err = s.CheckAndAdd(ctx, "m", "k", []CheckRequest{{Document: doc("x", "y")}})
	hasCode(t, err, ReadOnly)
	hasCode(t, s.Drop(ctx, "m"), ReadOnly)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				a, err := s.Near(context.Background(), "m", &NearRequest{Content: textOf(fox)})
				if err != nil || a.Total < 3 {
					t.Errorf("%+v: %v", a, err)
					return
				}
			}
		})
	}
	become := func(n int) {
		t.Helper()
		for range 100 {
			if info := ok[Info](t)(s.Info(ctx, "m")); info.Documents == n && info.ReadOnly {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("there are not %d documents", n)
	}
	other := write("1", 5)
	if err := errors.Join(os.Rename(at, at+".old"), os.Rename(other, at), os.RemoveAll(at+".old")); err != nil {
		t.Fatal(err)
	}
	become(5)
	w := open(t, Options{Index: at}) // another process
	for i := range 10 {
		ok[[]Outcome](t)(w.Put(ctx, "default", []Document{doc(fmt.Sprint("more", i), fox)}))
	}
	become(15)
	close(stop)
	wg.Wait()
}

// What is no collection is left alone: links, files, directories with other things, names that are not allowed. A
// damaged collection does not keep others from being served.
func TestOtherThingsInData(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	ctx := t.Context()
	s := open(t, Options{Data: dir})
	create(t, s, "a", Settings{})
	create(t, s, "broken", Settings{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other := open(t, Options{Data: outside})
	create(t, other, "real", Settings{})
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(dir, "mine", "note.txt")
	err := errors.Join(os.Symlink(filepath.Join(outside, "real"), filepath.Join(dir, "link")), os.Mkdir(filepath.Join(dir, "mine"), 0o755),
		os.WriteFile(note, []byte("mine"), 0o644), os.WriteFile(filepath.Join(dir, "file"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "broken", index.ManifestName), []byte("{"), 0o644), os.WriteFile(filepath.Join(dir, "a", "note.txt"), nil, 0o644),
		os.Mkdir(filepath.Join(dir, ".dropped-x"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, Options{Data: dir})
	var names []string
	for _, info := range ok[[]Info](t)(s.List(ctx)) {
		names = append(names, info.Name)
	}
	if want := []string{"a", "broken"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	_, err = s.Near(ctx, "broken", &NearRequest{Content: textOf(fox)})
	hasCode(t, err, Internal)
	hasCode(t, s.Health(ctx), Internal)
	ok[*NearAnswer](t)(s.Near(ctx, "a", &NearRequest{Content: textOf(fox)}))
	for _, name := range []string{"link", "mine", "file"} {
		_, _, err := s.Create(ctx, name, nil)
		hasCode(t, err, Conflict)
	}
	if err := s.Drop(ctx, "a"); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".dropped-*", "*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "note.txt" {
		t.Errorf("%q are left: %v", left, err)
	}
	if _, err := os.Stat(note); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(outside, "real", index.ManifestName)); err != nil {
		t.Error(err)
	}
}

// Whichever operation of the disk fails, a collection is made or not, what was acknowledged is there, keys that were
// answered keep their answers, and a dropped collection is gone or stays.
func TestEveryOperationFails(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	run := func(fsys disk.FS, dir string) (done []string, err error) {
		s, err := Open(Options{Data: dir, disk: fsys})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		if _, _, err := s.Create(ctx, "c", nil); err != nil {
			return nil, err
		}
		done = append(done, "c")
		if _, err := s.CheckAndAdd(ctx, "c", "key", []CheckRequest{{Document: doc("a", fox)}}); err != nil {
			return done, err
		}
		done = append(done, "a")
		if _, _, err := s.Create(ctx, "gone", nil); err != nil {
			return done, err
		}
		if err := s.Drop(ctx, "gone"); err != nil {
			return done, err
		}
		return append(done, "gone"), nil
	}
	failed := 0
	for at := 0; ; at += testkit.Of(3, 1) {
		dir := t.TempDir()
		n, broke := 0, false
		fsys := &disktest.FS{Base: disk.OSAsDirectory, Before: func(op disktest.Op) (int, error) {
			n++
			if n-1 == at && op.Writes() {
				broke = true
				return 0, syscall.EIO
			}
			return 0, nil
		}}
		done, err := run(fsys, dir)
		if !broke && n <= at {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if err != nil {
			failed++
		}
		s := open(t, Options{Data: dir})
		for _, name := range done {
			switch name {
			case "c":
				ok[Info](t)(s.Info(ctx, "c"))
			case "a":
				again := ok[[]CheckAnswer](t)(s.CheckAndAdd(ctx, "c", "key", []CheckRequest{{Document: doc("a", fox)}}))
				if !again[0].New {
					t.Errorf("operation %d: %+v", at, again)
				}
				ok[*Document](t)(s.Document(ctx, "c", "a"))
			case "gone":
				_, err := s.Info(ctx, "gone")
				hasCode(t, err, NotFound)
			}
		}
		for _, info := range ok[[]Info](t)(s.List(ctx)) { // whatever is there can be used
			ok[[]Outcome](t)(s.Put(ctx, info.Name, []Document{doc("later", "something that comes later")}))
		}
		if _, _, err := s.Create(ctx, "c", nil); err != nil {
			t.Errorf("operation %d: %v", at, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if failed < 5 {
		t.Errorf("only %d operations have failed", failed)
	}
}

// After a sync has failed, the collection is opened again by itself: what was acknowledged is there, and more is added.
func TestAFailedSync(t *testing.T) {
	var fails atomic.Bool
	fsys := &disktest.FS{Base: disk.OSAsDirectory, Before: func(op disktest.Op) (int, error) {
		if op.Kind == "sync" && strings.HasSuffix(op.Path, ".log") && fails.CompareAndSwap(true, false) {
			return 0, syscall.EIO
		}
		return 0, nil
	}}
	s := open(t, Options{Data: t.TempDir(), disk: fsys})
	ctx := t.Context()
	create(t, s, "c", Settings{})
	for i := range 6 {
		id := fmt.Sprint(i)
		ok[[]Outcome](t)(s.Put(ctx, "c", []Document{doc(id, fox+id)}))
		fails.Store(true)
		_, err := s.CheckAndAdd(ctx, "c", "", []CheckRequest{{Document: doc("x"+id, "text "+id)}})
		hasCode(t, err, Unavailable)
		if d := ok[*Document](t)(s.Document(ctx, "c", id)); d.Text == nil {
			t.Errorf("%+v", d)
		}
	}
}

// A meeting is a file system on which so many directories are synced at once.
type meeting struct {
	disk.FS
	together       int64
	waiting, alone atomic.Int64
	all            chan struct{}
}

func (m *meeting) SyncDir(dir string) error {
	if m.waiting.Add(1) == m.together {
		close(m.all)
	}
	select {
	case <-m.all:
	case <-time.After(10 * time.Second):
		m.alone.Add(1)
	}
	return m.FS.SyncDir(dir)
}

// Collections are opened together: their syncs wait for each other here. One whose sync fails is tried again, and the
// others are served meanwhile. The error of one that was named is told.
func TestManyCollectionsAreOpenedTogether(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	const n, together = 24, 8
	s := open(t, Options{Data: dir})
	for i := range n {
		name := fmt.Sprint("c", i)
		create(t, s, name, Settings{})
		ok[[]CheckAnswer](t)(s.CheckAndAdd(ctx, name, "key", []CheckRequest{{Document: doc(name, fox)}}))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	fsys := &meeting{together: together, all: make(chan struct{}), FS: &disktest.FS{Base: disk.OSAsDirectory, Before: func(op disktest.Op) (int, error) {
		if op.Kind == "sync" && strings.Contains(op.Path, "c7"+string(filepath.Separator)) {
			return 0, syscall.EIO
		}
		return 0, nil
	}}}
	s = open(t, Options{Data: dir, disk: fsys})
	if alone := fsys.alone.Load(); alone > 0 {
		t.Errorf("%d collections have been opened alone", alone)
	}
	for i := range n {
		name := fmt.Sprint("c", i)
		d, err := s.Document(ctx, name, name)
		if i == 7 {
			hasCode(t, err, Unavailable)
		} else if err != nil || d.ID != name {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	if infos := ok[[]Info](t)(s.List(ctx)); len(infos) != n {
		t.Errorf("%d collections", len(infos))
	}
	if err := s.Health(ctx); err == nil {
		t.Error("a collection that cannot be opened is healthy")
	}
	if _, err := Open(Options{Index: filepath.Join(dir, "c7"), disk: fsys}); err == nil || !strings.Contains(err.Error(), DefaultCollection) {
		t.Errorf("an index that was named and cannot be opened: %v", err)
	}
}

// A panic is an answer that says so, and no result.
func TestPanic(t *testing.T) {
	result, err := guarded(t.Context(), func() ([]Outcome, error) { panic("ouch") })
	hasCode(t, err, Internal)
	if result != nil || !strings.Contains(err.Error(), "ouch") {
		t.Errorf("%v, %v", result, err)
	}
}

// Keys tell requests apart, and of requests with one key at once one is done.
func TestKeys(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Data: dir})
	ctx := t.Context()
	create(t, s, "c", Settings{})
	request := []CheckRequest{{Document: doc("a", fox)}, {Document: Document{}}}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			a, err := s.CheckAndAdd(context.Background(), "c", "one", request)
			if err != nil || !a[0].New || a[1].Error == nil {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	wg.Wait()
	_, err := s.CheckAndAdd(ctx, "c", "one", request[:1])
	hasCode(t, err, Conflict)
	_, err = s.CheckAndAdd(ctx, "c", strings.Repeat("x", mostKey+1), request)
	hasCode(t, err, BadRequest)
	a := ok[[]CheckAnswer](t)(s.CheckAndAdd(ctx, "c", "two", request))
	if a[0].New || a[0].Match.ID != "a" {
		t.Errorf("%+v", a)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err = s.CheckAndAdd(stopped, "c", "three", request)
	hasCode(t, err, Deadline)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, Options{Data: dir, keyLives: -2 * time.Second}) // new ones are old at once
	a = ok[[]CheckAnswer](t)(s.CheckAndAdd(ctx, "c", "one", request))
	if !a[0].New || a[1].Error == nil {
		t.Errorf("%+v", a)
	}
	for range 2 {
		later := ok[[]CheckAnswer](t)(s.CheckAndAdd(ctx, "c", "four", []CheckRequest{{Document: doc("b", "something else that comes later")}}))
		if later[0].New == (later[0].Match != nil) {
			t.Errorf("%+v", later)
		}
		a = append(a, later...)
	}
	if !a[2].New || a[3].New {
		t.Errorf("a key that is a day old: %+v", a[2:])
	}
}

// Of two requests with a key that come at once, the one that is slower is told what the other has been told.
func TestSlowerRequestWithAKey(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Data: t.TempDir()})
	create(t, s, "c", Settings{})
	request := []CheckRequest{{Document: doc("a", fox)}}
	k, err := s.newKeyed("key", request)
	if err != nil {
		t.Fatal(err)
	}
	_, err = on(t.Context(), s, "c", func(c *collection) (struct{}, error) {
		g, err := c.writable()
		for range 2 { // both have found that nothing is noted
			answers := make([]CheckAnswer, 1)
			if err = errors.Join(err, c.check(t.Context(), g, k, 0, request, answers)); err == nil && !answers[0].New {
				t.Errorf("%+v", answers)
			}
		}
		return struct{}{}, err
	})
	if err != nil {
		t.Error(err)
	}
}

// All lines of a long request with a key are decided on, and a request that is repeated is told the same of each.
func TestKeysOfManyLines(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Data: t.TempDir()})
	create(t, s, "c", Settings{})
	words := testkit.NewWords(8)
	request := make([]CheckRequest, 2*gate.AtOnce+3)
	for i := range request {
		request[i].Document = doc("", words.Text(20)) // the id is made of the text
	}
	request[5].Document = Document{} // which is refused
	first := ok[[]CheckAnswer](t)(s.CheckAndAdd(t.Context(), "c", "key", request))
	for i, a := range first {
		if a.New != (i != 5) || (a.ID == "") != (i == 5) || (a.Error != nil) != (i == 5) {
			t.Fatalf("line %d: %+v", i, a)
		}
	}
	again := ok[[]CheckAnswer](t)(s.CheckAndAdd(t.Context(), "c", "key", request))
	if !reflect.DeepEqual(again, first) {
		t.Errorf("%+v, want %+v", again, first)
	}
	if _, err := s.Document(t.Context(), "c", first[len(first)-1].ID); err != nil {
		t.Error(err)
	}
}

// FuzzRequests asks for whatever a body says: it is answered, or an error of the client.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{`{"text":"the quick brown fox"}`, `{"id":"a","k":3}`, `{"text":"x","jaccard":0.1,"nearest":3,"with_texts":true}`, `{"fingerprint":"00ff"}`,
		`{"set":["a"],"contained":0.9}`, `{"text":"fox","passages":true,"where":["n=1"]}`, `{"text":"","if_near":"link","fields":{"n":1.5e300,"near":[1]}}`,
		`{"a":{"id":"a"},"b":{"text":"fox"}}`, `{"cursor":"x.1","limit":3}`, `{"id":"\u0000","text":"\ud800"}`} {
		f.Add([]byte(body))
	}
	s := open(f, Options{Data: f.TempDir()})
	create(f, s, "c", Settings{Fields: []string{"n", "near"}})
	if _, err := s.Put(context.Background(), "c", []Document{doc("a", fox, "n", "1")}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		ctx := t.Context()
		answered := func(err error) {
			if e := (*Error)(nil); err != nil && (!errors.As(err, &e) || e.Code != BadRequest && e.Code != NotFound && e.Code != TooLarge) {
				t.Errorf("%s: %v", body, err)
			}
		}
		if r := (NearRequest{}); json.Unmarshal(body, &r) == nil {
			a, err := s.Near(ctx, "c", &r)
			answered(err)
			all, err := s.NearAll(ctx, "c", []NearRequest{r, r})
			if answered(err); err == nil && a != nil && all[0].Total != a.Total {
				t.Errorf("%s: %d and %d", body, a.Total, all[0].Total)
			}
		}
		if r := (CheckRequest{}); json.Unmarshal(body, &r) == nil {
			_, err := s.CheckAndAdd(ctx, "c", "", []CheckRequest{r})
			answered(err)
		}
		if d := (Document{}); json.Unmarshal(body, &d) == nil {
			_, err := s.Put(ctx, "c", []Document{d})
			answered(err)
		}
		if r := (CompareRequest{}); json.Unmarshal(body, &r) == nil {
			_, err := s.Compare(ctx, "c", &r)
			answered(err)
		}
		if r := (GroupsRequest{}); json.Unmarshal(body, &r) == nil {
			_, err := s.Groups(ctx, "c", &r)
			answered(err)
		}
		if st := (Settings{}); json.Unmarshal(body, &st) == nil {
			_, _, err := st.Plan()
			answered(err)
		}
	})
}
