package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/segment/segmenttest"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

var (
	flips     = flag.Int("flips", 120, "number of bits that TestFlippedBits flips in each index")
	documents = flag.Int("documents", 3000, "number of texts in the index of TestFlippedBits, and a twelfth of the fingerprints; at length 100000, which take 120 MB")
)

// openUnverified opens an index, however small, and checks only the outlines.
func openUnverified(dir string) (*Snapshot, error) {
	o, err := store.OpenIndex(context.Background(), disk.OS, dir, 0)
	if err != nil {
		return nil, err
	}
	return newSnapshot(disk.OS, dir, o)
}

// An interrogation asks an index about some documents in every possible way. It keeps each answer
// under its question.
type interrogation struct {
	answers map[string]string
	errs    []error
}

func (in *interrogation) note(question string, answer any, err error) {
	if err != nil {
		in.errs = append(in.errs, fmt.Errorf("%s: %w", question, err))
		return
	}
	in.answers[question] = fmt.Sprint(answer)
}

// A witness is what a sound index knows of a document that is asked about.
type witness struct {
	id  []byte
	fp  uint64
	set []uint64
}

func witnesses(t testing.TB, ix *Snapshot) []witness {
	t.Helper()
	var out []witness
	for doc := range uint32(ix.Len()) {
		var w witness
		id, err := ix.ID(doc)
		if err == nil {
			w.id = slices.Clone(id)
			w.fp, _, err = ix.Fingerprint(doc)
		}
		if s, local := ix.locate(doc); err == nil && s.Sets() != nil {
			if set, ok := s.Sets().Of(local); ok {
				w.set = s.Sets().AppendSet(nil, set)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, w)
	}
	return out
}

func showMatches(ms []Match) string {
	var b strings.Builder
	for _, m := range ms {
		fmt.Fprintf(&b, "%d %s %d %.3f; ", m.Document, m.ID, m.Distance, m.Value)
	}
	return b.String()
}

// identityOf returns the identity of a document.
func identityOf(ix *Snapshot, doc uint32) (of segment.Identity, err error) {
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) { of = s.Identity(local) })
	return of, err
}

// ask asks about each of the documents docs, and about the documents many in one go.
func ask(ix *Snapshot, all []witness, docs, many []uint32) *interrogation {
	in := &interrogation{answers: map[string]string{}}
	for _, doc := range docs {
		w := all[doc]
		id, err := ix.ID(doc)
		in.note(fmt.Sprint("id of ", doc), string(id), err)
		found, ok, err := ix.Find(w.id)
		in.note(fmt.Sprintf("find %s", w.id), []any{found, ok}, err)
		_, ok, err = ix.Find(append(slices.Clone(w.id), '!'))
		in.note(fmt.Sprintf("find %s!", w.id), ok, err)
		identity, err := identityOf(ix, doc)
		in.note(fmt.Sprint("identity of ", doc), identity, err)
		if ix.Settings().Fingerprints() {
			fp, ok, err := ix.Fingerprint(doc)
			in.note(fmt.Sprint("fingerprint of ", doc), []any{fp, ok}, err)
			for _, k := range []int{0, 3, 5, 24} {
				ms, err := matches(ix, Fingerprint(w.fp^1), Within(k))
				in.note(fmt.Sprintf("near %d within %d", doc, k), showMatches(ms), err)
			}
		}
		if ix.Keep() == KeepText {
			text, err := ix.Text(doc, nil)
			in.note(fmt.Sprint("text of ", doc), text, err)
		}
		if ix.Settings().Sets() {
			signature, ok, err := ix.Signature(doc)
			in.note(fmt.Sprint("signature of ", doc), []any{signature, ok}, err)
			for _, c := range []Predicate{Similar(0.8), Similar(0.4), searchedBy(0.8, 0.9, BySignature)} {
				ms, err := matches(ix, Set(w.set), c)
				in.note(fmt.Sprintf("similar to %d: %v, verified %v", doc, c, c.Verify), showMatches(ms), err)
			}
		}
	}
	if ix.Settings().Sets() { // compares all signatures
		ms, err := matches(ix, Set(all[docs[0]].set), searchedBy(0.1, 0.99, BySignature))
		in.note(fmt.Sprint("compared with ", docs[0]), showMatches(ms), err)
	}
	if ix.Settings().Fingerprints() && len(many) > 0 {
		queries := func(yield func(*document.Document, error) bool) {
			for _, doc := range many {
				if !yield(&document.Document{ID: all[doc].id, Fingerprint: all[doc].fp, HasFingerprint: true}, nil) {
					return
				}
			}
		}
		i := 0
		err := ix.NearAll(context.Background(), iter.Seq2[*document.Document, error](queries), Options{Predicate: Within(3), Threads: 1, Batch: 1 << 14}, func(a Answer) error {
			in.note(fmt.Sprint("query ", i), showMatches(a.Matches), nil)
			i++
			return nil
		})
		if err != nil {
			in.errs = append(in.errs, err)
		}
	}
	return in
}

// compare reports what is wrong with the answers of a damaged index: an answer that differs from
// the good one, or an error of another class or without the name of the file.
func (in *interrogation) compare(good *interrogation, name string) error {
	for question, answer := range in.answers {
		if answer != good.answers[question] {
			return fmt.Errorf("%s: %.200s, want %.200s", question, answer, good.answers[question])
		}
	}
	for _, err := range in.errs {
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "section ") {
			return fmt.Errorf("%w does not say that section of %s is corrupt", err, name)
		}
	}
	return nil
}

// Whichever section of a segment is damaged, each answer of an unverified index is right or is an
// error that names file, section and offset.
func TestDamageIsNoWrongAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := minHash(analysis.Both)
	texts := nearTexts(2600) // sections of several blocks
	addWith(t, dir, s, WriterOptions{}, numbered(texts, 0))
	ix := mustOpen(t, dir)
	all := witnesses(t, ix)
	docs := []uint32{0, 1, 7, 8, 900, 901, 1700, 2599}
	many := make([]uint32, ix.Len())
	for i := range many {
		many[i] = uint32(i)
	}
	good := ask(ix, all, docs, many)
	if len(good.errs) > 0 {
		t.Fatal(good.errs)
	}
	path := filepath.Join(dir, "000001.seg")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	f.Sections(func(name string, offset, length uint64) bool {
		if strings.HasPrefix(name, "bands.") && !strings.HasPrefix(name, "bands.0.") && !strings.HasPrefix(name, "bands.plan") {
			return true
		}
		for way, damage := range map[string]func(p []byte){
			"garbled": func(p []byte) {
				for i := range p {
					p[i] ^= byte(7*i + 1)
				}
			},
			"a little wrong": func(p []byte) {
				for i := 0; i < len(p); i += 8 {
					p[i] ^= 1
				}
			},
			"zeroed at the end": func(p []byte) { clear(p[len(p)/2:]) },
		} {
			broken := slices.Clone(data)
			damage(broken[offset : offset+length])
			if !testkit.IsLong() && way != "garbled" && section.Checksum([]byte(name+way))%3 > 0 {
				continue // some suffice
			}
			if bytes.Equal(broken, data) {
				continue
			}
			if err := os.WriteFile(path, broken, 0o666); err != nil {
				t.Fatal(err)
			}
			damaged, err := openUnverified(dir)
			if err != nil {
				if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path+": section "+name) {
					t.Errorf("%s %s: Open gives %v", name, way, err)
				}
				continue
			}
			in := ask(damaged, all, docs, many)
			if err := in.compare(good, path); err != nil {
				t.Errorf("%s %s: %v", name, way, err)
			}
			if len(in.errs) == 0 && way == "garbled" {
				t.Errorf("%s %s: it is not noticed", name, way)
			}
			if err := damaged.Close(); err != nil {
				t.Error(err)
			}
		}
		return true
	})
}

// Pairs are found when all of an index has been verified, what they do not depend on as well.
func TestPairsVerifyFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	addWith(t, dir, minHash(analysis.Both), WriterOptions{}, numbered(nearTexts(100), 0))
	segmenttest.Flip(t, filepath.Join(dir, "000001.seg"), "texts.blocks")
	ix, err := openUnverified(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Predicate{Similar(0.8), Within(3)} {
		pairs := 0
		err := ix.Pairs(t.Context(), p, PairOptions{Threads: 1}, func(Pair) error { pairs++; return nil })
		if !errors.Is(err, ErrCorrupt) || pairs > 0 {
			t.Errorf("%v: %d pairs, %v", p, pairs, err)
		}
	}
	if err := ix.Close(); err != nil {
		t.Error(err)
	}
}

// Bits flipped at random, one at a time, in unverified indexes give no wrong answer. The questions
// are about the documents that the bit belongs to. A long run, which takes 120 MB for each index:
//
//	go test ./index -run FlippedBits -flips 2000 -documents 100000 -timeout 1h
func TestFlippedBits(t *testing.T) {
	testkit.Long(t, "many flipped bits")
	t.Parallel()
	n := *flips
	rng := rand.New(rand.NewPCG(22, 1))
	for name, fill := range map[string]func(dir string){
		"texts": func(dir string) {
			addWith(t, dir, minHash(analysis.Both), WriterOptions{Threads: 2}, numbered(nearTexts(*documents), 0))
		},
		"fingerprints": func(dir string) {
			addWith(t, dir, analysis.Classic(), WriterOptions{Threads: 2}, fps("document-", benchValues(12**documents)...))
		},
	} {
		dir := t.TempDir()
		fill(dir)
		flipBits(t, rng, name, dir, n)
	}
}

func flipBits(t *testing.T, rng *rand.Rand, name, dir string, n int) {
	t.Helper()
	path := filepath.Join(dir, "000001.seg")
	ix := mustOpen(t, dir)
	all := witnesses(t, ix)
	c := concern(t, path)
	var many []uint32
	for range min(20_000, ix.Len()) {
		many = append(many, uint32(rng.IntN(ix.Len())))
	}
	goodMany := ask(ix, all, []uint32{0}, many)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wrong, found := 0, 0
	for range n {
		at, bit := rng.Int64N(int64(len(c.data))), rng.IntN(8)
		write := func(b byte) {
			if _, err := file.WriteAt([]byte{b}, at); err != nil {
				t.Fatal(err)
			}
		}
		sec, docs := c.documents(uint64(at))
		docs = append(docs, uint32(rng.IntN(ix.Len())))
		asked := many
		if !strings.HasPrefix(sec, "tables.") {
			asked = nil
		}
		good := ask(ix, all, docs, nil)
		if asked != nil {
			for q, a := range goodMany.answers {
				good.answers[q] = a
			}
		}
		was := c.data[at]
		write(was ^ 1<<bit)
		damaged, err := openUnverified(dir)
		if err != nil {
			found++
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, byte %d bit %d, %s: Open gives %v", name, at, bit, sec, err)
			}
		} else {
			in := ask(damaged, all, docs, asked)
			if err := in.compare(good, path); err != nil {
				wrong++
				t.Errorf("%s, byte %d bit %d, %s: %v", name, at, bit, sec, err)
			}
			if len(in.errs) > 0 {
				found++
			}
			if err := damaged.Close(); err != nil {
				t.Error(err)
			}
		}
		write(was)
	}
	t.Logf("%s: %d bytes, %d flips, %d found, %d wrong answers", name, len(c.data), n, found, wrong)
	if found < n*9/10 {
		t.Errorf("%s: only %d of %d flipped bits are found: the questions do not reach them", name, found, n)
	}
}

// A concerned is a segment that is known well enough to tell the documents of a byte.
type concerned struct {
	data []byte
	f    *section.File
}

func concern(t *testing.T, path string) *concerned {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", data)
	if err == nil {
		err = f.Verify()
	}
	if err != nil {
		t.Fatal(err)
	}
	return &concerned{data, f}
}

func (c *concerned) u32(name string, i uint64) uint32 {
	b := c.bytes(name)
	return binary.LittleEndian.Uint32(b[4*min(i, uint64(len(b))/4-1):])
}

// item returns the item that element i lies in. The section called ends holds the ends of the
// items.
func (c *concerned) item(ends string, i uint64) uint64 {
	b := c.bytes(ends)
	return uint64(sort.Search(len(b)/8, func(j int) bool { return binary.LittleEndian.Uint64(b[8*j:]) > i }))
}

// bytes returns a section, which is empty if the segment has none of its name.
func (c *concerned) bytes(name string) (b []byte) {
	_ = section.DamageOf(func() { b = c.f.Bytes(name) })
	return b
}

func (c *concerned) size(name string) uint64 { return uint64(len(c.bytes(name))) }

// documents returns the section of the byte at an offset, and the documents that depend on the
// byte.
func (c *concerned) documents(at uint64) (name string, docs []uint32) {
	var begin, size uint64
	c.f.Sections(func(n string, offset, length uint64) bool {
		if at >= offset && at < offset+length {
			name, begin, size = n, at-offset, length
		}
		return true
	})
	n := c.size(secIDOrder)
	n /= 4
	set := func(set uint64) []uint32 {
		return c.group(secSetFirst, secSetMembers, set)
	}
	kind := name
	if i := strings.LastIndexByte(name, '.'); strings.HasPrefix(name, "bands.") && i > len("bands.") {
		kind = "bands.N" + name[i:]
	}
	switch kind {
	case secIDEnds:
		docs = []uint32{uint32(begin / 8), uint32(min(begin/8+1, n-1))}
	case secIDBytes:
		docs = []uint32{uint32(c.item(secIDEnds, begin))}
	case secIDHashes:
		docs = []uint32{c.u32(secIDOrder, begin/8)}
	case secIDOrder:
		docs = []uint32{c.u32(secIDOrder, begin/4)}
	case secSets, secGroups:
		docs = []uint32{uint32(begin / 2)}
	case secGroupFirst:
		docs = []uint32{c.u32(secMembers, 8*begin)}
	case secGroupCounts:
		docs = []uint32{c.u32(secMembers, 512*(begin/4))}
	case secMembers:
		docs = []uint32{c.u32(secMembers, begin/4)}
	case "tables.values":
		docs = c.group(secGroupFirst, secMembers, begin/8)
	case secSetFirst:
		docs = []uint32{c.u32(secSetMembers, 8*begin)}
	case secSetCounts:
		docs = []uint32{c.u32(secSetMembers, 512*(begin/4))}
	case secSetMembers:
		docs = []uint32{c.u32(secSetMembers, begin/4)}
	case secDigests:
		docs = set(begin / 16)
	case secCodeEnds:
		docs = set(begin / 8)
	case secCoded:
		docs = set(c.item(secCodeEnds, begin))
	case secSignatures:
		ends := c.size(secCodeEnds)
		docs = set(begin / (size / (ends / 8)))
	case "bands.N.sets":
		docs = set(uint64(c.u32(name, begin/4)))
	}
	if strings.HasPrefix(name, "texts.") {
		docs = c.withText(name, begin)
	}
	if strings.HasPrefix(name, "vocabulary.") || strings.HasPrefix(name, "postings.") {
		// Each query reads many places of these sections. Some sets use a place in every block.
		for i := range min(40, n) {
			docs = append(docs, uint32((at+i*(n/min(40, n)))%n))
		}
	}
	return name, docs
}

// group returns the first document of a group.
func (c *concerned) group(first, members string, group uint64) []uint32 {
	for w, b := range c.bytes(first) {
		for i := range 8 {
			if b>>i&1 != 0 {
				if group == 0 {
					return []uint32{c.u32(members, uint64(8*w+i))}
				}
				group--
			}
		}
	}
	return nil
}

// withText returns a document whose text depends on a byte of a section of texts.
func (c *concerned) withText(name string, begin uint64) []uint32 {
	places := c.bytes("texts.places")
	block := begin / 8
	switch name {
	case "texts.places":
		return []uint32{uint32(begin / 8)}
	case "texts.blocks":
		block = c.item("texts.blocks.ends", begin)
	}
	for doc := range uint32(len(places) / 8) {
		if uint64(binary.LittleEndian.Uint32(places[8*doc+4:])) == block {
			return []uint32{doc}
		}
	}
	return nil
}
