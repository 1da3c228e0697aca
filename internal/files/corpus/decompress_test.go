package corpus

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

// zstdFrame returns a zstd frame of one repeated letter, with 128 KiB a block and a window of 1 <<
// log bytes.
func zstdFrame(log, blocks int) string {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(log-10) << 3}
	for i := range blocks {
		const repeated = 1 << 1
		header := uint32(128<<10)<<3 | repeated
		if i == blocks-1 {
			header |= 1
		}
		b = append(binary.LittleEndian.AppendUint32(b, header)[:len(b)+3], 'a')
	}
	return string(b)
}

// singleSegment returns a zstd frame with a window as large as the contents that it claims to have.
func singleSegment(size uint64) string {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 3<<6 | 1<<5}
	b = binary.LittleEndian.AppendUint64(b, size)
	return string(append(b, 1<<3|1, 0, 0, 'a'))
}

func TestZstdWindow(t *testing.T) {
	refused := "! a.zst: it takes a window of more than %d MiB to decompress"
	letters := "a.zst=" + strings.Repeat("a", 128<<10)
	for _, tt := range []struct {
		name, data string
		memory     int64
		want       string
	}{
		{"2 GiB", zstdFrame(31, 1), 0, fmt.Sprintf(refused, 128)},
		{"256 MiB", zstdFrame(28, 1), 0, fmt.Sprintf(refused, 128)},
		{"128 MiB", zstdFrame(27, 1), 0, letters},
		{"128 MiB, under a limit of memory", zstdFrame(27, 1), 100 << 20, fmt.Sprintf(refused, 25)},
		{"16 MiB, under a limit of memory", zstdFrame(24, 1), 100 << 20, letters},
		{"8 MiB, under any limit", zstdFrame(23, 1), 1, letters},
		{"one segment", singleSegment(1 << 40), 0, fmt.Sprintf(refused, 128)},
		{"one segment of 256 MiB", singleSegment(256 << 20), 0, fmt.Sprintf(refused, 128)},
		{"behind a good frame", zstdCompressed(t, "good") + zstdFrame(31, 1), 0, fmt.Sprintf(refused, 128)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files(t, map[string]string{"a.zst": tt.data})
			r, err := Open([]string{"a.zst"}, Options{Memory: tt.memory, Format: Text})
			if err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, r); len(got) != 1 || got[0] != tt.want {
				t.Errorf("got %.200q\nwant %.200q", got, tt.want)
			}
		})
	}
}

// bzipped45MB is 45,000,000 times the letter a, as bzip2 compresses it.
const bzipped45MB = "QlpoOTFBWSZTWXB2BjoBWKsBIKAAEAAACCAAMMwFKaZSSFJsVJIUni7kinChIODsDHQ="

// A file that decompresses to far too much is one bad file. The documents before the limit stay.
func TestExpansion(t *testing.T) {
	testkit.Long(t, "files that expand a thousandfold")
	bz2, err := base64.StdEncoding.DecodeString(bzipped45MB)
	if err != nil {
		t.Fatal(err)
	}
	const bomb = "it decompresses to more than 1000 times its size: what follows is left out; decompress it to a file first if that is right"
	mega := gzipped(strings.Repeat("a", 16<<20))
	for name, data := range map[string]string{
		"a.zst": zstdCompressed(t, "one\ntwo\n") + zstdFrame(20, 1<<18),
		"a.gz":  gzipped("one\ntwo\n") + strings.Repeat(mega, 64),
		"a.bz2": strings.Repeat(string(bz2), 23),
	} {
		t.Run(name, func(t *testing.T) {
			files(t, map[string]string{name: data, "last": "x"})
			r, err := Open([]string{name, "last"}, Options{Format: Lines})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{name + "#1=one", name + "#2=two", "! " + name + ": " + bomb, "last#1=x"}
			if name == "a.bz2" {
				want = want[2:]
			}
			if got := readAll(t, r); !slices.Equal(got, want) {
				t.Errorf("got %.200q\nwant %.200q", got, want)
			}
			// Reading ends soon after the limit is passed, not when all has been decompressed.
			if done, _ := r.Progress(); name != "a.bz2" && done > int64(len(data))/2 {
				t.Errorf("%d bytes of %d were read", done, len(data))
			}
		})
	}
}

// A file that decompresses to few bytes may have any ratio.
func TestSmallExpansion(t *testing.T) {
	files(t, map[string]string{"a.zst": zstdFrame(20, 400)})
	r, err := Open([]string{"a.zst"}, Options{Format: Lines})
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, r); len(got) != 1 || got[0] != "a.zst#1="+strings.Repeat("a", 400<<17) {
		t.Errorf("got %.100q", got)
	}
}
