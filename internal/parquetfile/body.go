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

// maxBlock is the largest size in bytes of a block of zstd.
const maxBlock = 128 << 10

// checkBody returns an error if the body of a page decompresses to more than size bytes.
func checkBody(codec format.CompressionCodec, body []byte, size int64) error {
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(body); err != nil || int64(n) > size {
			return errTooLarge
		}
	case format.Zstd:
		return checkZstd(body, size)
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

// checkZstd returns an error if frames of zstd decompress to more than size bytes. It reads the headers of frames and
// blocks only.
func checkZstd(body []byte, size int64) error {
	total := int64(0)
	for len(body) > 0 {
		var h zstd.Header
		if err := h.Decode(body); err != nil {
			return errBody
		}
		if h.Skippable {
			skip := int64(h.HeaderSize) + int64(h.SkippableSize)
			if skip > int64(len(body)) {
				return errBody
			}
			body = body[skip:]
			continue
		}
		body = body[h.HeaderSize:]
		blocks := int64(0) // at most what they decompress to
		for last := false; !last; {
			if len(body) < 3 {
				return errBody
			}
			header := uint32(body[0]) | uint32(body[1])<<8 | uint32(body[2])<<16
			n := int64(header >> 3)
			last = header&1 != 0
			switch header >> 1 & 3 {
			case 0: // as it is
				blocks += n
			case 1: // one byte, n times
				blocks += n
				n = 1
			case 2:
				blocks += maxBlock
			default:
				return errBody
			}
			if n += 3; n > int64(len(body)) {
				return errBody
			}
			body = body[n:]
		}
		if h.HasCheckSum {
			body = body[min(4, len(body)):]
		}
		if h.HasFCS {
			if h.FrameContentSize > uint64(size) {
				return errTooLarge
			}
			blocks = int64(h.FrameContentSize) // the decoder compares it
		}
		if total += blocks; total > max(size, freePage) {
			return errTooLarge
		}
	}
	return nil
}
