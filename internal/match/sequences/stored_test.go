package sequences

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// seedsByDefinition returns where the seeds of codes are.
func seedsByDefinition(codes []uint8) (places []int) {
	for i := 0; i+seededRun <= len(codes); i++ {
		least := i
		for j := i; j < i+gramWindow; j++ {
			if rankAt(codes, j, gramAt(codes, j)) < rankAt(codes, least, gramAt(codes, least)) {
				least = j
			}
		}
		places = append(places, least)
	}
	return slices.Compact(places)
}

func TestSeeds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		codes := make([]uint8, rng.IntN(60))
		for i := range codes {
			codes[i] = uint8(rng.IntN([]int{1, 2, 4, 256}[rng.IntN(4)]))
		}
		var got []int
		eachSeed(codes, func(at int, gram uint32) {
			if gram != gramAt(codes, at) {
				t.Fatal("another gram")
			}
			got = append(got, at)
		})
		want := seedsByDefinition(codes)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", codes, got, want)
		}
	}
}

func TestGramsAreDistinct(t *testing.T) {
	testkit.Long(t, "many collections")
	seen := make([]uint64, 1<<26)
	for a := range 256 {
		for b := range 256 {
			for c := range 256 {
				g := gramAt([]uint8{uint8(a), uint8(b), uint8(c)}, 0)
				if seen[g/64]>>(g%64)&1 != 0 {
					t.Fatalf("%d %d %d", a, b, c)
				}
				seen[g/64] |= 1 << (g % 64)
			}
		}
	}
}

// written returns an index of documents, holding some bytes of seeds at once.
func written(t testing.TB, documents []*Text, memory int) ([]byte, *Index) {
	t.Helper()
	codes := make([][]uint8, len(documents))
	for i, d := range documents {
		codes[i] = AppendCodes(nil, d.Words)
	}
	var file bytes.Buffer
	w := section.NewWriter(&file)
	err := Write(w, len(codes), func(do func(int, []uint8) error) error {
		for doc, c := range codes {
			if err := do(doc, c); err != nil {
				return err
			}
		}
		return nil
	}, memory)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	x := Load(f, uint64(len(codes)))
	return file.Bytes(), x
}

// TestIndexEqualsReference compares, as whole sets, what an index and a query find with what each document has by the
// reference.
func TestIndexEqualsReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	found := 0
	for round := range 20 {
		words := []int{40, 300, 5000}[rng.IntN(3)]
		b := []Bounds{{50, 0.15}, {30, 0.1}, {20, 0.15}}[rng.IntN(3)]
		query, _ := planted(rng, words, 400)
		for i := range query {
			query[i] = query[i] * factor
		}
		documents := make([]*Text, 60)
		for i := range documents {
			from := rng.IntN(len(query) + 1)
			part := query[from:min(len(query), from+rng.IntN(150))]
			_, d := planted(rng, words, 150)
			for i := range d {
				d[i] = d[i] * factor
			}
			changed := slices.Clone(part)
			for range rng.IntN(len(part)/5 + 1) {
				changed[rng.IntN(len(changed))] = rng.Uint64()
			}
			documents[i] = &Text{Words: slices.Insert(d, rng.IntN(len(d)+1), changed...)}
		}
		file, x := written(t, documents, 0)
		if again, _ := written(t, documents, 1000); !bytes.Equal(file, again) {
			t.Fatal("the memory makes a difference")
		}
		q := NewQuery(&Text{Words: query}, b)
		if round%2 == 1 {
			q = q.Clone()
		}
		sharing, stats, err := candidates(x, nil, q)
		if err != nil {
			t.Fatal(err)
		}
		if round%3 == 1 {
			q = q.Clone()
		}
		if stats.Candidates > 0 && b.Words == 50 && words == 5000 && stats.Entries == 0 {
			t.Error(stats)
		}
		for i, d := range documents {
			want := Reference(q.Text, d, b)
			var got []Passage
			if slices.Contains(sharing, uint32(i)) {
				got = q.Find(d)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, document %d, %v: %v, want %v", round, i, b, got, want)
			}
			found += len(got)
		}
	}
	if found < 200 {
		t.Error(found)
	}
}

// Passages whose runs of equal words are shorter than those that have seeds are found, too.
func TestRunsWithoutSeeds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	b := Bounds{20, 0.15}
	others := make([]uint8, 50_000) // so that seeds of other grams are elsewhere
	for i := range others {
		others[i] = uint8(rng.IntN(256))
	}
	for range 20 {
		query := make([]uint64, 20)
		for i := range query {
			query[i] = rng.Uint64()
		}
		document := slices.Clone(query)
		for at := b.Run(); at < len(document); at += b.Run() + 1 {
			document[at] = rng.Uint64()
		}
		x, err := InMemory([][]uint8{others, AppendCodes(nil, document)})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := candidates(x, nil, NewQuery(&Text{Words: query}, b))
		if err != nil || !slices.Contains(got, 1) {
			t.Errorf("runs of %d words: %v, %v", b.Run(), got, err)
		}
	}
}

// An index passes the check if its seeds are those of its codes, and no others.
func TestCheck(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 9))
	documents := make([]*Text, 20)
	for i := range documents {
		words, _ := planted(rng, 5000, 200)
		for j := range words {
			words[j] *= factor
		}
		documents[i] = &Text{Words: words}
	}
	for what, change := range map[string]func(x *Index){
		"":             func(*Index) {},
		"another seed": func(x *Index) { x.seeds.All[rng.IntN(x.seeds.Len())] ^= 1 << rng.IntN(8) },
		"another code": func(x *Index) { x.codes.All[x.codes.Len()/2] ^= 1 },
		"a code more":  func(x *Index) { x.codes.All = append(x.codes.All, 7) },
		"another end":  func(x *Index) { x.ends.All[7] = x.ends.All[9] + 1 },
		"a seed less":  func(x *Index) { x.seeds.All = x.seeds.All[:x.seeds.Len()-x.width] },
		"a slot less":  func(x *Index) { x.directory.Starts[1] = x.directory.Starts[2] + 1 },
		"a seed of none": func(x *Index) {
			x.seeds.All = append(x.seeds.All, x.seeds.All[:x.width]...)
			x.directory.Starts[x.directory.Len()-1]++
		},
	} {
		_, x := written(t, documents, 0)
		change(x)
		var failed error
		damage := section.DamageOf(func() { failed = x.Check() })
		if err := errors.Join(damage, failed); (err == nil) != (what == "") || err != nil && !errors.Is(err, section.ErrCorrupt) {
			t.Errorf("with %s: %v", what, err)
		}
	}
}

// A text that repeats words has each of its seeds once, so that a document that repeats them, too, is not listed for
// each.
func TestSeedsOfRepeatedWords(t *testing.T) {
	t.Parallel()
	text := NewText([]byte(strings.Repeat("to be or not ", 1200)))
	x, err := InMemory([][]uint8{nil, AppendCodes(nil, text.Words)})
	if err != nil {
		t.Fatal(err)
	}
	docs, stats, err := candidates(x, []uint32{1}, NewQuery(text, Usual))
	if err != nil || !slices.Equal(docs, []uint32{1, 1}) || stats.Seeds > 40 {
		t.Errorf("documents %v by %+v: %v", docs, stats, err)
	}
}

// candidates appends the documents whose codes have a passage of q to dst.
func candidates(x *Index, dst []uint32, q *Query) (_ []uint32, stats Stats, err error) {
	err = section.DamageOf(func() {
		n := len(dst)
		dst, stats = x.Leads(dst, q)
		dst = dst[:n+len(x.Sharing(q, dst[n:]))]
	})
	return dst, stats, err
}
