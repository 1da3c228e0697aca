package columns

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

// A hadoopLZ4 writes the codec LZ4 as Hadoop does: blocks with their sizes.
type hadoopLZ4 struct{ blocks int }

func (hadoopLZ4) String() string                             { return "LZ4" }
func (hadoopLZ4) CompressionCodec() format.CompressionCodec  { return format.Lz4 }
func (hadoopLZ4) Decode(dst, _ []byte) (_ []byte, err error) { return dst, err }

func (c hadoopLZ4) Encode(dst, src []byte) ([]byte, error) {
	for i := range c.blocks {
		part := src[i*len(src)/c.blocks : (i+1)*len(src)/c.blocks]
		block, err := parquet.Lz4Raw.Encode(nil, part)
		if err != nil {
			return dst, err
		}
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(part)))
		dst = append(binary.BigEndian.AppendUint32(dst, uint32(len(block))), block...)
	}
	return dst, nil
}

// A rawLZ4 writes the codec LZ4 as early versions of Arrow did: a block without sizes.
type rawLZ4 struct{ hadoopLZ4 }

func (rawLZ4) Encode(dst, src []byte) ([]byte, error) { return parquet.Lz4Raw.Encode(dst, src) }

// codecs are all in which files are written here.
func codecs() []compress.Codec {
	return []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Lz4Raw, &parquet.Brotli, hadoopLZ4{1}, hadoopLZ4{3}, rawLZ4{}}
}

// A body decompresses to what it was, for any ratio, if the size is that which it says, and otherwise to nothing.
func TestBodies(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	texts := [][]byte{noise, noise[:1], noise[:17], bytes.Repeat([]byte("a"), 5<<20), []byte(strings.Repeat("some words ", 1000))}
	for _, alike := range []int{100, 50, 30, 10} { // of a hundred bytes, so many are noise
		var text []byte
		for at := 0; at < 50_000; at += alike {
			text = append(append(text, noise[at:at+alike]...), strings.Repeat("=", 100-alike)...)
		}
		texts = append(texts, text)
	}
	for _, codec := range codecs()[1:] {
		kind := codec.CompressionCodec()
		for _, text := range texts {
			body, err := codec.Encode(nil, text)
			if err != nil {
				t.Fatal(err)
			}
			got := bytes.Repeat([]byte("?"), len(text))
			if err := unpack(kind, got, body); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s, %d bytes in %d: %v", codec, len(text), len(body), err)
			}
			for _, size := range []int{len(text) - 1, len(text) + 1, 2 * len(text)} {
				if size > 0 && unpack(kind, make([]byte, size), body) == nil {
					t.Errorf("%s: %d bytes pass for %d", codec, len(text), size)
				}
			}
			if int64(len(text)) > mostOf(kind)*int64(len(body)+1) {
				t.Errorf("%s: %d bytes are refused as too many for %d", codec, len(text), len(body))
			}
		}
		for _, damaged := range [][]byte{bytes.Repeat([]byte{0xff}, 1000), []byte("\xff\xff"), nil} {
			if err := unpack(kind, make([]byte, 100_000), damaged); err == nil {
				t.Errorf("%s: %.10q passes", codec, damaged)
			}
		}
	}
}

// Frames of zstd that do not say their size, and several of them, are within bounds together.
func TestZstdFrames(t *testing.T) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 30 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	one, err := (&parquet.Zstd).Encode(nil, zeros)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{b.Bytes(), bytes.Repeat(one, 30)} {
		for size, ok := range map[int]bool{1: false, 29: false, 30: true, 31: false} {
			if err := unpack(format.Zstd, make([]byte, size<<20), body); (err == nil) != ok {
				t.Errorf("30 MiB for %d: %v", size, err)
			}
		}
	}
	for n := range len(one) - 1 {
		if err := unpack(format.Zstd, make([]byte, 1<<20), one[:n]); err == nil {
			t.Errorf("%d bytes of %d pass", n, len(one))
		}
	}
}
