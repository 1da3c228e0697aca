package inputs

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
	"github.com/pierrec/lz4/v4"
)

// A decompressor returns the decompressed content of raw, and what gives its memory back, or nil.
type decompressor func(raw *bufio.Reader, o *StreamOptions) (plain io.Reader, end func(), err error)

// decompressors are by the extensions of files, in lower case.
var decompressors = map[string]decompressor{
	".gz": func(raw *bufio.Reader, o *StreamOptions) (io.Reader, func(), error) {
		if o.Member != nil {
			return Members(raw, o.Member), nil, nil
		}
		z := gunzippers.Get().(*gzip.Reader)
		return z, func() { gunzippers.Put(z) }, z.Reset(raw)
	},
	".zst": func(raw *bufio.Reader, o *StreamOptions) (io.Reader, func(), error) {
		z, err := zstd.NewReader(raw, zstd.WithDecoderMaxWindow(uint64(o.Window)), zstd.WithDecoderConcurrency(1))
		return z, z.Close, err
	},
	".xz": func(raw *bufio.Reader, o *StreamOptions) (io.Reader, func(), error) {
		z, err := xz.NewReader(raw, uint32(min(o.Window, math.MaxUint32)))
		return z, nil, windowError(err, o.Window)
	},
	".bz2": func(raw *bufio.Reader, _ *StreamOptions) (io.Reader, func(), error) {
		return bzip2.NewReader(raw), nil, nil
	},
	".lz4": func(raw *bufio.Reader, _ *StreamOptions) (io.Reader, func(), error) {
		return lz4.NewReader(raw), nil, nil
	},
	brotliExtension: func(raw *bufio.Reader, _ *StreamOptions) (io.Reader, func(), error) {
		return brotli.NewReader(raw), nil, nil
	},
}

// brotliExtension is that of files in brotli, which no first bytes tell.
const brotliExtension = ".br"

// gunzippers have the memory that decompressing a file takes. The next file uses it again.
var gunzippers = sync.Pool{New: func() any { return new(gzip.Reader) }}

// Members returns a reader of the members of gzip that raw has. It calls end where one has ended, when all of it has
// been returned and more is wanted. An error of end is that of the reader.
func Members(raw *bufio.Reader, end func() error) io.Reader { return &members{raw: raw, end: end} }

// A members is the reader that Members returns.
type members struct {
	raw  *bufio.Reader
	z    gzip.Reader // of the current member
	open bool        // there is one
	end  func() error
}

// Read reads from one member at a time.
func (m *members) Read(p []byte) (n int, err error) {
	for {
		if !m.open {
			if err := m.z.Reset(m.raw); err != nil {
				return 0, err // perhaps io.EOF, the end
			}
			m.z.Multistream(false)
			m.open = true
		}
		n, err = m.z.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
		m.open = false
		if err := m.end(); err != nil {
			return 0, err
		}
	}
}

// magics are the first bytes of compressed files.
var magics = []struct{ bytes, extension string }{
	{"\x1f\x8b\x08", ".gz"}, {"\x28\xb5\x2f\xfd", ".zst"}, {"\xfd7zXZ\x00", ".xz"}, {"BZh", ".bz2"},
	{"\x04\x22\x4d\x18", ".lz4"},
}

// longestMagic is the length of the longest of magics, or of what tells it from text.
const longestMagic = 10

// beginsMagic reports whether a file that begins so may be compressed.
func beginsMagic(head []byte) bool {
	for _, m := range magics {
		if n := min(len(head), len(m.bytes)); string(head[:n]) == m.bytes[:n] {
			return true
		}
	}
	return false
}

// extensionOf returns the extension of a compressed file that begins so, or "".
func extensionOf(head []byte) string {
	for _, m := range magics {
		if !bytes.HasPrefix(head, []byte(m.bytes)) {
			continue
		}
		// A text may begin with the letters of bzip2, which are followed by the size of a block and a number.
		if m.extension == ".bz2" && (len(head) < 10 || string(head[4:10]) != "1AY&SY") {
			continue
		}
		return m.extension
	}
	return ""
}

// packingOf returns the extension of the files that are compressed as one that begins with head, or "". Its name
// counts for brotli, and where the first bytes say nothing: a text is none that is compressed, whatever it is called.
func packingOf(head []byte, name string) string {
	if packing := extensionOf(head); packing != "" {
		return packing
	}
	ext := extension(name)
	if decompressors[ext] == nil || ext != brotliExtension && isText(head) {
		return ""
	}
	return ext
}

// isText reports whether head, the beginning of a file, is in UTF-8 without characters of control.
func isText(head []byte) bool {
	for at := 0; at < len(head); {
		r, size := utf8.DecodeRune(head[at:])
		if r == utf8.RuneError && size == 1 && utf8.FullRune(head[at:]) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return false
		}
		at += size
	}
	return len(head) > 0
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

// IsCompressed reports whether the name of a file is that of a compressed one, whose extension comes behind another.
func IsCompressed(name string) bool { return decompressors[extension(name)] != nil }

const (
	// maxExpansion is the largest allowed ratio of the length of a text to the length of its file.
	// gzip reaches 1,032, but only for one repeated byte.
	maxExpansion = 1000
	// freeExpansion is the number of bytes that any file may decompress to, whatever its own size.
	freeExpansion = 256 << 20
)

// An expansionReader fails if a file decompresses to much more than its own size.
type expansionReader struct {
	from io.Reader // what decompresses raw
	raw  *rawReader
	n    int64
	err  error // that of from, which stays: zstd yields what has a wrong checksum behind the error
}

func (e *expansionReader) Read(p []byte) (n int, err error) {
	if err := context.Cause(e.raw.o.Context); err != nil {
		return 0, err
	}
	if e.err == nil {
		n, e.err = e.from.Read(p)
		e.err = windowError(e.err, e.raw.o.Window)
	}
	if e.n += int64(n); e.n > freeExpansion && e.n/maxExpansion > e.raw.n {
		return 0, fmt.Errorf("it decompresses to more than %d times its size: what follows is left out; decompress it to a file first if "+
			"that is right", maxExpansion)
	}
	return n, e.err
}

// ErrWindow marks a file that needs a larger window of zstd or xz than StreamOptions.Window.
var ErrWindow = errors.New("it takes a window")

// windowError returns ErrWindow if err says that a window is larger than most bytes, and err otherwise.
func windowError(err error, most int64) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, xz.ErrMemlimit) {
		return fmt.Errorf("%w of more than %d MiB to decompress", ErrWindow, most>>20)
	}
	return err
}
