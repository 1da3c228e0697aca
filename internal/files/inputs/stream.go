package inputs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"simsearch/internal/ground/objects"
)

// BufferSize is the size of the read buffers in bytes.
const BufferSize = 256 << 10

// StreamOptions bound and observe the reading of a file.
type StreamOptions struct {
	Context context.Context // reading fails with its cause when it is done; not nil
	Window  int64           // the largest window of zstd or xz in bytes
	// Done, if not nil, grows by the number of bytes read from the file, before decompression.
	Done *atomic.Int64
	// Member, if not nil, is called where a member of gzip has ended, when all of it has been read and more is
	// wanted. Nothing is read ahead then, and the size of what is decompressed is not bounded.
	Member func() error
}

// A Stream is the decompressed content of a file, from the beginning. It must not be used by several
// goroutines at once.
type Stream struct {
	*bufio.Reader
	// Size is the number of bytes in all, or -1 if it is not known before the end.
	Size int64
	// Packing is how the file is compressed: ".gz", ".zst", ".xz", ".bz2", ".lz4", ".br" or "".
	Packing string
	plain   counter
	file    objects.File   // a regular file or an object that is not empty, or nil
	closers []func() error // the last one comes first
}

// headSize is the number of bytes at the beginning of a file that say whether it is compressed.
const headSize = 512

// Open opens the file at path, or an object. It is decompressed if its first bytes are those of gzip, zstd, xz, bzip2
// or LZ4, or if its name says
// so and it is no text; what is not a regular file goes by its name. irregular
// says that it is a pipe or a device, and that opening and reading it may block until o.Context is
// done. Errors of reading wrap ErrWindow if the window of zstd or xz is too large. The caller must close the
// stream.
func Open(path string, irregular bool, o StreamOptions) (*Stream, error) {
	s := &Stream{Size: -1}
	from, err := s.openRaw(path, irregular, o.Context)
	if err != nil {
		return nil, err
	}
	if s.Size < 0 { // nothing may have been written yet
		return s.decompress(&rawReader{from: from, o: o}, packingOf(nil, path))
	}
	from, head := beginning(from)
	return s.decompress(&rawReader{from: from, o: o}, packingOf(head, path))
}

// beginning returns the first bytes of what from yields, and a reader of all of it.
func beginning(from io.Reader) (all io.Reader, head []byte) {
	defer Blocks()()
	head = make([]byte, headSize)
	n, err := io.ReadFull(from, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		from = failing{err}
	}
	return io.MultiReader(bytes.NewReader(head[:n]), from), head[:n]
}

// A failing is a reader that could not be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// NewUnpacked returns a stream of what from yields, decompressed if its first bytes are those of gzip, zstd, xz,
// bzip2 or LZ4. Errors of reading are those of Open. The caller must close the stream; from stays open.
func NewUnpacked(from io.Reader, o StreamOptions) (*Stream, error) {
	buffered := bufio.NewReaderSize(from, BufferSize)
	head, err := buffered.Peek(1)
	for err == nil && len(head) < longestMagic && beginsMagic(head) { // what may not have been written yet is not waited for
		head, err = buffered.Peek(len(head) + 1)
	}
	// A read will return the error again.
	return (&Stream{Size: -1}).decompress(&rawReader{from: buffered, o: o}, extensionOf(head))
}

// StreamOf returns a stream of what from yields, as it is. The caller must close the stream; from stays open.
func StreamOf(from io.Reader) *Stream {
	s := &Stream{Size: -1}
	s.begin(from)
	return s
}

// decompress begins to read what is compressed as packing says.
func (s *Stream) decompress(raw *rawReader, packing string) (*Stream, error) {
	s.Packing = packing
	decompress, ok := decompressors[packing]
	if !ok {
		s.begin(raw)
		return s, nil
	}
	packed := newBuffer(raw)
	plain, end, err := decompress(packed, &raw.o)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.closers = append(s.closers, func() error {
		if end != nil {
			end()
		}
		freeBuffer(packed)
		return nil
	})
	if raw.o.Member == nil || packing != ".gz" {
		plain = &expansionReader{from: plain, raw: raw}
		if s.Size >= aheadFrom { // else it is small, or a pipe whose next bytes may not have been written yet
			var stop func() error
			plain, stop = newAhead(plain)
			s.closers = append(s.closers, stop)
		}
	}
	s.Size = -1
	s.begin(plain)
	return s, nil
}

// begin sets the reader of the decompressed content.
func (s *Stream) begin(plain io.Reader) {
	s.plain.from = plain
	s.Reader = newBuffer(&s.plain)
}

// buffers are the buffers of streams that have been closed. Many small files would otherwise take more time for the
// memory of buffers than for reading.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, BufferSize) }}

func newBuffer(from io.Reader) *bufio.Reader {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(from)
	return b
}

func freeBuffer(b *bufio.Reader) {
	b.Reset(nil)
	buffers.Put(b)
}

// openRaw opens a file without decompressing it, and registers its Close.
func (s *Stream) openRaw(path string, irregular bool, ctx context.Context) (io.Reader, error) {
	if irregular {
		f, err := OpenIrregular(ctx, path)
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, f.Close)
		return Interruptibly(ctx, f), nil
	}
	defer Blocks()()
	f, err := objects.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, f.Close)
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		s.Size, s.file = info.Size(), f
		return f, nil
	}
	// A file of the system, such as /proc/kmsg, has no size and may have something to read, which may be waited for.
	return Interruptibly(ctx, f), nil
}

// File returns the file itself, so that it can be read at any place. It is nil if the file is compressed, empty or no
// regular one. Close closes it.
func (s *Stream) File() objects.File {
	if s.Packing != "" {
		return nil
	}
	return s.file
}

// Close closes the file. What the methods have returned without consuming it must not be used afterwards.
func (s *Stream) Close() error {
	if s.Reader != nil {
		freeBuffer(s.Reader)
		s.Reader = nil
	}
	var err error
	for _, c := range slices.Backward(s.closers) {
		err = errors.Join(err, c())
	}
	s.closers = nil
	return err
}

// Beginning returns up to n bytes, at most BufferSize, without consuming them. If mayWait is set it
// returns only what has arrived, since the next line may not have been written yet.
func (s *Stream) Beginning(n int, mayWait bool) []byte {
	if mayWait {
		_, _ = s.Peek(1) // a read will return the error again
		n = min(n, s.Buffered())
	}
	head, _ := s.Peek(n)
	return head
}

// Fill returns what comes next without consuming it: all of it, or one buffer.
func (s *Stream) Fill() []byte { return s.Beginning(BufferSize, false) }

// Offset returns the number of bytes of the decompressed content that have been consumed.
func (s *Stream) Offset() int64 { return s.plain.n - int64(s.Buffered()) }

// A counter counts what is read from another reader.
type counter struct {
	from io.Reader
	n    int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

// A rawReader reads a file before decompression. It remembers an error: a terminal would have to be
// told again that its input has ended.
type rawReader struct {
	from io.Reader
	o    StreamOptions
	n    int64 // bytes read
	err  error
}

// Read fails if the context is done.
func (r *rawReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.o.Context); err != nil {
		return 0, err
	}
	if r.err != nil {
		return 0, r.err
	}
	ended := Blocks()
	n, err := r.from.Read(p)
	ended()
	r.err = err
	r.n += int64(n)
	if r.o.Done != nil {
		r.o.Done.Add(int64(n))
	}
	return n, err
}
