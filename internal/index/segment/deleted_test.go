package segment_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/segment/segmenttest"
	"simsearch/internal/match/lsh"
	"simsearch/internal/match/prefix"
)

var everything = segment.Layout{Bits: 64, Sets: true, Positions: 16, Texts: true, Fields: true}

// A made is a document, and what Text and Fields return of it.
type made struct {
	segment.Document
	kept   segment.Kept
	fields []byte
}

// make1 makes up a document. Some have no features, some share them with others, some have no text or source.
func make1(rng *rand.Rand, i int) (d made) {
	d.ID = fmt.Appendf(nil, "document %d", i)
	if rng.IntN(8) > 0 {
		kind := rng.Uint64N(300)
		d.HasFingerprint, d.Fingerprint = true, kind<<50^kind
		of := rand.New(rand.NewPCG(kind, 1))
		for range 1 + kind%20 {
			d.Set = append(d.Set, of.Uint64N(1000)*0x9e3779b97f4a7c15)
		}
		slices.Sort(d.Set)
		d.Set = slices.Compact(d.Set)
		d.Digest = segment.Digest{kind, 7}
		for p := range everything.Positions {
			d.Signature = append(d.Signature, byte(kind*7)+byte(p))
		}
	}
	if rng.IntN(5) > 0 {
		d.kept.Text = fmt.Appendf(nil, "text of %d: %0*d", i, rng.IntN(9000), i)
		d.fields = fmt.Append(nil, "fields of ", i)
	} else if rng.IntN(5) > 0 {
		d.kept.Source = &segment.Source{Path: fmt.Sprint("/file", i%7), Format: "jsonl", Offset: int64(i), Length: 9, Digest: uint64(i)}
	}
	return d
}

// write writes the documents as a segment, in batches as an index packs them.
func write(t testing.TB, dir, name string, docs []made) *segment.Segment {
	t.Helper()
	b := segment.NewBuilder(disk.OS, dir, everything, 0)
	for batch := range slices.Chunk(docs, 50) {
		texts := segment.Pack(len(batch), false, func(i int) segment.Kept { return batch[i].kept })
		fields := segment.Pack(len(batch), false, func(i int) segment.Kept { return segment.Kept{Text: batch[i].fields} })
		for i, d := range batch {
			d.Texts, d.Fields, d.Number = texts, fields, i
			b.Add(&d.Document)
		}
	}
	return finish(t, b, dir, name)
}

func finish(t testing.TB, b *segment.Builder, dir, name string) *segment.Segment {
	t.Helper()
	ref, err := b.Write(t.Context(), disk.OS, dir, name, segment.WriteOptions{Distance: 3, Threshold: 0.8, Threads: 1, Bands: lsh.Bands{Bands: 4, Rows: 4}})
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	return segmenttest.Open(t, dir, ref, everything)
}

// same compares all that s says of its documents with want.
func same(t *testing.T, what string, s *segment.Segment, want []made) {
	t.Helper()
	if err := s.Verify(1); err != nil {
		t.Fatal(err)
	}
	if s.Documents() != uint64(len(want)) {
		t.Fatalf("%s: %d documents, want %d", what, s.Documents(), len(want))
	}
	empties := 0
	var fingerprints []uint64
	bySet := map[uint32][]uint32{}
	for i := range want {
		w, doc := &want[i], uint32(i)
		id := s.ID(doc)
		found, ok := s.Find(w.ID)
		if string(id) != string(w.ID) || found != doc || !ok {
			t.Fatalf("%s: document %d is %s, want %s; Find: %d, %v", what, doc, id, w.ID, found, ok)
		}
		fp, has := s.Fingerprint(doc)
		if has != w.HasFingerprint || has && fp != w.Fingerprint {
			t.Fatalf("%s: document %d has fingerprint %x, %v", what, doc, fp, has)
		}
		if has {
			fingerprints = append(fingerprints, uint64(doc), fp)
		}
		set, has := s.Sets().Of(doc)
		if has != (len(w.Set) > 0) {
			t.Fatalf("%s: document %d has a set: %v", what, doc, has)
		}
		if has {
			bySet[set] = append(bySet[set], doc)
			features := s.Sets().AppendSet(nil, set)
			if !slices.Equal(features, w.Set) || s.Sets().Digest(set) != w.Digest || !slices.Equal(s.Sets().Signature(set), w.Signature) {
				t.Fatalf("%s: the set of document %d differs", what, doc)
			}
		} else {
			empties++
		}
		kept := s.Text(doc)
		if !reflect.DeepEqual(kept, w.kept) {
			t.Fatalf("%s: document %d has text %.20q, source %v, want %.20q, %v", what, doc, kept.Text, kept.Source, w.kept.Text, w.kept.Source)
		}
		fields := s.Fields(doc)
		if !reflect.DeepEqual(fields, w.fields) {
			t.Fatalf("%s: document %d has fields %.20q", what, doc, fields)
		}
	}
	var all []uint64
	for doc, fp := range s.Fingerprints() {
		all = append(all, uint64(doc), fp[0])
	}
	if !slices.Equal(all, fingerprints) {
		t.Errorf("%s: all fingerprints differ", what)
	}
	if s.Empties() != empties {
		t.Errorf("%s: %d empty documents, want %d", what, s.Empties(), empties)
	}
	for set := range uint32(s.Sets().Len()) {
		members := s.Members(s.Sets().Groups(), set)
		if !slices.Equal(members, bySet[set]) {
			t.Errorf("%s: set %d has documents %v, want %v", what, set, members, bySet[set])
		}
	}
	sets := segment.NewAllSets([]*segment.Segment{s})
	if sets.Sets() != len(bySet) || len(sets.Of()) != len(want) {
		t.Fatalf("%s: %d sets", what, sets.Sets())
	}
	for doc, set := range sets.Of() {
		if set == segment.NoSet {
			continue
		}
		features := sets.AppendSet(nil, set)
		if !slices.Equal(features, want[doc].Set) {
			t.Errorf("%s: document %d has other features in a join", what, doc)
		}
	}
}

// similarities are those of the sets nearest to a query that have live documents.
func similarities(t *testing.T, s *segment.Segment, query []uint64, limit int) (of []float64) {
	t.Helper()
	found, err := s.Sets().Nearest(t.Context(), query, limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range found {
		of = append(of, m.By(prefix.Jaccard, len(query)))
	}
	return of
}

// A segment without some of its documents answers as one that was written without them. So does a segment to which
// both are merged.
func TestDeleted(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 2))
	for round, share := range []float64{0, 0.01, 0.3, 0.7, 0.99, 1} {
		n := 1 + rng.IntN(3000)
		docs := make([]made, n)
		for i := range docs {
			docs[i] = make1(rng, i)
		}
		dir := t.TempDir()
		whole := write(t, dir, "000001.seg", docs)
		deleted := segment.NewDeleted(whole.Stored())
		var left []made
		for i := range docs {
			if rng.Float64() >= share && round != 2 || round == 2 && (i < 600 || i > 1700) { // whole blocks of the bitmap
				left = append(left, docs[i])
				continue
			}
			before := deleted.Clone()
			if !deleted.Delete(uint32(i)) || deleted.Delete(uint32(i)) || before.Has(uint32(i)) {
				t.Fatal("a document is deleted twice, or in a copy")
			}
		}
		ref, err := deleted.Write(disk.OS, dir, "000001.del")
		if err != nil {
			t.Fatal(err)
		}
		read, err := segment.OpenDeleted(disk.OS, dir, *ref, whole.Stored(), round == 1)
		if err != nil || read.Count() != deleted.Count() {
			t.Fatal(err)
		}
		less := whole.Less(read)
		same(t, fmt.Sprint("round ", round), less, left)
		same(t, "the whole", whole, docs)
		for _, d := range docs {
			if _, ok := less.Find(d.ID); ok != slices.ContainsFunc(left, func(l made) bool { return string(l.ID) == string(d.ID) }) {
				t.Fatalf("%s is found: %v", d.ID, ok)
			}
		}
		if len(left) == 0 {
			continue
		}
		other := []made{make1(rng, n), make1(rng, n+1)}
		b := segment.NewBuilder(disk.OS, dir, everything, 1)
		for _, s := range []*segment.Segment{less, write(t, dir, "000002.seg", other)} {
			if err := b.AddSegment(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		merged := finish(t, b, dir, "000003.seg")
		same(t, "merged", merged, append(slices.Clone(left), other...))
		for range 20 {
			query := docs[rng.IntN(n)].Set
			if len(query) == 0 {
				continue
			}
			if got, want := similarities(t, less, query, 5), similarities(t, write(t, dir, fmt.Sprintf("%06d.seg", rng.Uint32()), left), query, 5); !reflect.DeepEqual(got, want) {
				t.Errorf("the nearest sets have similarities %v, want %v", got, want)
			}
		}
	}
}

// Damage of the file of deleted documents is an error that names it, whatever bit is flipped.
func TestDeletedDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := segment.NewDeleted(2)
	d.Delete(1)
	ref, err := d.Write(disk.OS, dir, "000001.del")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ref.Name)
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := func(b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		var corrupt *section.CorruptError
		if _, err := segment.OpenDeleted(disk.OS, dir, *ref, 2, false); !errors.Is(err, section.ErrVersion) && (!errors.As(err, &corrupt) || corrupt.File != path) {
			t.Fatalf("%v, want an error that names %s", err, path)
		}
	}
	for bit := range 8 * len(sound) {
		b := slices.Clone(sound)
		b[bit/8] ^= 1 << (bit % 8)
		damaged(b)
	}
	for n := range sound {
		damaged(sound[:n])
	}
	if err := os.WriteFile(path, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, documents := range []uint64{1, 65} { // of another segment
		if _, err := segment.OpenDeleted(disk.OS, dir, *ref, documents, true); !errors.Is(err, section.ErrCorrupt) {
			t.Errorf("%d documents: %v", documents, err)
		}
	}
	ref.Documents++
	if _, err := segment.OpenDeleted(disk.OS, dir, *ref, 2, false); !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("the manifest says %d documents: %v", ref.Documents, err)
	}
}

// Of a segment with damaged signatures all is read but these, and who reads it is told which are to be made again.
func TestDamagedSignatures(t *testing.T) {
	t.Parallel()
	dir, layout := t.TempDir(), segment.Layout{Sets: true, Positions: everything.Positions}
	b, rng := segment.NewBuilder(disk.OS, dir, layout, 0), rand.New(rand.NewPCG(9, 9))
	docs := make([]made, 500)
	for i := range docs {
		docs[i] = make1(rng, i)
		b.Add(&docs[i].Document)
	}
	ref, err := b.Write(t.Context(), disk.OS, dir, "000001.seg", segment.WriteOptions{Threshold: 0.8, Threads: 1, Bands: lsh.Bands{Bands: 4, Rows: 4}})
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	segmenttest.Flip(t, filepath.Join(dir, ref.Name), lsh.SectionSignatures)
	damaged, err := segment.OpenDamaged(disk.OS, filepath.Join(dir, ref.Name), ref, layout)
	if err != nil {
		t.Fatal(err)
	}
	resign := 0
	for i, want := range docs {
		got, err := damaged.Remnant(t.Context(), uint32(i))
		if err != nil || got.Bad != nil || !slices.Equal(got.Set, want.Set) || got.Resign && got.Signature != nil ||
			!got.Resign && !slices.Equal(got.Signature, want.Signature) {
			t.Errorf("document %d: %+v, want %+v: %v", i, got, want.Document, errors.Join(err, got.Bad))
		}
		if got.Resign {
			resign++
		}
	}
	if resign == 0 || resign == len(docs) {
		t.Errorf("the signatures of %d documents are damaged", resign)
	}
	if err := damaged.Close(); err != nil {
		t.Error(err)
	}
}
