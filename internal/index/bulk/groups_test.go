package bulk

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/section"
	"simsearch/tables"
)

var names = Names{"high", "first", "counts", "members"}

// crowded is a number of kinds of which four in five documents have one.
const crowded = 1 << 41

// random returns groups of some of n documents, and the group of each.
func random(rng *rand.Rand, n, kinds int) (g tables.Groups, of []uint32) {
	var fps []uint64
	var docs []uint32
	for doc := range n {
		if rng.IntN(10) > 0 {
			kind := rng.IntN(kinds)
			if kinds == crowded && rng.IntN(5) > 0 {
				kind = kinds / 2
			}
			fps, docs = append(fps, uint64(kind)), append(docs, uint32(doc))
		}
	}
	g = tables.Group(fps, 1, docs)
	of = slices.Repeat([]uint32{None}, n)
	for i := range g.Values {
		for _, doc := range g.Members(uint32(i)) {
			of[doc] = uint32(i)
		}
	}
	return g, of
}

// parse returns the sections that write writes.
func parse(t testing.TB, write func(w *section.Writer)) *section.File {
	t.Helper()
	var buf bytes.Buffer
	w := section.NewWriter(&buf)
	write(w)
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestGroups(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 6))
	for _, size := range [][2]int{{1, 1}, {10, 1}, {10, 100}, {64, 1000}, {512, 1 << 40}, {600, 1 << 40}, {3000, 5}, {3000, 100}, {100_000, 1 << 30}, {200_000, 150_000}, {300_000, crowded}} {
		g, of := random(rng, size[0], size[1])
		if len(g.Values) == 0 {
			continue
		}
		f := parse(t, func(w *section.Writer) { WriteGroups(w, names, g, len(of)) })
		if err := f.Verify(); err != nil {
			t.Fatal(err)
		}
		got := LoadGroups(f, names, uint64(len(of)), uint64(len(g.Values)))
		if err := got.Check(); err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		if got.Len() != len(g.Values) || got.Members() != len(g.Member) {
			t.Fatalf("%v: %d groups of %d documents", size, got.Len(), got.Members())
		}
		next := got.Walk()
		for group := range uint32(len(g.Values)) {
			if documents := next(); !slices.Equal(documents, g.Members(group)) {
				t.Fatalf("%v: group %d has %v, want %v", size, group, documents, g.Members(group))
			}
		}
		if next() != nil {
			t.Fatalf("%v: there are more than %d groups", size, len(g.Values))
		}
		for range min(500, len(g.Values)) {
			i := uint32(rng.IntN(len(g.Values)))
			members := got.Group(i)
			n := got.Size(i)
			if n != len(members) || !slices.Equal(members, g.Members(i)) {
				t.Fatalf("%v: group %d has %v, %d", size, i, members, n)
			}
		}
		cursor := got.Cursor()
		cursor.window = 1 << 10
		for doc, want := range of {
			group, ok := cursor.Of(uint32(doc))
			if ok != (want != None) || ok && group != want {
				t.Fatalf("%v: the cursor has document %d in group %d, %v, want %d", size, doc, group, ok, want)
			}
			if doc%100 != 0 {
				continue
			}
			group, ok = got.Of(uint32(doc))
			has := got.Has(uint32(doc))
			if has != ok || ok != (want != None) || ok && group != want {
				t.Fatalf("%v: document %d is in group %d, %v, want %d", size, doc, group, ok, want)
			}
		}
	}
}

// FuzzGroups gives Load sections of any contents with valid checksums. Reading must end in an answer or in
// section.ErrCorrupt.
func FuzzGroups(f *testing.F) {
	g, of := random(rand.New(rand.NewPCG(1, 2)), 100, 50)
	file := parse(f, func(w *section.Writer) { WriteGroups(w, names, g, len(of)) })
	sections := []string{names.Members, names.First, names.Counts, names.High}
	var seed [4][]byte
	for i, name := range sections {
		b := file.Bytes(name)
		seed[i] = slices.Clone(b)
	}
	f.Add(seed[0], seed[1], seed[2], seed[3], uint16(len(g.Values)))
	f.Fuzz(func(t *testing.T, members, first, counts, high []byte, groups uint16) {
		file := parse(t, func(w *section.Writer) {
			for i, b := range [][]byte{members, first, counts, high} {
				w.Begin(sections[i])
				_, _ = w.Write(b)
			}
		})
		corrupt := func(err error) bool {
			if err != nil && !errors.Is(err, section.ErrCorrupt) {
				t.Fatalf("an error of no class: %v", err)
			}
			return err != nil
		}
		var g Groups
		if corrupt(section.DamageOf(func() { g = LoadGroups(file, names, uint64(len(high)/2), uint64(groups)) })) {
			return
		}
		var failed error
		damage := section.DamageOf(func() { failed = g.Check() })
		sound := !corrupt(errors.Join(damage, failed))
		cursor := g.Cursor()
		for doc := range uint32(min(g.documents, 100)) {
			var a, b uint32
			var okA, okB bool
			errA := section.DamageOf(func() { a, okA = g.Of(doc) })
			errB := section.DamageOf(func() { b, okB = cursor.Of(doc) })
			if bad := corrupt(errors.Join(errA, errB)); sound && (bad || okA != okB || okA && a != b) {
				t.Fatalf("document %d is in group %d, %v, and by the cursor %d, %v; %v, %v", doc, a, okA, b, okB, errA, errB)
			}
		}
		total := 0
		for i := range uint32(min(g.Len(), 100)) {
			err := section.DamageOf(func() { total += len(g.Group(i)) })
			if corrupt(err) && sound {
				t.Fatal(err)
			}
		}
		if sound && g.Len() <= 100 && total != g.Members() {
			t.Fatalf("%d members of all groups, want %d", total, g.Members())
		}
	})
}
