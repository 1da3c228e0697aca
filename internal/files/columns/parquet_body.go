package columns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

var (
	errSize = errors.New("it does not decompress to the size that it says")
	errBody = errors.New("it does not decompress")
)

// expansions are how many times its size in bytes a body can decompress to, where that is bounded.
var expansions = map[format.CompressionCodec]int64{
	format.Snappy: 64, format.Lz4Raw: 255, format.Lz4: 255, format.Gzip: 1032,
}

func mostOf(codec format.CompressionCodec) int64 { return cmp.Or(expansions[codec], 1<<40) }

// unpack decompresses the body of a page into dst, which must be of exactly the size that the body decompresses to.
func unpack(codec format.CompressionCodec, dst, body []byte) error {
	if len(dst) == 0 {
		return nil // some writers compress nothing to something, and others to nothing
	}
	switch codec {
	case format.Snappy:
		n, err := snappy.DecodedLen(body)
		if err == nil && n != len(dst) {
			return errSize
		}
		if err == nil {
			_, err = snappy.Decode(dst, body)
		}
		return wrong(err)
	case format.Zstd:
		decoder, err := zstdDecoder()
		if err != nil {
			return err
		}
		got, err := decoder.DecodeAll(body, dst[:0:len(dst)])
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) || err == nil && len(got) != len(dst) {
			return errSize
		}
		return wrong(err)
	case format.Lz4Raw:
		return unpackLZ4(dst, body)
	case format.Lz4:
		if err := unpackHadoop(dst, body); err == nil {
			return nil
		}
		return unpackLZ4(dst, body)
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return wrong(err)
		}
		return readExactly(r, dst)
	case format.Brotli:
		return readExactly(brotli.NewReader(bytes.NewReader(body)), dst)
	}
	return fmt.Errorf("compressed by %s, which is not supported", codec)
}

// zstdDecoder returns the decoder of all files. It writes no more than there is room for.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

// wrong wraps what a decoder says of a body.
func wrong(err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %w", errBody, err)
	}
	return err
}

// readExactly fills dst from r, which must end there.
func readExactly(r io.Reader, dst []byte) error {
	n, err := io.ReadFull(r, dst)
	if n < len(dst) && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return errSize
	}
	if err == nil {
		n, err = io.ReadFull(r, make([]byte, 1))
		if n > 0 {
			return errSize
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
	return wrong(err)
}

// unpackLZ4 decompresses a block of LZ4.
func unpackLZ4(dst, body []byte) error {
	n, err := lz4.UncompressBlock(body, dst)
	if err == nil && n != len(dst) {
		return errSize
	}
	return wrong(err)
}

// unpackHadoop decompresses blocks of LZ4, each behind its size and that of what it decompresses to. The codec LZ4,
// which LZ4_RAW has replaced, stands for them, and in some files for a block without sizes.
func unpackHadoop(dst, body []byte) error {
	for len(body) > 0 {
		if len(body) < 8 {
			return errBody
		}
		size, packed := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
		if body = body[8:]; int64(size) > int64(len(dst)) || int64(packed) > int64(len(body)) {
			return errSize
		}
		if err := unpackLZ4(dst[:size], body[:packed]); err != nil {
			return err
		}
		dst, body = dst[size:], body[packed:]
	}
	if len(dst) > 0 {
		return errSize
	}
	return nil
}
