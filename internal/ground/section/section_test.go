package section

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
)

// longText fills blocks and a part of another, so many that their checksums lie in the file.
var longText = bytes.Repeat([]byte("0123456789abcde\n"), sumsInContents*BlockSize/16+3)

func sample(t testing.TB) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := NewWriter(&buf)
	w.Begin("wide")
	w.Uint64s([]uint64{1, 2, 1 << 63})
	w.Begin("narrow")
	w.Uint32s([]uint32{7})
	w.Uint32s([]uint32{8, 9})
	w.Begin("empty")
	w.Begin("text")
	_, _ = w.Write([]byte("hello"))
	w.Begin("long")
	_, _ = w.Write(longText[:100])
	_, _ = w.Write(longText[100:])
	size, _, err := w.Close()
	if err != nil || size != uint64(buf.Len()) {
		t.Fatalf("Close: %d bytes of %d, %v", size, buf.Len(), err)
	}
	return buf.Bytes()
}

// A handmade file is written field by field, in the order of internal/ground/section/FORMAT.md, with the faults of a
// test. Checksums and lengths are right unless the test sets them.
type handmade struct {
	version     uint32
	reserved    [52]byte // of the header
	sections    []handmadeSection
	count       uint32 // of sections, if not 0
	trailing    []byte // of the table of contents
	footer      uint32 // its reserved bytes
	padWith     byte
	padSumsWith byte
	emptyIsOne  bool // a section without bytes has a checksum
	oneFewer    bool // the last section lacks its last checksum
	gap         int  // bytes between the sections and the table of contents
}

type handmadeSection struct {
	name           string
	bytes          []byte
	offset, length uint64 // if not 0
}

func (h *handmade) file() []byte {
	var b []byte
	u32 := func(x uint32) { b = binary.LittleEndian.AppendUint32(b, x) }
	u64 := func(x uint64) { b = binary.LittleEndian.AppendUint64(b, x) }
	table := crc32.MakeTable(0x82F63B78)

	b = append(b, "SIMSEG\r\n"...)
	u32(h.version)
	b = append(b, h.reserved[:]...)
	const size, most = 512, 16 // of a block, and checksums that stand in the table of contents
	checksums := func(p []byte, size int) (sums []byte) {
		for part := range slices.Chunk(p, size) {
			sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(part, table))
		}
		return sums
	}
	var starts []uint64
	var sums [][]byte
	for _, s := range h.sections {
		starts = append(starts, uint64(len(b)))
		b = append(b, s.bytes...)
		for len(b)%64 != 0 {
			b = append(b, h.padWith)
		}
		of := checksums(b[starts[len(starts)-1]:], size)
		if len(of) > 4*most {
			at := len(b)
			for b = append(b, of...); len(b)%64 != 0; {
				b = append(b, h.padSumsWith)
			}
			of = checksums(b[at:], 4096)
		}
		sums = append(sums, of)
	}
	b = append(b, make([]byte, h.gap)...)
	toc := len(b)
	u32(max(h.count, uint32(len(h.sections))))
	for i, s := range h.sections {
		b = append(b, byte(len(s.name)))
		b = append(b, s.name...)
		u64(max(s.offset, starts[i]))
		u64(max(s.length, uint64(len(s.bytes))))
		if h.oneFewer && i == len(h.sections)-1 {
			sums[i] = sums[i][4:]
		}
		b = append(b, sums[i]...)
		if h.emptyIsOne && len(s.bytes) == 0 {
			u32(0)
		}
	}
	b = append(b, h.trailing...)
	tocLen := len(b) - toc
	digest := crc32.Checksum(append(slices.Clone(b[:64]), b[toc:]...), table)
	u64(uint64(toc))
	u64(uint64(tocLen))
	u32(digest)
	u32(h.footer)
	return append(b, "SIMEND\r\n"...)
}

// handmadeSample returns the file that sample writes.
func handmadeSample() *handmade {
	var wide, narrow []byte
	for _, x := range []uint64{1, 2, 1 << 63} {
		wide = binary.LittleEndian.AppendUint64(wide, x)
	}
	for _, x := range []uint32{7, 8, 9} {
		narrow = binary.LittleEndian.AppendUint32(narrow, x)
	}
	return &handmade{version: 3, sections: []handmadeSection{
		{name: "wide", bytes: wide}, {name: "narrow", bytes: narrow}, {name: "empty"},
		{name: "text", bytes: []byte("hello")}, {name: "long", bytes: longText},
	}}
}

func TestWriterByHand(t *testing.T) {
	if got, want := sample(t), handmadeSample().file(); !bytes.Equal(got, want) {
		t.Errorf("file:\n%x\nby hand:\n%x", got, want)
	}
}

// Files with valid checksums that break one other rule are refused.
func TestEveryRuleIsChecked(t *testing.T) {
	for name, tt := range map[string]struct {
		fault func(h *handmade)
		class error
		want  string
	}{
		"older version":          {func(h *handmade) { h.version = 2 }, ErrVersion, "version 2"},
		"newer version":          {func(h *handmade) { h.version = 4 }, ErrVersion, "version 4"},
		"reserved of the header": {func(h *handmade) { h.reserved[51] = 1 }, ErrCorrupt, "section header at offset 12"},
		"reserved of the footer": {func(h *handmade) { h.footer = 1 << 31 }, ErrCorrupt, "section footer"},
		"padding":                {func(h *handmade) { h.padWith = 1 }, ErrCorrupt, "section wide at offset 88: padding"},
		"padding of checksums":   {func(h *handmade) { h.padSumsWith = 1 }, ErrCorrupt, "section long at offset 8580: padding"},
		"trailing bytes":         {func(h *handmade) { h.trailing = make([]byte, 4) }, ErrCorrupt, "belong to no section"},
		"bytes of no section":    {func(h *handmade) { h.gap = 64 }, ErrCorrupt, "belong to no section"},
		"a name twice":           {func(h *handmade) { h.sections[2].name = "wide" }, ErrCorrupt, "stands twice"},
		"no name":                {func(h *handmade) { h.sections[2].name = "" }, ErrCorrupt, "has no name"},
		"order": {func(h *handmade) {
			h.sections[0].offset, h.sections[1].offset = 128, 128
		}, ErrCorrupt, "does not follow"},
		"a gap":                  {func(h *handmade) { h.sections[3].offset = 256 }, ErrCorrupt, "does not follow"},
		"a length beyond":        {func(h *handmade) { h.sections[4].length = 1 << 40 }, ErrCorrupt, "does not follow"},
		"a length near 2^64":     {func(h *handmade) { h.sections[4].length = ^uint64(0) - 10 }, ErrCorrupt, "does not follow"},
		"a length too great":     {func(h *handmade) { h.sections[0].length = 65 }, ErrCorrupt, "does not follow"},
		"fewer than counted":     {func(h *handmade) { h.count = 6 }, ErrCorrupt, "cut short"},
		"many more than counted": {func(h *handmade) { h.count = 1 << 16 }, ErrCorrupt, "65536 sections in"},
		"too many":               {func(h *handmade) { h.count = 1<<16 + 1 }, ErrCorrupt, "more than 65536"},
		"a checksum too many":    {func(h *handmade) { h.emptyIsOne = true }, ErrCorrupt, "section contents"},
		"a checksum too few":     {func(h *handmade) { h.oneFewer = true }, ErrCorrupt, "are cut short"},
	} {
		h := handmadeSample()
		tt.fault(h)
		f, err := Parse("", h.file())
		if err == nil {
			err = f.Verify()
		}
		if !errors.Is(err, tt.class) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %v that says %q", name, err, tt.class, tt.want)
		}
	}
}

// A Writer writes the largest number of sections that a reader accepts, and no more.
func TestTooManySections(t *testing.T) {
	for _, n := range []int{MaxSections, MaxSections + 1} {
		var buf bytes.Buffer
		w := NewWriter(&buf)
		for i := range n {
			w.Begin(fmt.Sprint(i))
			_, _ = w.Write([]byte("x"))
		}
		_, _, err := w.Close()
		if n > MaxSections {
			if err == nil || !strings.Contains(err.Error(), "65536") {
				t.Errorf("%d sections are written: %v", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse("", buf.Bytes())
		if err == nil {
			err = f.Verify()
		}
		if err != nil {
			t.Errorf("%d sections: %v", n, err)
		}
	}
}

func TestReadBack(t *testing.T) {
	for name, data := range samples(t) {
		t.Run(name, func(t *testing.T) { readBack(t, data) })
	}
}

func readBack(t *testing.T, data []byte) {
	f, err := Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
	if got := f.Uint64s("wide", 3); !slices.Equal(got, []uint64{1, 2, 1 << 63}) {
		t.Errorf("wide: %v", got)
	}
	if got := f.Uint32s("narrow", 3); !slices.Equal(got, []uint32{7, 8, 9}) {
		t.Errorf("narrow: %v", got)
	}
	if got := f.Uint32s("empty", 0); len(got) != 0 {
		t.Errorf("empty: %v", got)
	}
	if got := f.Bytes("text"); string(got) != "hello" {
		t.Errorf("text: %q", got)
	}
	if got := f.Bytes("long"); !bytes.Equal(got, longText) {
		t.Errorf("long: %q", got)
	}
	for _, bad := range []func(){
		func() { f.Bytes("absent") },
		func() { f.Size("absent") },
		func() { f.Uint64s("wide", 2) },
		func() { f.Uint64s("text", 0) },
		func() { f.Uint32s("narrow", 4) },
	} {
		if err := DamageOf(bad); !errors.Is(err, ErrCorrupt) {
			t.Errorf("got %v, want ErrCorrupt", err)
		}
	}
}

// Bytes that are not aligned to eight are copied and not cast.
func TestReadUnaligned(t *testing.T) {
	shifted := append([]byte{0}, sample(t)...)[1:]
	f, err := Parse("", shifted)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Uint64s("wide", 3); !slices.Equal(got, []uint64{1, 2, 1 << 63}) {
		t.Errorf("wide: %v", got)
	}
}

func isOurs(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrForeign) || errors.Is(err, ErrVersion)
}

// step is 1, except inside the blocks of the long section.
func step(i int, data []byte) int {
	if from := bytes.Index(data, longText) + 64; i >= from && i < from+len(longText)-128 && i%BlockSize > 128 && i%BlockSize < BlockSize-64 {
		return 61
	}
	return 1
}

// samples are files as they are written, and by hand.
func samples(t *testing.T) map[string][]byte {
	return map[string][]byte{"written": sample(t), "by hand": handmadeSample().file()}
}

func TestEveryTruncationIsFound(t *testing.T) {
	for name, data := range samples(t) {
		for n := 0; n < len(data); n += step(n, data) {
			if _, err := Parse("", data[:n]); !isOurs(err) {
				t.Errorf("%s, cut to %d bytes: %v", name, n, err)
			}
		}
		if _, err := Parse("", append(slices.Clone(data), 0)); !isOurs(err) {
			t.Errorf("%s, a trailing byte: %v", name, err)
		}
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	for name, data := range samples(t) {
		broken := slices.Clone(data)
		for i := 0; i < len(data); i += step(i, data) {
			for bit := range 8 {
				copy(broken, data)
				broken[i] ^= 1 << bit
				f, err := Parse("", broken)
				if err == nil {
					err = f.Verify()
				}
				if !isOurs(err) {
					t.Errorf("%s, byte %d bit %d: %v", name, i, bit, err)
				}
			}
		}
	}
}

// failing is a writer that accepts n bytes and no more, or says nothing of it.
type failing struct {
	n      int
	silent bool
}

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.n && f.silent {
		return f.n, nil
	}
	if len(p) > f.n {
		return f.n, errors.New("disk full")
	}
	f.n -= len(p)
	return len(p), nil
}

func TestWriterKeepsTheFirstError(t *testing.T) {
	for n := range 2000 {
		w := NewWriter(&failing{n / 2, n%2 == 0})
		w.Begin("a")
		w.Uint64s(make([]uint64, 5))
		w.Begin("b")
		w.Uint32s(make([]uint32, 70))
		if _, _, err := w.Close(); n/2 < 64+64+320 && err == nil {
			t.Errorf("no error after %d bytes", n/2)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(magic))
	f.Add(sample(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("", data)
		if err != nil {
			if !isOurs(err) {
				t.Errorf("error of no known class: %v", err)
			}
			return
		}
		if file.Verify() != nil {
			return
		}
		// A file that is accepted is written again, to the same bytes.
		var buf bytes.Buffer
		w := NewWriter(&buf)
		file.Sections(func(name string, _, _ uint64) bool {
			b := file.Bytes(name)
			w.Begin(name)
			_, _ = w.Write(b)
			return true
		})
		if _, _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(buf.Bytes(), data) {
			t.Error("written again, the file differs")
		}
	})
}

// A file that a manifest names is of the size and the digest that it says.
func TestParseKnown(t *testing.T) {
	data := numbers(t, 100)
	f, err := Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	size, digest := uint64(len(data)), fmt.Sprintf("%08x", f.Digest())
	if _, err := ParseKnown("a", data, size, digest); err != nil {
		t.Error(err)
	}
	for _, other := range []struct {
		size   uint64
		digest string
	}{{size + 64, digest}, {size - 64, digest}, {size, fmt.Sprintf("%08x", f.Digest()+1)}, {size, ""}} {
		if _, err := ParseKnown("a", data, other.size, other.digest); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "a: the file") {
			t.Errorf("%+v: %v", other, err)
		}
	}
}

// However many goroutines verify a file, they find the first damaged block, and leave no section unverified.
func TestVerifyBy(t *testing.T) {
	const blocks = 2*verifyTogether/BlockSize + 100
	good := numbers(t, blocks*BlockSize/4+9)
	for _, threads := range []int{1, 2, 5} {
		f, a := loadNumbers(t, slices.Clone(good), blocks*BlockSize/4+9)
		if err := f.VerifyBy(threads); err != nil || !a.Guard.Whole() {
			t.Errorf("%d threads: %v; whole: %v", threads, err, a.Guard.Whole())
		}
		for _, damaged := range [][]int{{33, 34, 99}, {blocks - 1}, {blocks / 2, blocks - 1}} {
			data := slices.Clone(good)
			for _, block := range damaged {
				data[sectionAt+block*BlockSize+5] ^= 1
			}
			f, a = loadNumbers(t, data, blocks*BlockSize/4+9)
			want := fmt.Sprintf("section numbers at offset %d:", sectionAt+damaged[0]*BlockSize)
			if err := f.VerifyBy(threads); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), want) || a.Guard.Whole() {
				t.Errorf("%d threads: %v, want an error at %q; whole: %v", threads, err, want, a.Guard.Whole())
			}
		}
	}
}
