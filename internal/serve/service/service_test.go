package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/tests/testkit"
)

// open opens a Service on a directory.
func open(t testing.TB, o Options) *Service {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// create makes a collection.
func create(t testing.TB, s *Service, name string, st Settings) {
	t.Helper()
	if _, created, err := s.Create(t.Context(), name, &st); err != nil || !created {
		t.Fatalf("%s: %v, %v", name, created, err)
	}
}

// ok returns a value, and fails if there is an error.
func ok[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// hasCode fails unless err is of a code.
func hasCode(t testing.TB, err error, code string) {
	t.Helper()
	if e := (*Error)(nil); !errors.As(err, &e) || e.Code != code {
		t.Errorf("%v: want %s", err, code)
	}
}

func textOf(s string) Content { return Content{Text: &s} }

func doc(id, text string, fields ...string) Document {
	d := Document{ID: id, Content: textOf(text)}
	for i := 0; i+1 < len(fields); i += 2 {
		if d.Fields == nil {
			d.Fields = map[string]any{}
		}
		d.Fields[fields[i]] = fields[i+1]
	}
	return d
}

const fox = "the quick brown fox jumps over the lazy dog while seven wizards watch from a hill"

// What is put can be found, read, replaced and deleted, before and after a restart.
func TestDocuments(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Data: dir})
	ctx := t.Context()
	create(t, s, "notes", Settings{Fields: []string{"lang", "n"}})
	outcomes := ok[[]Outcome](t)(s.Put(ctx, "notes", []Document{doc("a", fox, "lang", "en"), doc("b", "another text about ships", "other", "x"),
		doc("", fox+" again"), {ID: "bad"}, doc("a", fox, "lang", "en")}))
	var words []string
	for _, o := range outcomes {
		if o.Error != nil {
			o.Outcome = o.Error.Code
		}
		words = append(words, o.Outcome)
	}
	if want := []string{"added", "added", "added", "bad_request", "unchanged"}; !slices.Equal(words, want) {
		t.Errorf("outcomes %q, want %q", words, want)
	}
	for _, o := range []struct{ text, lang, want string }{{fox, "en", "unchanged"}, {fox, "de", "replaced"}, {strings.ToUpper(fox), "de", "replaced"}} {
		if got := ok[[]Outcome](t)(s.Put(ctx, "notes", []Document{doc("a", o.text, "lang", o.lang)})); got[0].Outcome != o.want {
			t.Errorf("%+v: %+v", o, got)
		}
	}
	check := func(s *Service) {
		t.Helper()
		d := ok[*Document](t)(s.Document(ctx, "notes", "a"))
		if d.Text == nil || *d.Text != strings.ToUpper(fox) || d.Fields["lang"] != "de" {
			t.Errorf("%+v", d)
		}
		query := fox
		a := ok[*NearAnswer](t)(s.Near(ctx, "notes", &NearRequest{Content: Content{Text: &query}, WithTexts: true}))
		if a.Total != 2 || a.Matches[0].ID != "a" || *a.Matches[0].Jaccard != 1 || a.Matches[0].Fields["lang"] != "de" || a.Matches[0].Text == "" {
			t.Errorf("%+v", a)
		}
		a = ok[*NearAnswer](t)(s.Near(ctx, "notes", &NearRequest{ID: "a", Where: []string{"lang=en"}}))
		if a.Total != 0 {
			t.Errorf("%+v", a)
		}
		if a = ok[*NearAnswer](t)(s.Near(ctx, "notes", &NearRequest{ID: "a", Nearest: 1})); len(a.Matches) != 1 || a.Matches[0].ID == "a" {
			t.Errorf("%+v", a)
		}
		if a = ok[*NearAnswer](t)(s.Near(ctx, "notes", &NearRequest{ID: "a", Nearness: Nearness{Jaccard: 1}})); a.Total != 0 || a.Nearest == nil {
			t.Errorf("%+v", a)
		}
		a = ok[*NearAnswer](t)(s.Near(ctx, "notes", &NearRequest{ID: "b"}))
		if a.Total != 0 || len(a.Matches) != 0 || a.Nearest != nil && a.Nearest.ID == "b" {
			t.Errorf("%+v", a)
		}
		if info := ok[Info](t)(s.Info(ctx, "notes")); info.Documents != 3 {
			t.Errorf("%+v", info)
		}
	}
	check(s)
	if err := s.Health(ctx); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, Options{Data: dir})
	check(s)
	got := ok[[]Outcome](t)(s.Delete(ctx, "notes", []string{"a", "x", "a"}))
	if got[0].Outcome != "deleted" || got[1].Outcome != "absent" || got[2].Outcome != "absent" {
		t.Errorf("%+v", got)
	}
	_, err := s.Document(ctx, "notes", "a")
	hasCode(t, err, NotFound)
	var out strings.Builder
	if err := s.Export(ctx, "notes", &out); err != nil || strings.Count(out.String(), "\n") != 2 || !strings.Contains(out.String(), "about ships") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// An empty collection stays, with its settings. Making it again is harmless, and with other settings a conflict.
func TestCollections(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Data: dir})
	ctx := t.Context()
	settings := map[string]Settings{
		"texts":  {},
		"words":  {Features: "word:3", Jaccard: 0.6, Fields: []string{"url", "date"}, Passages: true},
		"prints": {Holds: Fingerprints, K: 6},
		"by-k":   {K: 5},
		"sets":   {Holds: Sets, Jaccard: 0.5, Keep: "nothing"},
		"bits32": {Holds: Fingerprints, Bits: 32},
	}
	for name, st := range settings {
		create(t, s, name, st)
	}
	before := ok[[]Info](t)(s.List(ctx))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, Options{Data: dir})
	after := ok[[]Info](t)(s.List(ctx))
	for i := range after { // a lock has the number of its process
		if after[i].Bytes == 0 {
			t.Errorf("%+v", after[i])
		}
		before[min(i, len(before)-1)].Bytes, after[i].Bytes = 0, 0
	}
	if len(before) != len(settings) || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v\n%v", before, after)
	}
	for name, st := range settings {
		if _, created, err := s.Create(ctx, name, &st); created || err != nil {
			t.Errorf("%s is not as it was made: %v, %v", name, created, err)
		}
		_, _, err := s.Create(ctx, name, &Settings{Features: "char:7"})
		hasCode(t, err, Conflict)
	}
	for _, st := range []Settings{{Holds: "x"}, {Features: "x"}, {Jaccard: 2}, {K: -1}, {Bits: 7}, {Keep: "source"},
		{Holds: Fingerprints, Jaccard: 0.5}, {Holds: Fingerprints, Passages: true}, {Keep: "nothing", Passages: true}, {Fields: []string{"a", "a"}},
		{Fields: []string{"a,b"}}, {K: 3, Jaccard: 0.5}, {Holds: Sets, Features: "word:3"}} {
		_, _, err := s.Create(ctx, "new", &st)
		hasCode(t, err, BadRequest)
	}
	for _, name := range []string{"", "..", "a/b", "A", "-a", ".dropped-a", strings.Repeat("a", 65), "a\x00", "lock.x"} {
		_, _, err := s.Create(ctx, name, nil)
		hasCode(t, err, BadRequest)
		_, err = s.Info(ctx, name)
		hasCode(t, err, BadRequest)
	}
	for name := range settings {
		if err := s.Drop(ctx, name); err != nil {
			t.Error(err)
		}
		hasCode(t, s.Drop(ctx, name), NotFound)
	}
	if left := ok[[]Info](t)(s.List(ctx)); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	create(t, s, "texts", Settings{K: 3})
}

// A collection that another process writes is not dropped, and the client is not told where it is.
func TestDropOfAnothersCollection(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	made := open(t, Options{Data: dir})
	create(t, made, "c", Settings{})
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, Options{Index: filepath.Join(dir, "c")})
	s := open(t, Options{Data: dir})
	err := s.Drop(ctx, "c")
	hasCode(t, err, Unavailable)
	var e *Error
	if !errors.As(err, &e) || strings.Contains(e.Message, dir) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%#v", e)
	}
}

// A directory of collections has one server that may change them, and others that may not.
func TestOneServer(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Data: dir})
	create(t, s, "c", Settings{})
	if _, err := Open(Options{Data: dir}); !errors.As(err, new(*disk.LockedError)) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a second server: %v", err)
	}
	open(t, Options{Data: dir, ReadOnly: true})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	odd := t.TempDir()
	if err := os.Mkdir(filepath.Join(odd, lockName), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Data: odd}); err == nil || errors.As(err, new(*disk.LockedError)) {
		t.Errorf("a directory in the place of the lock: %v", err)
	}
	if left := ok[[]Info](t)(open(t, Options{Data: dir}).List(t.Context())); len(left) != 1 {
		t.Errorf("%v", left)
	}
}

// Fingerprints and sets are found as texts are.
func TestOtherContents(t *testing.T) {
	s := open(t, Options{Data: t.TempDir()})
	ctx := t.Context()
	create(t, s, "prints", Settings{Holds: Fingerprints})
	create(t, s, "sets", Settings{Holds: Sets, Jaccard: 0.5})
	of := func(hex string) Content { return Content{Fingerprint: hex} }
	ok[[]Outcome](t)(s.Put(ctx, "prints", []Document{{ID: "a", Content: of("00000000000000ff")}, {ID: "b", Content: of("ffffffff00000000")}}))
	a := ok[[]NearAnswer](t)(s.NearAll(ctx, "prints", []NearRequest{{Content: of("00000000000000fe")}, {Content: of("0f0f0f0f0f0f0f0f")}}))
	if len(a) != 2 || a[0].Total != 1 || a[0].Matches[0].ID != "a" || *a[0].Matches[0].Distance != 1 || a[1].Total != 0 || a[1].Nearest != nil {
		t.Errorf("%+v", a)
	}
	if d := ok[*Document](t)(s.Document(ctx, "prints", "a")); d.Fingerprint != "00000000000000ff" {
		t.Errorf("%+v", d)
	}
	_, err := s.Near(ctx, "prints", &NearRequest{Content: textOf("a text")})
	hasCode(t, err, BadRequest)
	ok[[]Outcome](t)(s.Put(ctx, "sets", []Document{{ID: "a", Content: Content{Set: []string{"x y", "y", "z"}}}}))
	b := ok[*NearAnswer](t)(s.Near(ctx, "sets", &NearRequest{Content: Content{Set: []string{"z", "y"}}}))
	if b.Total != 1 || b.Matches[0].Distance == nil || *b.Matches[0].Jaccard < 0.66 {
		t.Errorf("%+v", b)
	}
	if d := ok[*Document](t)(s.Document(ctx, "sets", "a")); !slices.Equal(d.Set, []string{"x_y", "y", "z"}) {
		t.Errorf("%+v", d)
	}
	got := ok[[]CheckAnswer](t)(s.CheckAndAdd(ctx, "prints", "", []CheckRequest{{Document: Document{Content: of("00000000000000fc")}}, {Document: Document{Content: of("0f0f0f0f0f0f0f0f")}}}))
	if got[0].New || got[0].Match.ID != "a" || !got[1].New || got[1].ID == "" {
		t.Errorf("%+v", got)
	}
}

// What becomes of near documents: each policy, ids of contents, repeated requests, and matches with their fields.
func TestPolicies(t *testing.T) {
	s := open(t, Options{Data: t.TempDir()})
	ctx := t.Context()
	create(t, s, "c", Settings{Fields: []string{"near", "n"}})
	check := func(id, text, policy string) CheckAnswer {
		t.Helper()
		return ok[[]CheckAnswer](t)(s.CheckAndAdd(ctx, "c", "", []CheckRequest{{Document: doc(id, text, "n", "1"), IfNear: policy}}))[0]
	}
	first := check("a", fox, "")
	again := check("a", fox, "reject")
	near := check("b", fox+" too", "")
	if !first.New || again.New || again.Match.ID != "a" || near.New || near.Match.ID != "a" || near.Match.Fields["n"] != "1" || *near.Match.Jaccard >= 1 {
		t.Errorf("%+v %+v %+v", first, again, near)
	}
	linked := check("b", fox+" too", "link")
	if linked.New || linked.Match.ID != "a" {
		t.Errorf("%+v", linked)
	}
	if d := ok[*Document](t)(s.Document(ctx, "c", "b")); d.Fields["near"] != "a" || d.Fields["n"] != "1" {
		t.Errorf("%+v", d)
	}
	replaces := check("c", fox+" now", "replace")
	if replaces.New || replaces.Match == nil {
		t.Errorf("%+v", replaces)
	}
	if info := ok[Info](t)(s.Info(ctx, "c")); info.Documents != 1 {
		t.Errorf("%+v", info)
	}
	if other := check("c", "a text about quite other things", ""); !other.New {
		t.Errorf("a new text under an id that is there: %+v", other)
	}
	none := check("", "of content", "")
	same := check("", "of content", "")
	if !none.New || same.New || same.Match.ID != none.ID || same.ID != none.ID {
		t.Errorf("%+v %+v", none, same)
	}
	for range 2 {
		if a := check("", "...", ""); a.ID == "" || a.New == (a.Match != nil) {
			t.Errorf("%+v", a)
		}
	}
	batch := ok[[]CheckAnswer](t)(s.CheckAndAdd(ctx, "c", "", []CheckRequest{{Document: doc("p", "one two three four five")}, {Document: doc("q", "One, two, three, four, five!")},
		{Document: doc("r", "one two three four five"), IfNear: "replace"}, {Document: doc("s", "one two three four five")}, {IfNear: "never"}}))
	if !batch[0].New || batch[1].New || batch[1].Match.ID != "p" || batch[2].Match.ID != "p" || batch[3].Match.ID != "r" || batch[4].Error == nil {
		raw, _ := json.Marshal(batch)
		t.Errorf("%s", raw)
	}
}

// Of near texts that many clients send at once, exactly one of each group is new, and what is there at the end is
// what was said to be.
func TestExactlyOneIsNew(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Data: dir})
	create(t, s, "c", Settings{})
	const clients = 64
	groups := testkit.Of(100, 3000)
	g := testkit.NewWords(1)
	texts := make([]string, groups)
	for i := range texts {
		texts[i] = g.Text(40)
	}
	var mu sync.Mutex
	accepted := map[int][]string{}
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for i := range groups {
				group := (i + client/8) % groups
				id := fmt.Sprintf("%d-%d", group, client)
				a, err := s.CheckAndAdd(context.Background(), "c", "", []CheckRequest{{Document: doc(id, texts[group]+" by"+strings.Repeat("x", client))}})
				if err != nil {
					t.Error(err)
					return
				}
				if a[0].New {
					mu.Lock()
					accepted[group] = append(accepted[group], id)
					mu.Unlock()
				} else if !strings.HasPrefix(a[0].Match.ID, fmt.Sprint(group, "-")) {
					t.Errorf("%s is near %+v", id, a[0].Match)
				}
			}
		})
	}
	wg.Wait()
	for group := range groups {
		if len(accepted[group]) != 1 {
			t.Errorf("of group %d, %q are new", group, accepted[group])
		} else if _, err := s.Document(t.Context(), "c", accepted[group][0]); err != nil {
			t.Error(err)
		}
	}
	if info := ok[Info](t)(s.Info(t.Context(), "c")); info.Documents != groups {
		t.Errorf("%d documents, want %d", info.Documents, groups)
	}
}
