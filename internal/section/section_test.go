package section

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"
)

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
	size, _, err := w.Close()
	if err != nil || size != uint64(buf.Len()) {
		t.Fatalf("Close: %d bytes of %d, %v", size, buf.Len(), err)
	}
	return buf.Bytes()
}

// The file of docs/FORMAT.md written field by field, in the specification's order.
func TestWriterByHand(t *testing.T) {
	var want []byte
	u32 := func(x uint32) { want = binary.LittleEndian.AppendUint32(want, x) }
	u64 := func(x uint64) { want = binary.LittleEndian.AppendUint64(want, x) }
	zeros := func(n int) { want = append(want, make([]byte, n)...) }

	want = append(want, "SIMSEG\r\n"...)
	u32(1)
	zeros(52)
	u64(1)
	u64(2)
	u64(1 << 63)
	zeros(40)
	u32(7)
	u32(8)
	u32(9)
	zeros(52)
	want = append(want, "hello"...)
	zeros(59)
	toc := len(want)
	u32(4)
	for _, e := range []struct {
		name           string
		offset, length uint64
	}{{"wide", 64, 24}, {"narrow", 128, 12}, {"empty", 192, 0}, {"text", 192, 5}} {
		end := (e.offset + e.length + 63) / 64 * 64
		crc := crc32.Checksum(want[e.offset:end], crc32.MakeTable(0x82F63B78))
		want = append(want, byte(len(e.name)))
		want = append(want, e.name...)
		u64(e.offset)
		u64(e.length)
		u32(crc)
	}
	tocLen := len(want) - toc
	digest := crc32.Checksum(append(slices.Clone(want[:64]), want[toc:]...), crc32.MakeTable(0x82F63B78))
	u64(uint64(toc))
	u64(uint64(tocLen))
	u32(digest)
	u32(0)
	want = append(want, "SIMEND\r\n"...)

	if got := sample(t); !bytes.Equal(got, want) {
		t.Errorf("file:\n%x\nby hand:\n%x", got, want)
	}
}

func TestReadBack(t *testing.T) {
	f, err := Parse(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
	if got, err := f.Uint64s("wide", 3); err != nil || !slices.Equal(got, []uint64{1, 2, 1 << 63}) {
		t.Errorf("wide: %v, %v", got, err)
	}
	if got, err := f.Uint32s("narrow", 3); err != nil || !slices.Equal(got, []uint32{7, 8, 9}) {
		t.Errorf("narrow: %v, %v", got, err)
	}
	if got, err := f.Uint32s("empty", 0); err != nil || len(got) != 0 {
		t.Errorf("empty: %v, %v", got, err)
	}
	if got, err := f.Checked("text"); err != nil || string(got) != "hello" {
		t.Errorf("text: %q, %v", got, err)
	}
	for _, bad := range []func() error{
		func() error { _, err := f.Bytes("absent"); return err },
		func() error { _, err := f.Checked("absent"); return err },
		func() error { _, err := f.Uint64s("wide", 2); return err },
		func() error { _, err := f.Uint64s("text", 0); return err },
		func() error { _, err := f.Uint32s("narrow", 4); return err },
	} {
		if err := bad(); !errors.Is(err, ErrCorrupt) {
			t.Errorf("got %v, want ErrCorrupt", err)
		}
	}
}

// Bytes that do not lie at a multiple of eight must be copied, not cast.
func TestReadUnaligned(t *testing.T) {
	shifted := append([]byte{0}, sample(t)...)[1:]
	f, err := Parse(shifted)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Uint64s("wide", 3); err != nil || !slices.Equal(got, []uint64{1, 2, 1 << 63}) {
		t.Errorf("wide: %v, %v", got, err)
	}
}

func isOurs(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrForeign) || errors.Is(err, ErrVersion)
}

func TestEveryTruncationIsFound(t *testing.T) {
	data := sample(t)
	for n := range data {
		if _, err := Parse(data[:n]); !isOurs(err) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := Parse(append(slices.Clone(data), 0)); !isOurs(err) {
		t.Errorf("a trailing byte: %v", err)
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	data := sample(t)
	for i := range data {
		for bit := range 8 {
			broken := slices.Clone(data)
			broken[i] ^= 1 << bit
			f, err := Parse(broken)
			if err == nil {
				err = f.Verify()
			}
			if !isOurs(err) {
				t.Errorf("byte %d bit %d: %v", i, bit, err)
			}
		}
	}
}

// failing accepts n bytes and then no more.
type failing struct{ n int }

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return f.n, errors.New("disk full")
	}
	f.n -= len(p)
	return len(p), nil
}

func TestWriterKeepsTheFirstError(t *testing.T) {
	for n := range len(sample(t)) {
		w := NewWriter(&failing{n})
		w.Begin("a")
		w.Uint64s(make([]uint64, 5))
		w.Begin("b")
		w.Uint32s(make([]uint32, 70))
		if _, _, err := w.Close(); n < 64+64+320 && err == nil {
			t.Errorf("no error after %d bytes", n)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(Magic))
	f.Add(sample(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			if !isOurs(err) {
				t.Errorf("error of no known class: %v", err)
			}
			return
		}
		if file.Verify() != nil {
			return
		}
		// What is accepted is written again to the same bytes.
		var buf bytes.Buffer
		w := NewWriter(&buf)
		file.Sections(func(name string, _, _ uint64) bool {
			b, err := file.Bytes(name)
			if err != nil {
				t.Fatal(err)
			}
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
