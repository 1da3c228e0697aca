package rewrite

import (
	"bytes"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/dsnet/compress/bzip2"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// compressor returns a writer that compresses to w, as inputs.Stream.Packing names it. Closing it does not close w.
func compressor(packing string, w io.Writer) (io.WriteCloser, error) {
	switch packing {
	case ".gz":
		return &members{to: w, z: gzip.NewWriter(w)}, nil
	case ".zst":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	case ".xz":
		return xz.NewWriter(w)
	case ".lz4":
		return lz4.NewWriter(w), nil
	case ".br":
		return brotli.NewWriter(w), nil
	case ".bz2":
		return bzip2.NewWriter(w, &bzip2.WriterConfig{Level: bzip2.BestCompression})
	}
	return unpacked{w}, nil
}

// An unpacked is a writer without compression.
type unpacked struct{ io.Writer }

func (unpacked) Close() error { return nil }

// maxWindow is the largest window of zstd and xz in bytes that is read. The reader of the corpus has read the
// file before, with a limit of its own.
const maxWindow = 128 << 20

// A members compresses to members of gzip, which are one file together.
type members struct {
	to        io.Writer
	z         *gzip.Writer
	any, open bool // a member has begun, and has not ended
}

// Write compresses p. It begins a member if none is open.
func (m *members) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if !m.open && m.any {
		m.z.Reset(m.to)
	}
	m.any, m.open = true, true
	return m.z.Write(p)
}

// end ends the member that is open.
func (m *members) end() error {
	if !m.open {
		return nil
	}
	m.open = false
	return m.z.Close()
}

// Close ends the file. One without contents has an empty member.
func (m *members) Close() error {
	m.open = m.open || !m.any
	return m.end()
}

// A queue has the bytes of standard input that have been read and not been written yet, and then those that
// have not been read.
type queue struct {
	read bytes.Buffer
	from io.Reader
}

// Read returns what waits, or else what comes.
func (q *queue) Read(p []byte) (int, error) {
	if q.read.Len() > 0 {
		return q.read.Read(p)
	}
	return q.from.Read(p)
}
