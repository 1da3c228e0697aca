package parquetfile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

// The body of a page passes if it has the size that its header says, and not if it has more.
func TestBodies(t *testing.T) {
	small, large := []byte(strings.Repeat("some words ", 1000)), bytes.Repeat([]byte("a"), 300<<20)
	for _, codec := range []compress.Codec{&parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Lz4Raw, &parquet.Brotli} {
		for _, text := range [][]byte{small, large} {
			if codec != &parquet.Gzip && len(text) > len(small) {
				continue // the size makes no difference
			}
			body, err := codec.Encode(nil, text)
			if err != nil {
				t.Fatal(err)
			}
			if err := checkBody(codec.CompressionCodec(), body, int64(len(text))); err != nil {
				t.Errorf("%s, %d bytes: %v", codec, len(text), err)
			}
			if codec == &parquet.Gzip && len(text) == len(small) {
				continue // it can take little memory
			}
			if err := checkBody(codec.CompressionCodec(), body, int64(len(text)-1)); err == nil {
				t.Errorf("%s: %d bytes pass for less", codec, len(text))
			}
		}
		for _, damaged := range [][]byte{bytes.Repeat([]byte{0xff}, 1000), []byte("\xff\xff")} {
			if err := checkBody(codec.CompressionCodec(), damaged, 100_000); err == nil && codec != &parquet.Gzip && codec != &parquet.Brotli {
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
	for range 300 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := checkBody(format.Zstd, b.Bytes(), 1<<20); err == nil {
		t.Error("300 MiB pass for 1")
	}
	if err := checkBody(format.Zstd, b.Bytes(), 301<<20); err != nil {
		t.Error(err)
	}
	one, err := (&parquet.Zstd).Encode(nil, zeros)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkBody(format.Zstd, bytes.Repeat(one, 300), 1<<20); err == nil {
		t.Error("300 frames pass for one")
	}
	for n := range len(one) - 1 {
		if err := checkBody(format.Zstd, one[:n], 1<<20); err == nil && n > 0 {
			t.Errorf("%d bytes of %d pass", n, len(one))
		}
	}
}
