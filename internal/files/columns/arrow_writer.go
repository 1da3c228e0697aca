package columns

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"simsearch/internal/ground/disk"
)

// An arrowWriter keeps the schema, metadata, dictionaries, batches and compression. A batch of which all rows stay as
// they are is copied byte for byte. It holds a batch in memory, and what is written of it if that is compressed.
type arrowWriter struct {
	from   *source
	to     io.Writer
	schema *schema
	added  []NewColumn
	wrote  int64 // bytes
	raw    []byte
	blocks [2][]block // of dictionaries and of batches, for the footer of a file

	batch   *batch
	message message
	next    int64 // the next row of the batch
	spans   []span
	values  [][]any // of each new column, for the rows that are kept
	texts   map[int64][]byte
	column  string       // whose texts these are
	size    int          // of these in bytes
	packed  bytes.Buffer // memory for the body of a batch that is compressed
}

// A span is values from one number to before another.
type span struct{ from, to int64 }

// NewArrowWriter returns a Writer that copies rows of a stream or a file to w. It reads from only as far as the rows
// that it is told of. Names of new columns must differ from each other. An outermost column with such a name is left
// out. most is as that of NewArrow.
func NewArrowWriter(from io.Reader, w io.Writer, added []NewColumn, most int64) (Writer, error) {
	s, schema, err := begin(from, most)
	if err != nil {
		return nil, err
	}
	c := &arrowWriter{from: s, to: w, added: added, schema: schema, raw: schema.raw}
	if len(added) > 0 {
		if err := guard("its schema", func() error { c.raw = withColumns(c.raw, added); return nil }); err != nil {
			return nil, err
		}
	}
	if s.file {
		if err := c.write([]byte(arrowMagic + "\x00\x00")); err != nil {
			return nil, err
		}
	}
	return c, c.write(framed(c.raw))
}

func (c *arrowWriter) write(p []byte) error {
	n, err := c.to.Write(p)
	c.wrote += int64(n)
	return err
}

// Keep is that of Writer.
func (c *arrowWriter) Keep(edit Edit) error {
	if err := c.advance(); err != nil {
		return err
	}
	if last := len(c.spans) - 1; last >= 0 && c.spans[last].to == c.next-1 {
		c.spans[last].to++
	} else {
		c.spans = append(c.spans, span{c.next - 1, c.next})
	}
	for i, v := range edit.Values {
		c.values[i] = append(c.values[i], v)
	}
	if edit.Column != "" {
		if c.texts == nil {
			c.texts = map[int64][]byte{}
		}
		c.column, c.texts[c.next-1] = edit.Column, bytes.Clone(edit.Text)
		if c.size += len(edit.Text); int64(c.size) > c.from.most {
			return errors.New("the new texts of a batch take more memory than is left for one: give more --memory")
		}
	}
	return nil
}

// Drop is that of Writer.
func (c *arrowWriter) Drop() error { return c.advance() }

// advance goes to the next row.
func (c *arrowWriter) advance() error {
	for c.batch == nil || c.next == c.batch.rows {
		if err := errors.Join(c.flush(), c.read()); err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("%w: there are fewer rows than before", ErrDamaged)
			}
			return err
		}
	}
	c.next++
	return nil
}

// read reads the next batch, and copies what comes before it.
func (c *arrowWriter) read() (err error) {
	c.next, c.spans, c.texts, c.size = 0, nil, nil, 0
	c.values = make([][]any, len(c.added))
	c.message, c.batch, err = c.schema.next(c.from, func(m message) error {
		var id int64
		err := guard("a dictionary", func() error { id = m.head.GetInt64Slot(slot(0), 0); return nil })
		if err != nil || c.drops(id) {
			return err
		}
		return c.emit(m.meta, [][]byte{m.body}, isDictionary)
	})
	return err
}

// drops reports whether the dictionary id is that of columns that are left out, alone.
func (c *arrowWriter) drops(id int64) bool {
	stays, goes := false, false
	var walk func(fields []*field, out bool)
	walk = func(fields []*field, out bool) {
		for _, f := range fields {
			if f.dictionary && f.id == id {
				stays, goes = stays || !out, goes || out
			}
			walk(f.inside, out)
		}
	}
	for _, f := range c.schema.fields {
		walk([]*field{f}, replaces(c.added, f.name))
	}
	return goes && !stays
}

// emit writes a message, whose body may be of several pieces.
func (c *arrowWriter) emit(meta []byte, body [][]byte, kind byte) error {
	head, at := framed(meta), c.wrote
	err := c.write(head)
	for _, piece := range body {
		for part := range slices.Chunk(piece, mostPassed/8) {
			if err == nil {
				err = disk.Guarded(func() error { return c.write(part) })
			}
			c.from.pass(len(part))
		}
	}
	c.blocks[kind-isDictionary] = append(c.blocks[kind-isDictionary], block{at, c.wrote - at - int64(len(head)), int32(len(head))})
	return err
}

// flush writes what is kept of the batch.
func (c *arrowWriter) flush() error {
	b := c.batch
	if b == nil {
		return nil
	}
	c.batch = nil
	rows := count(c.spans)
	if rows == b.rows && len(c.added) == 0 && len(c.texts) == 0 {
		return c.emit(c.message.meta, [][]byte{c.message.body}, isBatch)
	}
	if rows == 0 {
		return nil
	}
	t := &taking{w: c, batch: b}
	c.packed.Reset()
	if body := len(c.message.body); b.packed && c.packed.Cap() < body {
		c.packed = *bytes.NewBuffer(make([]byte, 0, body+body/8)) // for some rows of this one, and of a little more
	}
	err := guard("a batch", func() error {
		for _, a := range b.columns {
			if replaces(c.added, a.name) {
				continue
			}
			if err := t.column(a, a.name); err != nil {
				return err
			}
		}
		for i, column := range c.added {
			t.new(column.Kind, c.values[i])
		}
		return t.err
	})
	if err != nil {
		return err
	}
	if b.packed {
		t.body = [][]byte{c.packed.Bytes()}
	}
	return c.emit(t.describe(rows), t.body, isBatch)
}

// Close is that of Writer. Of a file it writes the footer.
func (c *arrowWriter) Close() error {
	err := c.flush()
	for err == nil { // batches without rows, and dictionaries
		if err = c.read(); err == nil {
			err = c.flush()
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	end := binary.LittleEndian.AppendUint64(nil, continuation)
	if !c.from.file {
		return c.write(end)
	}
	footer := c.footer()
	end = append(end, footer...)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(footer)))
	return c.write(append(end, arrowMagic...))
}

// footer returns the footer of a file.
func (c *arrowWriter) footer() []byte {
	b, header := builderOver(c.raw)
	var vectors [2]flatbuffers.UOffsetT
	for i, blocks := range c.blocks {
		vectors[i] = structs(b, 24, blocks, func(at block) {
			b.PrependInt64(at.body)
			b.Pad(4)
			b.PrependInt32(at.meta)
			b.PrependInt64(at.at)
		})
	}
	b.StartObject(footerBatches + 1)
	b.PrependInt16Slot(messageVersion, header.version(), 0)
	b.PrependUOffsetTSlot(footerSchema, header.pointer(messageHeader), 0)
	b.PrependUOffsetTSlot(footerDictionaries, vectors[0], 0)
	b.PrependUOffsetTSlot(footerBatches, vectors[1], 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// A taking is the writing of some rows of a batch.
type taking struct {
	*batch
	w       *arrowWriter
	body    [][]byte   // in pieces, unless it is compressed
	length  int64      // of it in bytes
	nodes   [][2]int64 // values, and how many are null
	buffers [][2]int64 // where, and of how many bytes
	views   []int64
	err     error
}

// column takes the rows of an outermost column, or of one whose values are outermost ones.
func (t *taking) column(a *array, name string) error {
	switch c := t.w; {
	case len(c.texts) > 0 && c.column == name:
		return t.text(a)
	case len(c.texts) > 0 && a.layout.struc && strings.HasPrefix(c.column, name+"."):
		t.node(a, c.spans)
		for _, in := range a.inside {
			if err := t.column(in, name+"."+in.name); err != nil {
				return err
			}
		}
	default:
		t.take(a, c.spans)
	}
	return nil
}

func count(spans []span) (n int64) {
	for _, s := range spans {
		n += s.to - s.from
	}
	return n
}

// take takes the values in spans of a column, and what is inside of them.
func (t *taking) take(a *array, spans []span) {
	t.node(a, spans)
	l, inside := &a.layout, spans
	switch {
	case l.offsets > 0:
		inside = t.offsets(a, spans)
		if len(a.inside) == 0 {
			t.bytes(a.buffers[2], inside, 1)
		}
	case l.each > 0:
		inside = make([]span, len(spans))
		for i, s := range spans {
			inside[i] = span{s.from * l.each, s.to * l.each}
		}
	default:
		for i, bits := range l.bits {
			switch {
			case i == 0 && l.validity: // node has taken it
			case bits == 1:
				t.buffer(bitsOf(a.buffers[i], spans))
			default:
				t.bytes(a.buffers[i], spans, bits/8)
			}
		}
	}
	if l.views {
		t.views = append(t.views, int64(len(a.buffers)-2))
		for _, buffer := range a.buffers[2:] {
			t.buffer(buffer)
		}
	}
	for _, in := range a.inside {
		if l.dense { // offsets lead to any of its values
			t.take(in, []span{{0, in.length}})
		} else {
			t.take(in, inside)
		}
	}
}

// node begins a column, with the buffer that says which values are null.
func (t *taking) node(a *array, spans []span) {
	n, nulls, valid := count(spans), int64(0), []byte(nil)
	switch {
	case a.kind == typeNull:
		nulls = n
	case a.layout.validity && a.nulls > 0 && len(a.buffers[0]) > 0:
		valid = bitsOf(a.buffers[0], spans)
		for i := range n {
			nulls += int64(1 &^ (valid[i/8] >> (i % 8)))
		}
	}
	t.begin(n, nulls, valid, a.layout.validity)
}

// begin begins a column of so many values, with the buffer that says which are not null, if it has one.
func (t *taking) begin(n, nulls int64, valid []byte, validity bool) {
	t.nodes = append(t.nodes, [2]int64{n, nulls})
	if nulls == 0 {
		valid = nil
	}
	if validity {
		t.buffer(valid)
	}
}

// bitsOf returns the bits of values in spans.
func bitsOf(bits []byte, spans []span) []byte {
	out, n := make([]byte, (count(spans)+7)/8), int64(0)
	for _, s := range spans {
		for i := s.from; i < s.to; i++ {
			out[n/8] |= bits[i/8] >> (i % 8) & 1 << (n % 8)
			n++
		}
	}
	return out
}

// offsets takes the offsets of values in spans, and returns the spans that these have of what is inside.
func (t *taking) offsets(a *array, spans []span) (inside []span) {
	size, at := a.layout.offsets, int64(0)
	out := appendOffset(make([]byte, 0, (count(spans)+1)*int64(size)), 0, size)
	for _, s := range spans {
		from := a.offset(s.from)
		base := at
		for i := s.from; i < s.to; i++ {
			at = base + a.offset(i+1) - from
			out = appendOffset(out, int(at), size)
		}
		inside = append(inside, span{from, a.offset(s.to)})
	}
	t.buffer(out)
	return inside
}

// bytes takes values of so many bytes in spans.
func (t *taking) bytes(buffer []byte, spans []span, width int64) {
	pieces := make([][]byte, len(spans))
	for i, s := range spans {
		pieces[i] = buffer[s.from*width : s.to*width]
	}
	t.buffer(pieces...)
}

// text takes a column of strings, of which some are others.
func (t *taking) text(a *array) error {
	if !a.isText() {
		return &TypeError{Name: a.name, Is: "no column of strings, so that its texts cannot be replaced"}
	}
	t.node(a, t.w.spans)
	var all, offsets, views []byte
	for _, s := range t.w.spans {
		for i := s.from; i < s.to; i++ {
			text, ok := t.w.texts[i]
			if !ok && !a.isNull(i) {
				text = a.text(i)
			}
			offsets = appendOffset(offsets, len(all), a.layout.offsets)
			views = appendView(views, text, len(all))
			all = append(all, text...)
		}
	}
	if a.layout.offsets != 8 && len(all) > math.MaxInt32 {
		return errors.New("the new texts of a batch have more than 2 GB, which their type cannot hold: write smaller batches")
	}
	if a.layout.views {
		t.buffer(views)
		t.views = append(t.views, 1)
	} else {
		t.buffer(appendOffset(offsets, len(all), a.layout.offsets))
	}
	t.buffer(all)
	return nil
}

func appendOffset(dst []byte, at, size int) []byte {
	if size == 8 {
		return binary.LittleEndian.AppendUint64(dst, uint64(at))
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(at))
}

// appendView appends the view of a text that is at a place of the one buffer that views point to.
func appendView(dst, text []byte, at int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(text)))
	if len(text) <= 12 {
		return append(append(dst, text...), make([]byte, 12-len(text))...)
	}
	dst = append(dst, text[:4]...)
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	return binary.LittleEndian.AppendUint32(dst, uint32(at))
}

// new writes a new column.
func (t *taking) new(kind Kind, values []any) {
	valid, nulls := make([]byte, (len(values)+7)/8), int64(0)
	var data, offsets []byte
	if kind == Bool {
		data = make([]byte, len(valid))
	}
	for i, v := range values {
		if kind == String {
			offsets = appendOffset(offsets, len(data), 4)
		}
		if v == nil {
			nulls++
			if kind == Int || kind == Float {
				data = append(data, make([]byte, 8)...)
			}
			continue
		}
		valid[i/8] |= 1 << (i % 8)
		switch v := v.(type) {
		case string:
			data = append(data, v...)
		case int64, float64:
			data, _ = binary.Append(data, binary.LittleEndian, v) // numbers of one size have no errors
		case bool:
			if v {
				data[i/8] |= 1 << (i % 8)
			}
		}
	}
	t.begin(int64(len(values)), nulls, valid, true)
	if kind == String {
		t.buffer(appendOffset(offsets, len(data), 4))
	}
	t.buffer(data)
}

// buffer appends a buffer to the body, compressed if those of the batch were. The body keeps the pieces of others.
func (t *taking) buffer(pieces ...[]byte) {
	var n int64
	for _, piece := range pieces {
		n += int64(len(piece))
	}
	if t.packed && n > 0 {
		out, at := &t.w.packed, t.w.packed.Len()
		_ = binary.Write(out, binary.LittleEndian, n) // memory has no errors
		var to io.WriteCloser = lz4.NewWriter(out)
		var err error
		if t.codec == packedZstd {
			to, err = zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
		}
		for _, piece := range pieces {
			if err == nil {
				_, err = to.Write(piece)
			}
		}
		if err == nil {
			err = to.Close()
		}
		t.err = errors.Join(t.err, err)
		n = int64(out.Len() - at)
		out.Write(make([]byte, -n&7))
	} else {
		t.body = append(append(t.body, pieces...), make([]byte, -n&7))
	}
	t.buffers = append(t.buffers, [2]int64{t.length, n})
	t.length += n + -n&7
}

// describe returns the message of the batch, without its body.
func (t *taking) describe(rows int64) []byte {
	b := flatbuffers.NewBuilder(16*(len(t.nodes)+len(t.buffers)) + 256)
	pairs := func(all [][2]int64) flatbuffers.UOffsetT {
		return structs(b, 16, all, func(pair [2]int64) {
			b.PrependInt64(pair[1])
			b.PrependInt64(pair[0])
		})
	}
	nodes, buffers := pairs(t.nodes), pairs(t.buffers)
	var views, packing flatbuffers.UOffsetT
	if len(t.views) > 0 {
		views = structs(b, 8, t.views, b.PrependInt64)
	}
	if t.packed {
		b.StartObject(2)
		b.PrependByteSlot(0, t.codec, 0)
		packing = b.EndObject()
	}
	b.StartObject(batchViews + 1)
	b.PrependInt64Slot(batchLength, rows, 0)
	b.PrependUOffsetTSlot(batchNodes, nodes, 0)
	b.PrependUOffsetTSlot(batchBuffers, buffers, 0)
	b.PrependUOffsetTSlot(batchCompression, packing, 0)
	b.PrependUOffsetTSlot(batchViews, views, 0)
	return finished(b, 4, isBatch, b.EndObject(), t.length, 0)
}
