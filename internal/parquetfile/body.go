package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// The library takes memory for what a compressed page claims to be, or as long as it goes on, and doubles the memory
// for a block of LZ4 that is damaged until there is none. So a page is looked at before the library sees it:
// its header if that tells the size, and else all of it.

var (
	errTooLarge = errors.New("it decompresses to more than it says")
	errBody     = errors.New("it does not decompress")
)

// checkBody returns an error if the body of a page decompresses to more than size bytes.
func checkBody(codec format.CompressionCodec, body []byte, size int64) error {
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(body); err != nil || int64(n) > size {
			return errTooLarge
		}
	case format.Zstd:
		if len(body) == 0 {
			return nil
		}
		var h zstd.Header
		if err := h.Decode(body); err != nil {
			return errBody
		}
		const usual = 8 << 20 // the window in bytes that any decoder should support
		window := zstd.WithDecoderMaxWindow(uint64(max(usual, 2*size)))
		r, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), window)
		if err != nil {
			return errBody
		}
		defer r.Close()
		return checkLength(r, size)
	case format.Lz4Raw:
		const most = 255 // times the size of a block
		if size > most*(int64(len(body))+1) {
			return errBody
		}
		if n, err := lz4.UncompressBlock(body, make([]byte, size)); err != nil || int64(n) > size {
			return errBody
		}
	case format.Gzip:
		const most = 1032 // times the size of what gzip compresses
		if int64(len(body)) <= freePage/most {
			return nil
		}
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return errBody
		}
		return checkLength(r, size)
	case format.Brotli:
		return checkLength(brotli.NewReader(bytes.NewReader(body)), size)
	}
	return nil
}

// checkLength returns an error unless r has at most size bytes.
func checkLength(r io.Reader, size int64) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, size+1))
	switch {
	case n > size:
		return errTooLarge
	case err != nil:
		return fmt.Errorf("%w: %w", errBody, err)
	}
	return nil
}
