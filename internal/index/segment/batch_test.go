package segment

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/lsh"
)

var updateBatch = flag.Bool("update", false, "write the golden batches anew")

// batchLayouts are layouts that batches are tested with.
var batchLayouts = map[string]Layout{
	"ids":          {},
	"fingerprints": {Bits: 64},
	"narrow":       {Bits: 32},
	"sets":         {Sets: true},
	"signatures":   {Sets: true, Positions: 6},
	"texts":        {Bits: 64, Texts: true},
	"fields":       {Bits: 64, Fields: true},
	"all":          {Bits: 64, Sets: true, Positions: 6, Texts: true, Fields: true},
}

// randomBatch returns a batch for a layout, and what each of its documents has as text or source, and as fields.
func randomBatch(rng *rand.Rand, l Layout, documents int) (b *Batch, texts, fields []Kept) {
	b = &Batch{}
	for i := range rng.IntN(4) {
		b.Deletes = append(b.Deletes, fmt.Appendf(nil, "gone %d", i))
	}
	for range max(0, rng.IntN(6)-3) {
		note := Note{Until: rng.Int64(), Data: bytes.Repeat([]byte{byte(rng.Uint32())}, 1+rng.IntN(300))}
		binary.LittleEndian.PutUint64(note.Key[5:], rng.Uint64())
		b.Notes = append(b.Notes, note)
	}
	// Some documents share what was packed together, and the batch has only some of that.
	for len(b.Documents) < documents {
		n := 1 + rng.IntN(9)
		kept := func(kinds int) (all []Kept, p *Packed) {
			all = make([]Kept, n)
			for i := range all {
				switch rng.IntN(kinds) {
				case 0:
				case 4:
					all[i].Source = &Source{Path: fmt.Sprintf("/dir/%d", rng.IntN(3)), Format: "text", Offset: rng.Int64(), Length: rng.Int64(), Digest: rng.Uint64()}
				default:
					all[i].Text = bytes.Repeat([]byte{byte('a' + rng.IntN(26))}, rng.IntN(40_000))
				}
			}
			return all, Pack(n, false, func(i int) Kept { return all[i] })
		}
		text, packed := kept(5)
		field, packedFields := kept(4)
		for i := range n {
			if rng.IntN(3) == 0 || len(b.Documents) == documents {
				continue
			}
			d := Document{ID: fmt.Appendf(nil, "%d of %d", len(b.Documents), documents)}
			if l.Bits > 0 && rng.IntN(5) > 0 {
				d.HasFingerprint, d.Fingerprint = true, rng.Uint64()>>(64-l.Bits)
			}
			if l.Sets && rng.IntN(5) > 0 {
				for range 1 + rng.IntN(20) {
					d.Set = append(d.Set, rng.Uint64())
				}
				slices.Sort(d.Set)
				d.Digest = Digest{rng.Uint64(), rng.Uint64()}
				for range l.Positions {
					d.Signature = append(d.Signature, byte(rng.Uint32()))
				}
			}
			texts, fields = append(texts, Kept{}), append(fields, Kept{})
			if l.Texts && rng.IntN(5) > 0 {
				d.Texts, texts[len(texts)-1] = packed, text[i]
			}
			if l.Fields && rng.IntN(5) > 0 {
				d.Fields, fields[len(fields)-1] = packedFields, field[i]
			}
			d.Number = i
			b.Documents = append(b.Documents, d)
		}
	}
	return b, texts, fields
}

// unpackText returns what p keeps as number i.
func unpackText(t testing.TB, p *Packed, i int) (k Kept) {
	t.Helper()
	if p == nil || p.places[i] == noText {
		return k
	}
	raw, err := unpack(p.blocks[p.places[i]>>32])
	if err != nil {
		t.Fatal(err)
	}
	k, ok := readKept(raw[uint32(p.places[i]):])
	if !ok {
		t.Fatalf("%q is neither a text nor a source", raw)
	}
	return k
}

// same tests that two documents are equal, but for what texts and fields are packed with.
func same(t *testing.T, got, want *Document) {
	t.Helper()
	if !bytes.Equal(got.ID, want.ID) || got.HasFingerprint != want.HasFingerprint || got.Fingerprint != want.Fingerprint ||
		!slices.Equal(got.Set, want.Set) || !bytes.Equal(got.Signature, want.Signature) || got.Digest != want.Digest {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

// A batch is read as it was written, alone and behind other bytes.
func TestBatch(t *testing.T) {
	t.Parallel()
	for name, l := range batchLayouts {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := range 30 {
			want, texts, fields := randomBatch(rng, l, n)
			before := []byte("before")
			data := want.Append(before, l)
			if !bytes.HasPrefix(data, before) {
				t.Fatalf("%s: the bytes before are not there", name)
			}
			got, err := DecodeBatch("log", data[len(before):], l)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.EqualFunc(got.Deletes, want.Deletes, bytes.Equal) || len(got.Documents) != len(want.Documents) {
				t.Fatalf("%s: %d documents without %s, want %d without %s", name, len(got.Documents), got.Deletes, len(want.Documents), want.Deletes)
			}
			if !reflect.DeepEqual(got.Notes, want.Notes) {
				t.Fatalf("%s: notes %v, want %v", name, got.Notes, want.Notes)
			}
			for i := range want.Documents {
				d := &got.Documents[i]
				same(t, d, &want.Documents[i])
				if text := unpackText(t, d.Texts, d.Number); !reflect.DeepEqual(text, texts[i]) {
					t.Fatalf("%s: the text of document %d is %.20q, %v, want %.20q, %v", name, i, text.Text, text.Source, texts[i].Text, texts[i].Source)
				}
				if field := unpackText(t, d.Fields, d.Number); !reflect.DeepEqual(field, fields[i]) {
					t.Fatalf("%s: the fields of document %d are %.20q, want %.20q", name, i, field.Text, fields[i].Text)
				}
			}
			if again := got.Append(nil, l); !bytes.Equal(again, data[len(before):]) {
				t.Fatalf("%s: the batch that was read has other bytes", name)
			}
		}
	}
}

// A segment of batches has what the batches have, whatever becomes of the bytes that they were read from.
func TestAddDocumentsOfBatches(t *testing.T) {
	t.Parallel()
	l := batchLayouts["all"]
	rng := rand.New(rand.NewPCG(3, 4))
	fsys := disk.NewMemory()
	b := NewBuilder(fsys, "", l, 0)
	var want Batch
	var texts, fields []Kept
	for round := range 6 {
		batch, text, field := randomBatch(rng, l, 20)
		for i := range batch.Documents {
			batch.Documents[i].ID = fmt.Appendf(nil, "%d in %d", i, round)
		}
		data := batch.Append(nil, l)
		add := batch
		if round%2 == 1 {
			var err error
			if add, err = DecodeBatch("log", data, l); err != nil {
				t.Fatal(err)
			}
		}
		for i := range add.Documents {
			b.Add(&add.Documents[i])
		}
		clear(data)
		want.Documents = append(want.Documents, batch.Documents...)
		texts, fields = append(texts, text...), append(fields, field...)
	}
	ref, err := b.Write(t.Context(), fsys, "", "000001.seg", WriteOptions{Threshold: 0.8, Threads: 1, Bands: lsh.Bands{Bands: 3, Rows: 2}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(fsys, "", ref, l, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Documents {
		doc, d := uint32(i), &want.Documents[i]
		id := s.ID(doc)
		text := s.Text(doc)
		field := s.Fields(doc)
		if !bytes.Equal(id, d.ID) {
			t.Errorf("document %d is %s, want %s", i, id, d.ID)
		}
		if !reflect.DeepEqual(text, texts[i]) {
			t.Errorf("%s has the text %.20q, %v, want %.20q, %v", id, text.Text, text.Source, texts[i].Text, texts[i].Source)
		}
		if !reflect.DeepEqual(field, fields[i].Text) {
			t.Errorf("%s has the fields %.20q, want %.20q", id, field, fields[i].Text)
		}
	}
	if err := errors.Join(s.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}

// What a document costs.
func TestBatchIsCompact(t *testing.T) {
	var b Batch
	ids := 0
	for i := range 1000 {
		id := fmt.Appendf(nil, "document %d", i)
		ids += len(id)
		b.Documents = append(b.Documents, Document{ID: id, HasFingerprint: true, Fingerprint: uint64(i)})
	}
	if got, most := len(b.Append(nil, Layout{Bits: 64})), ids+1000*10+16; got > most {
		t.Errorf("1,000 fingerprints take %d bytes, want %d at most", got, most)
	}
	b.Documents = b.Documents[:1]
	if got, most := len(b.Append(nil, Layout{Bits: 64})), len(b.Documents[0].ID)+15; got > most {
		t.Errorf("one fingerprint takes %d bytes, want %d at most", got, most)
	}
}

// corruptBatch tests that err is of a damaged batch.
func corruptBatch(t *testing.T, what string, err error) {
	t.Helper()
	var corrupt *section.CorruptError
	if !errors.Is(err, section.ErrVersion) && (!errors.As(err, &corrupt) || corrupt.File != "log" || corrupt.Offset < 0) {
		t.Errorf("%s: %v", what, err)
	}
}

// Cut batches, and those of another layout, are refused. Other damage gives an error, or a batch that keeps
// the rules.
func TestDamagedBatches(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for name, l := range batchLayouts {
		b, _, _ := randomBatch(rng, l, 4)
		data := b.Append(nil, l)
		for size := 0; size < len(data); size += 1 + size/200 {
			_, err := DecodeBatch("log", data[:size], l)
			corruptBatch(t, fmt.Sprintf("%s: %d of %d bytes", name, size, len(data)), err)
		}
		_, err := DecodeBatch("log", append(bytes.Clone(data), 0), l)
		corruptBatch(t, name+": a byte more", err)
		for other, ol := range batchLayouts {
			if other != name {
				_, err := DecodeBatch("log", data, ol)
				corruptBatch(t, name+" as "+other, err)
			}
		}
		for bit := 0; bit < 8*len(data); bit += 1 + bit/500 {
			flipped := bytes.Clone(data)
			flipped[bit/8] ^= 1 << (bit % 8)
			if got, err := DecodeBatch("log", flipped, l); err != nil {
				corruptBatch(t, fmt.Sprintf("%s: bit %d", name, bit), err)
			} else {
				keepsRules(t, got)
			}
		}
	}
}

func TestBatchesThatCannotBe(t *testing.T) {
	for name, tt := range map[string]struct {
		l    Layout
		data string // in hexadecimal digits
	}{
		"a newer version":             {Layout{}, "03 00 00 00"},
		"more notes than bytes":       {Layout{}, "01 00 00 00 ff ff ff 0f"},
		"a note without bytes":        {Layout{}, "01 00 00 00 01" + strings.Repeat("00", 16) + "01 00"},
		"a note that is cut":          {Layout{}, "01 00 00 00 01" + strings.Repeat("00", 16) + "01 02 61"},
		"a key that is cut":           {Layout{}, "01 00 00 00 01" + strings.Repeat("00", 15)},
		"a note of no time":           {Layout{}, "01 00 00 00 01" + strings.Repeat("00", 16) + "ff ff ff ff ff ff ff ff ff 01 01 61"},
		"an id without bytes":         {Layout{}, "01 00 00 01 00 00"},
		"an id with a zero byte":      {Layout{}, "01 00 00 01 02 61 00"},
		"more ids than bytes":         {Layout{}, "01 00 00 ff ff ff ff 0f"},
		"an id that is too long":      {Layout{}, "01 00 00 01 ff ff ff ff ff ff ff ff 7f 61"},
		"an id to delete without one": {Layout{}, "01 00 01 00 00"},
		"a number in two bytes":       {Layout{}, "01 00 80 00 00"},
		"a number that does not end":  {Layout{}, "01 00 ff ff ff ff ff ff ff ff ff ff ff"},
		"a fingerprint or two":        {Layout{Bits: 64}, "01 01 00 01 01 61 02 0000000000000000"},
		"a cut fingerprint":           {Layout{Bits: 64}, "01 01 00 01 01 61 01 00000000000000"},
		"a set that does not ascend":  {Layout{Sets: true}, "01 04 00 01 01 61 02" + strings.Repeat("00", 16) + "0200000000000000 0200000000000000"},
		"a set larger than the batch": {Layout{Sets: true}, "01 04 00 01 01 61 03" + strings.Repeat("00", 16)},
		"a block without bytes":       {Layout{Texts: true}, "01 10 00 01 00 01 01 61 01 00"},
		"a block that is not there":   {Layout{Texts: true}, "01 10 00 00 01 01 61 01 00"},
	} {
		data, err := hex.DecodeString(strings.ReplaceAll(tt.data, " ", ""))
		if err != nil {
			t.Fatal(name, err)
		}
		_, err = DecodeBatch("log", data, tt.l)
		corruptBatch(t, name, err)
	}
}

// keepsRules tests what is promised of a batch that was read.
func keepsRules(t *testing.T, b *Batch) {
	t.Helper()
	for _, id := range b.Deletes {
		if why := BadID(id); why != "" {
			t.Error(why)
		}
	}
	for i := range b.Documents {
		d := &b.Documents[i]
		if why := BadID(d.ID); why != "" {
			t.Error(why)
		}
		if !slices.IsSorted(d.Set) || len(slices.Compact(slices.Clone(d.Set))) != len(d.Set) {
			t.Errorf("set %d does not ascend", i)
		}
		for _, p := range []*Packed{d.Texts, d.Fields} {
			if p != nil && p.places[d.Number] != noText && p.places[d.Number]>>32 >= uint64(len(p.blocks)) {
				t.Errorf("text %d is in block %d of %d", i, p.places[d.Number]>>32, len(p.blocks))
			}
		}
	}
}

// goldenBatch is a batch with something of everything.
func goldenBatch(l Layout) *Batch {
	text := func(s string) *Packed { return &Packed{blocks: [][]byte{rawFrame(s)}, places: []uint64{0, noText}} }
	b := &Batch{Deletes: [][]byte{[]byte("old")}, Documents: []Document{{ID: []byte("a")}, {ID: []byte("bc")}}}
	d := &b.Documents[0]
	if l.Bits > 0 {
		d.HasFingerprint, d.Fingerprint = true, 0x01234567
	}
	if l.Sets {
		d.Set, d.Digest = []uint64{3, 1 << 40}, Digest{0x1111, 0x2222}
		d.Signature = []byte("sketch")[:l.Positions]
	}
	d.Texts, d.Fields = text("\x08text"), text("\x0cfields")
	return b
}

// rawFrame returns a zstd frame (RFC 8878) of one raw block, so that golden bytes do not depend on how a
// version of the library compresses.
func rawFrame(s string) []byte {
	head := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, byte(len(s)), byte(len(s)<<3 | 1), 0, 0}
	return append(head, s...)
}

// Batches have these bytes. They must not change but with the version.
func TestGoldenBatches(t *testing.T) {
	path := filepath.Join("testdata", "batches.txt")
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(batchLayouts)) {
		l := batchLayouts[name]
		data := goldenBatch(l).Append(nil, l)
		fmt.Fprintf(&got, "%s %x\n", name, data)
		b, err := DecodeBatch("log", data, l)
		if err != nil {
			t.Fatal(err)
		}
		if d := &b.Documents[0]; l.Texts && string(unpackText(t, d.Texts, 0).Text) != "text" || l.Fields && string(unpackText(t, d.Fields, 0).Text) != "fields" {
			t.Errorf("%s: the text or the fields are others", name)
		}
	}
	if *updateBatch {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("batches are\n%swant\n%s", got.String(), want)
	}
}

// A source is read as it was written, and bytes that are none are told.
func TestSourcesInBlocks(t *testing.T) {
	want := Kept{Source: &Source{Path: "/a path", Format: "jsonl", Offset: 300, Length: 5, Digest: 0x3333}}
	raw := want.append(nil)
	if got, ok := readKept(append(raw, "more"...)); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got.Source, ok)
	}
	negative := bytes.Clone(raw)
	negative[8] |= 0x80 // of the offset
	for what, bad := range map[string][]byte{
		"nothing": nil, "cut": raw[:len(raw)-1], "few bytes": {3, 1}, "no format": append([]byte{2*30 + 1}, make([]byte, 24)...),
		"no NUL": append([]byte{2*26 + 1}, append(make([]byte, 24), "ab"...)...), "a negative offset": negative,
	} {
		if k, ok := readKept(bad); ok {
			t.Errorf("%s: %+v", what, k)
		}
	}
}

// Whatever the bytes are, they are a batch that keeps the rules, or an error, and take little memory.
func FuzzDecodeBatch(f *testing.F) {
	layouts := slices.Sorted(maps.Keys(batchLayouts))
	for i, name := range layouts {
		b := goldenBatch(batchLayouts[name])
		f.Add(uint8(i), b.Append(nil, batchLayouts[name]))
		b.Notes = []Note{{Until: 1 << 33, Data: []byte("a note")}, {Data: []byte("another")}}
		f.Add(uint8(i), b.Append(nil, batchLayouts[name]))
	}
	f.Fuzz(func(t *testing.T, layout uint8, data []byte) {
		l := batchLayouts[layouts[int(layout)%len(layouts)]]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b, err := DecodeBatch("log", data, l)
		runtime.ReadMemStats(&after)
		if most := 64<<10 + uint64(len(data))*(2+500/2); after.TotalAlloc-before.TotalAlloc > most {
			t.Errorf("%d bytes of memory for a batch of %d", after.TotalAlloc-before.TotalAlloc, len(data))
		}
		if err != nil {
			corruptBatch(t, "a batch", err)
			return
		}
		if most := 64<<10 + 2*len(data) + 500*len(b.Documents) + 64*(len(b.Deletes)+len(b.Notes)); after.TotalAlloc-before.TotalAlloc > uint64(most) {
			t.Errorf("%d bytes of memory for a batch of %d with %d documents", after.TotalAlloc-before.TotalAlloc, len(data), len(b.Documents))
		}
		keepsRules(t, b)
		again, err := DecodeBatch("log", b.Append(nil, l), l)
		if err != nil || len(again.Documents) != len(b.Documents) || !reflect.DeepEqual(again.Notes, b.Notes) {
			t.Fatalf("%d documents and %d notes, then %v", len(b.Documents), len(b.Notes), err)
		}
		for i := range b.Documents {
			same(t, &again.Documents[i], &b.Documents[i])
		}
	})
}

func BenchmarkBatch(b *testing.B) {
	for _, name := range []string{"fingerprints", "signatures"} {
		l := batchLayouts[name]
		batch, _, _ := randomBatch(rand.New(rand.NewPCG(1, 2)), l, 1000)
		data := batch.Append(nil, l)
		b.Run("do=append/layout="+name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				data = batch.Append(data[:0], l)
			}
		})
		b.Run("do=decode/layout="+name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeBatch("log", data, l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
