package columns

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/spill"
)

// Arrow's IPC format is a stream of messages: a schema, dictionaries, and batches of rows. A message is a FlatBuffer
// (format/Message.fbs and Schema.fbs of Arrow) and a body, which has the buffers of all columns one after the other.
// A file has a mark before such messages, and behind them a footer that says where they are. Where it cannot be read
// at any place, as from a pipe, it is read from the front, as a stream is. Some files, such as those of polars, have
// no schema there. Of each batch the whole body is in memory, or is mapped. What is compressed in it is decompressed
// into memory that the next batch takes again.

// arrowMagic is what an Arrow file, which is no stream, begins and ends with. Two bytes of padding follow the first
// one.
const arrowMagic = "ARROW1"

const magicSize = 8 // with the padding

// LooksLikeArrow reports whether what begins with head is a file or a stream: of the latter, the first message begins
// with its mark, and has a size that a schema may have.
func LooksLikeArrow(head []byte) bool {
	if bytes.HasPrefix(head, []byte(arrowMagic+"\x00\x00")) {
		return true
	}
	if len(head) < 8 || binary.LittleEndian.Uint32(head) != continuation {
		return false
	}
	size := binary.LittleEndian.Uint32(head[4:])
	return size > 0 && size <= maxMetadata && size%8 == 0
}

// maxMetadata is the size in bytes of the largest description of a message.
const maxMetadata = 64 << 20

// MostOfBatch returns how many bytes the body of a batch may have, by the memory that is to be used; 0 is half of
// what the machine has.
func MostOfBatch(memory int64) int64 { return max(leastBatch, spill.MemoryOr(memory)/4) }

// leastBatch is the smallest bound in bytes.
const leastBatch = 1 << 20

// A message is one of a stream.
type message struct {
	kind byte
	meta []byte // the FlatBuffer
	body []byte
	head flat // of the kind
}

// The kinds of messages.
const (
	isSchema, isDictionary, isBatch = 1, 2, 3
)

// A source reads messages.
type source struct {
	from   *bufio.Reader
	most   int64 // of a body, in bytes, compressed and not
	file   bool
	at     objects.File // the file, if it is read by its footer
	size   int64        // of that file
	schema []byte       // of that file, which is the first message; nil when it has been read
	blocks []block      // of that file, those to come
	done   int64        // bytes of that file
	meta   bytes.Buffer
	body   bytes.Buffer
	last   block    // of that file, the one that is being read
	mapped *mapping // its body, if that is not in body
	passed int      // bytes of it that have been used since its memory was let go
}

type mapping struct{ *disk.Mapped }

// mostPassed is how many bytes of a body are used before its memory is let go.
const mostPassed = 32 << 20

// pass says that n more bytes of a body have been used.
func (s *source) pass(n int) {
	if s.passed += n; s.passed > mostPassed {
		s.mapped.Expect(s.mapped.Data(), disk.Done)
		s.passed = 0
	}
}

// newSource begins to read a stream or a file, which may be one that can be read at any place. That is read from its
// beginning.
func newSource(from io.Reader, most int64) (*source, error) {
	s := &source{from: bufio.NewReaderSize(from, 64<<10), most: most, mapped: &mapping{disk.MappedBytes("", nil)}}
	runtime.AddCleanup(s, func(m *mapping) { _ = m.Close() }, s.mapped)
	if f, ok := from.(objects.File); ok {
		info, err := f.Stat()
		if err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
		if err != nil {
			return nil, err
		}
		var magic [magicSize]byte
		if n, _ := f.ReadAt(magic[:], 0); info.Mode().IsRegular() && n == magicSize && string(magic[:len(arrowMagic)]) == arrowMagic {
			return s, s.openFile(f, info.Size())
		}
	}
	head, err := s.from.Peek(magicSize + 8)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte(arrowMagic+"\x00\x00")):
		if s.file = true; len(head) < 16 || !LooksLikeArrow(head[magicSize:]) {
			return nil, errors.New("an Arrow file without a schema at its beginning, such as polars writes: give the file itself, not compressed and not " +
				"through a pipe, or write a stream (write_ipc_stream)")
		}
		_, err = s.from.Discard(magicSize)
		return s, err
	case len(head) == 0:
		return nil, fmt.Errorf("%w: it is empty: a stream has a schema at least", ErrDamaged)
	case !LooksLikeArrow(head):
		return nil, errors.New("neither a stream nor a file of Arrow's IPC format, version 0.15 (2019) or later")
	}
	return s, nil
}

// A block says where a message is in a file.
type block struct {
	at, body int64
	meta     int32
}

// openFile reads the footer of a file.
func (s *source) openFile(f objects.File, size int64) error {
	const tail = 4 + len(arrowMagic)
	s.file, s.at, s.size = true, f, size
	var end [tail]byte
	if size < magicSize+int64(tail) {
		return fmt.Errorf("%w: the file has %d bytes", ErrDamaged, size)
	}
	if _, err := f.ReadAt(end[:], size-int64(tail)); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != arrowMagic || n > maxMetadata || n > size-magicSize-int64(tail) {
		return fmt.Errorf("%w: the file does not end with a footer and %s, as if it were cut", ErrDamaged, arrowMagic)
	}
	footer := make([]byte, n)
	if _, err := f.ReadAt(footer, size-int64(tail)-n); err != nil {
		return err
	}
	return guard("its footer", func() error {
		root := rootOf(footer)
		for _, field := range []int{footerDictionaries, footerBatches} {
			at, n := root.vector(field)
			if 24*n > len(footer) {
				return errors.New("too many messages")
			}
			for i := range n {
				at := at + flatbuffers.UOffsetT(24*i)
				b := block{at: root.GetInt64(at), meta: root.GetInt32(at + 8), body: root.GetInt64(at + 16)}
				if b.at < 0 || b.meta < 0 || b.body < 0 || b.at > size || b.body > size || b.at+int64(b.meta)+b.body > size {
					return fmt.Errorf("a message of %d bytes at %d of %d", int64(b.meta)+b.body, b.at, size)
				}
				s.blocks = append(s.blocks, b)
			}
		}
		b, root := builderOver(footer)
		_ = root.at(footerSchema)
		s.schema = finished(b, root.version(), isSchema, root.pointer(footerSchema), 0, 0) // as a stream has it
		return nil
	})
}

// next reads the next message, which is valid until the next call. The error is io.EOF behind the last one.
func (s *source) next() (m message, err error) {
	if s.at != nil {
		switch {
		case s.schema != nil:
			m, s.schema = message{meta: s.schema}, nil
			_, err = m.read()
			return m, err
		case len(s.blocks) == 0:
			if info, err := s.at.Stat(); err != nil || info.Size() < s.size { // behind its end, a page of a map has zeros
				return m, cmp.Or(err, disk.ErrFault)
			}
			return m, io.EOF
		}
		b := s.blocks[0]
		s.last, s.blocks, s.done = b, s.blocks[1:], b.at+int64(b.meta)+b.body
		s.from.Reset(io.NewSectionReader(s.at, b.at, int64(b.meta)+b.body))
		if m, err = s.message(); errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: a message is missing", ErrDamaged)
		}
		return m, err
	}
	return s.message()
}

// message reads a message of a stream.
func (s *source) message() (m message, err error) {
	var prefix [8]byte
	n, err := io.ReadFull(s.from, prefix[:])
	switch {
	case err != nil && n > 0 || errors.Is(err, io.EOF) && s.file:
		return m, fmt.Errorf("%w: it ends inside of a message or before the footer", ErrDamaged)
	case err != nil:
		return m, err
	case binary.LittleEndian.Uint32(prefix[:]) != continuation:
		return m, fmt.Errorf("%w: a message does not begin with its mark", ErrDamaged)
	}
	size := int64(binary.LittleEndian.Uint32(prefix[4:]))
	if size == 0 {
		return m, s.end()
	}
	if size > maxMetadata {
		return m, fmt.Errorf("%w: a description of %d bytes", ErrDamaged, size)
	}
	if err := take(&s.meta, s.from, size); err != nil {
		return m, err
	}
	m.meta = s.meta.Bytes()
	length, err := m.read()
	switch {
	case err != nil:
		return m, err
	case length < 0:
		return m, fmt.Errorf("%w: a body of %d bytes", ErrDamaged, length)
	case length > s.most:
		return m, fmt.Errorf("a batch of rows has %d MB, and a memory of %d MB is left for one: write smaller batches, or give more --memory",
			length>>20, s.most>>20)
	}
	if f, ok := s.at.(*os.File); ok && length > 0 && 8+size+length <= int64(s.last.meta)+s.last.body {
		m.body, err = s.mapBody(f, s.last.at+8+size, length)
		return m, err
	}
	err = take(&s.body, s.from, length)
	m.body = s.body.Bytes()
	return m, err
}

// mapBody maps a body in place of the last one.
func (s *source) mapBody(f *os.File, at, length int64) ([]byte, error) {
	if err := s.mapped.Close(); err != nil {
		return nil, err
	}
	m, err := disk.MapPart(f, at, length)
	if err != nil {
		return nil, err
	}
	s.mapped.Mapped, s.passed = m, 0
	return m.Data(), nil
}

// end returns io.EOF behind the last message, if what is left is the footer of a file.
func (s *source) end() error {
	if !s.file {
		return io.EOF
	}
	rest, err := io.ReadAll(io.LimitReader(s.from, maxMetadata))
	if err == nil && !bytes.HasSuffix(rest, []byte(arrowMagic)) {
		err = fmt.Errorf("%w: the file does not end with %s, as if it were cut", ErrDamaged, arrowMagic)
	}
	return cmp.Or(err, io.EOF)
}

// read reads the description of a message, and returns the length of its body.
func (m *message) read() (length int64, err error) {
	err = guard("a message", func() error {
		root := rootOf(m.meta)
		if version := root.version(); version < 3 {
			return fmt.Errorf("version %d of the format: want 4 or 5", version+1)
		}
		m.kind, m.head = root.GetByteSlot(slot(messageType), 0), root.at(messageHeader)
		length = root.GetInt64Slot(slot(messageBody), 0)
		return nil
	})
	return length, err
}

// take reads n bytes into b, which grows as they come.
func take(b *bytes.Buffer, from io.Reader, n int64) error {
	b.Reset()
	got, err := io.CopyN(b, from, n)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it ends inside of a message: %d of %d bytes are missing", ErrDamaged, n-got, n)
	}
	return err
}

// An array is a column in a batch, with the columns inside of it.
type array struct {
	*field
	length  int64
	nulls   int64
	buffers [][]byte // the first says which values are not null, but of a null and of a union
	inside  []*array
}

// A batch is some rows.
type batch struct {
	rows    int64
	columns []*array
	packed  bool // the buffers were compressed by codec
	codec   byte
}

// A parsing is the reading of a batch.
type parsing struct {
	batch
	m               message
	nodes, buffers  flatbuffers.UOffsetT // where these vectors begin
	nNodes, nBuffer int
	node, buffer    int // the next ones
	views           []int64
	left            int64    // bytes that buffers may decompress to
	plain           [][]byte // those that have been decompressed, of this batch or the last one
}

// next reads the next batch of a source. It calls dictionary, unless that is nil, with each dictionary before it.
func (s *schema) next(from *source, dictionary func(m message) error) (m message, b *batch, err error) {
	for {
		if m, err = from.next(); err != nil {
			return m, nil, err
		}
		switch {
		case m.kind == isBatch:
			err = guard("a batch", func() (err error) {
				b, err = s.batch(m, max(from.most, 1<<16))
				return err
			})
			return m, b, err
		case m.kind != isDictionary:
			err = fmt.Errorf("%w: a message of kind %d", ErrDamaged, m.kind)
		case dictionary != nil:
			err = dictionary(m)
		}
		if err != nil {
			return m, nil, err
		}
	}
}

func (s *schema) batch(m message, most int64) (*batch, error) {
	p := &parsing{m: m, left: most, plain: s.plain}
	defer func() { s.plain = p.plain }()
	if p.rows = m.head.GetInt64Slot(slot(batchLength), 0); p.rows < 0 || p.rows > maxRows {
		return nil, fmt.Errorf("%d rows", p.rows)
	}
	p.nodes, p.nNodes = m.head.vector(batchNodes)
	p.buffers, p.nBuffer = m.head.vector(batchBuffers)
	views, nViews := m.head.vector(batchViews)
	if 16*(p.nNodes+p.nBuffer)+8*nViews > len(m.meta) {
		return nil, errors.New("too many columns")
	}
	for i := range nViews {
		p.views = append(p.views, m.head.GetInt64(views+flatbuffers.UOffsetT(8*i)))
	}
	if m.head.place(batchCompression) > 0 {
		by := m.head.at(batchCompression)
		p.packed, p.codec = true, by.GetByteSlot(slot(0), 0)
		if p.codec > packedZstd {
			return nil, fmt.Errorf("a compression %d that is not known", p.codec)
		}
	}
	for _, f := range s.fields {
		a, err := p.array(f)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.name, err)
		}
		if a.length != p.rows {
			return nil, fmt.Errorf("column %q has %d rows, and the batch %d", f.name, a.length, p.rows)
		}
		p.columns = append(p.columns, a)
	}
	if p.node != p.nNodes || p.buffer != p.nBuffer {
		return nil, errors.New("it has more than the schema says")
	}
	return &p.batch, nil
}

// maxRows is the largest number of rows of a batch, or of values in lists.
const maxRows = 1 << 40

// array reads the next column.
func (p *parsing) array(f *field) (*array, error) {
	if p.node == p.nNodes {
		return nil, errors.New("it is missing")
	}
	at := p.nodes + flatbuffers.UOffsetT(16*p.node)
	p.node++
	a := &array{field: f, length: p.m.head.GetInt64(at), nulls: p.m.head.GetInt64(at + 8)}
	if a.length < 0 || a.length > maxRows || a.nulls < 0 || a.nulls > a.length {
		return nil, fmt.Errorf("%d values, %d of them null", a.length, a.nulls)
	}
	n := len(f.layout.bits)
	if f.layout.views {
		if len(p.views) == 0 || p.views[0] < 0 || p.views[0] > int64(p.nBuffer) {
			return nil, errors.New("the number of its buffers is missing")
		}
		n, p.views = n+int(p.views[0]), p.views[1:]
	}
	for range n {
		buffer, err := p.next()
		if err != nil {
			return nil, err
		}
		a.buffers = append(a.buffers, buffer)
	}
	for _, inside := range f.inside {
		b, err := p.array(inside)
		if err != nil {
			return nil, err
		}
		a.inside = append(a.inside, b)
	}
	return a, a.check()
}

// next returns the next buffer, decompressed.
func (p *parsing) next() ([]byte, error) {
	if p.buffer == p.nBuffer {
		return nil, errors.New("a buffer is missing")
	}
	at := p.buffers + flatbuffers.UOffsetT(16*p.buffer)
	p.buffer++
	offset, size := p.m.head.GetInt64(at), p.m.head.GetInt64(at+8)
	if offset < 0 || size < 0 || offset > int64(len(p.m.body)) || size > int64(len(p.m.body))-offset {
		return nil, fmt.Errorf("a buffer of %d bytes at %d in a body of %d", size, offset, len(p.m.body))
	}
	data := p.m.body[offset : offset+size]
	if !p.packed || size == 0 {
		return data, nil
	}
	if size < 8 {
		return nil, errors.New("a compressed buffer without its size")
	}
	plain := int64(binary.LittleEndian.Uint64(data))
	data = data[8:]
	if plain == -1 {
		return data, nil
	}
	if p.left -= plain; plain < 0 || p.left < 0 {
		return nil, fmt.Errorf("a buffer that decompresses to %d bytes: more memory than is left for a batch", plain)
	}
	codec := format.Lz4
	if p.codec == packedZstd {
		codec = format.Zstd
	}
	if plain > mostOf(codec)*int64(len(data)) {
		return nil, fmt.Errorf("%d bytes of %s that say that they are %d", len(data), codec, plain)
	}
	p.plain = append(p.plain, make([][]byte, max(0, p.buffer-len(p.plain)))...)
	out := p.plain[p.buffer-1]
	if int64(cap(out)) < plain {
		out = make([]byte, plain+plain/8) // the next batch may have a little more
	}
	out = out[:plain]
	p.plain[p.buffer-1] = out
	if codec == format.Zstd {
		return out, unpack(codec, out, data)
	}
	return out, readExactly(lz4.NewReader(bytes.NewReader(data)), out)
}

// check returns an error unless the buffers of a column have room for its values.
func (a *array) check() error {
	l := &a.layout
	for i, bits := range l.bits {
		need, has := (a.length*bits+7)/8, int64(len(a.buffers[i]))
		switch {
		case i == 0 && l.validity && has == 0 && a.nulls == 0:
			need = 0
		case l.offsets > 0 && i == 1 && a.length > 0:
			need += int64(l.offsets) // where the last one ends
		case l.offsets > 0 && i == 2:
			need = a.offset(a.length)
		}
		if has < need {
			return fmt.Errorf("a buffer of %d bytes, and %d values", has, a.length)
		}
	}
	if l.offsets > 0 {
		for i, last := int64(0), int64(0); i <= a.length && a.length > 0; i++ {
			at := a.offset(i)
			if at < last {
				return errors.New("values that end before they begin")
			}
			last = at
		}
		if len(a.inside) > 0 && a.offset(a.length) > a.inside[0].length {
			return errors.New("lists that end behind their values")
		}
	}
	switch {
	case l.each > 0 && a.inside[0].length < a.length*l.each:
		return errors.New("lists that end behind their values")
	case l.struc && slices.ContainsFunc(a.inside, func(in *array) bool { return in.length < a.length }):
		return errors.New("groups that are longer than their columns")
	}
	return nil
}

// offset returns where value i of strings or lists begins.
func (a *array) offset(i int64) int64 {
	if a.length == 0 {
		return 0
	}
	offsets := a.buffers[1]
	if a.layout.offsets == 4 {
		return int64(int32(binary.LittleEndian.Uint32(offsets[4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(offsets[8*i:]))
}

// isNull reports whether value i is null.
func (a *array) isNull(i int64) bool {
	switch {
	case a.kind == typeNull:
		return true
	case !a.layout.validity || a.nulls == 0 || len(a.buffers[0]) == 0:
		return false
	}
	return a.buffers[0][i/8]>>(i%8)&1 == 0
}

// text returns value i of a column of strings or bytes, within the batch.
func (a *array) text(i int64) []byte {
	if a.layout.offsets > 0 {
		return a.buffers[2][a.offset(i):a.offset(i+1)]
	}
	view := a.buffers[1][16*i:][:16]
	size := binary.LittleEndian.Uint32(view)
	if size <= 12 {
		return view[4:][:size]
	}
	buffer, at := binary.LittleEndian.Uint32(view[8:]), binary.LittleEndian.Uint32(view[12:])
	return a.buffers[2:][buffer][at:][:size]
}
