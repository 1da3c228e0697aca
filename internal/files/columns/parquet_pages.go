package columns

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sort"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library must not decompress: it uses other memory than that which it decompresses a page of LZ4 to, and takes
// memory on the word of the headers of pages. So pages are decompressed here, and it reads them from a stream of
// plain ones. The footer that it knows says that nothing is compressed, that every column begins at 0, and that a
// column of nothing but nulls has the type that it is stored as: the library gives such a column no type, and writes
// a footer without one.

// The limits of a page.
const (
	// freePage is the size in bytes that any page may have, and maxExpansion the largest ratio of larger
	// pages to what they are compressed to.
	freePage     = 256 << 20
	maxExpansion = 1000
	// maxValues is the number of values in a page. Writers end pages after 20,000 rows, or 1 MiB: a page with
	// a million times the same value has been seen.
	maxValues = 1 << 24
)

// plainSize is the size in bytes of a column in the footer that the library knows.
const plainSize = 1 << 62

// plainFooter returns the footer that the library reads in place of that of the file, as a file without rows.
func (f *Parquet) plainFooter() ([]byte, error) {
	m := f.meta
	m.Schema = slices.Clone(m.Schema)
	for i := range m.Schema {
		e := &m.Schema[i]
		if _, null := e.LogicalType.Value.(*format.NullType); null {
			e.LogicalType.Value = nil
		}
		if i > 0 && !e.NumChildren.Valid && (!e.Type.Valid || e.Type.V == format.FixedLenByteArray && !e.TypeLength.Valid) {
			return nil, fmt.Errorf("%w: column %q has no type", ErrDamaged, e.Name)
		}
	}
	m.RowGroups = slices.Clone(m.RowGroups)
	for i := range m.RowGroups {
		g := &m.RowGroups[i]
		g.Columns = slices.Clone(g.Columns)
		for j := range g.Columns {
			c := &g.Columns[j].MetaData
			c.Codec, c.TotalCompressedSize = format.Uncompressed, plainSize
			c.DataPageOffset, c.DictionaryPageOffset = 0, 0
		}
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), m)
	whole := append([]byte(parquetMagic), footer...)
	return append(binary.LittleEndian.AppendUint32(whole, uint32(len(footer))), parquetMagic...), err
}

// pages are the pages of a column in a row group.
type pages struct {
	*parquet.FilePages // reads from plain
	plain              *plainPages
	index              []format.PageLocation // of the data pages, if only some rows are read
	turned             int                   // the next one in index
	skip               int64                 // rows of it that are not wanted
	last               parquet.Page          // number held in index, or nil
	held               int
}

// pagesOf returns the pages of a column in a row group. If single is set, only some rows will be read.
func (f *Parquet) pagesOf(group int, c parquetColumn, chunk parquet.ColumnChunk, single bool) (*pages, error) {
	m := &f.chunkOf(group, c).MetaData
	start := m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		start = min(start, m.DictionaryPageOffset)
	}
	if start < 0 || m.TotalCompressedSize < 0 || start > f.size || m.TotalCompressedSize > f.size-start {
		return nil, fmt.Errorf("%w: column %q lies at %d, beyond the end", ErrDamaged, c.Name, start)
	}
	plain := &plainPages{f: f, group: group, column: c, start: start, end: start + m.TotalCompressedSize, at: start}
	p := &pages{plain: plain, FilePages: chunk.(*parquet.FileColumnChunk).PagesFrom(plain)} // as in every file
	var err error
	if single {
		p.index, err = f.indexOf(group, c)
		plain.begun = len(p.index) > 0 && p.index[0].Offset == start
	}
	return p, err
}

// chunkOf returns what the footer says of a column in a row group.
func (f *Parquet) chunkOf(group int, c parquetColumn) *format.ColumnChunk {
	return &f.meta.RowGroups[group].Columns[c.index]
}

// indexOf returns where the data pages of a column in a row group lie, or nil if the file does not say it.
func (f *Parquet) indexOf(group int, c parquetColumn) ([]format.PageLocation, error) {
	chunk := f.chunkOf(group, c)
	at, length := chunk.OffsetIndexOffset, int64(chunk.OffsetIndexLength)
	if at <= 0 || length <= 0 || length > f.size-at {
		return nil, nil
	}
	data := make([]byte, length)
	if _, err := f.f.ReadAt(data, at); err != nil {
		return nil, err
	}
	var index format.OffsetIndex
	err := thrift.Unmarshal(new(thrift.CompactProtocol), data, &index)
	return index.PageLocations, err
}

// ReadPage reads the next page.
func (p *pages) ReadPage() (parquet.Page, error) {
	if p.index == nil {
		return p.FilePages.ReadPage()
	}
	if p.last == nil || p.held != p.turned {
		page, err := p.FilePages.ReadPage()
		if err != nil {
			return nil, err
		}
		parquet.Release(p.last)
		p.last, p.held = page, p.turned
	}
	rows := p.last.NumRows()
	if p.skip > rows {
		return nil, fmt.Errorf("%w: a page of column %q has %d rows", ErrDamaged, p.plain.column.Name, rows)
	}
	part := p.last.Slice(p.skip, rows)
	p.skip = 0
	p.turned++
	return part, nil
}

// SeekToRow moves to a row of the group.
func (p *pages) SeekToRow(row int64) error {
	if p.index == nil {
		p.plain.restart(p.plain.start)
		return p.FilePages.SeekToRow(row)
	}
	p.turned = sort.Search(len(p.index), func(i int) bool { return p.index[i].FirstRowIndex > row }) - 1
	if p.turned < 0 {
		return fmt.Errorf("%w: no page of column %q has row %d of its group", ErrDamaged, p.plain.column.Name, row)
	}
	p.skip = row - p.index[p.turned].FirstRowIndex
	next := p.turned
	if p.last != nil && p.held == p.turned {
		next++
	}
	if next < len(p.index) {
		p.plain.restart(p.index[next].Offset)
	} else {
		p.plain.restart(p.plain.end)
	}
	return p.FilePages.SeekToRow(0)
}

// Close releases what has been read.
func (p *pages) Close() error {
	parquet.Release(p.last)
	p.last = nil
	return p.FilePages.Close()
}

// A plainPages is a stream of pages that are decompressed. The library reads it from the beginning.
type plainPages struct {
	f          *Parquet
	group      int
	column     parquetColumn
	start, end int64  // where the pages lie in the file, those of data if the dictionary has been read
	at         int64  // the next page
	begun      bool   // the dictionary has been read, or there is none before the data
	page, rest []byte // the page that is being read, and what is left of it
	offset     int64  // of rest in the stream
}

// restart makes the page at an offset of the file the first one of the stream. A dictionary that has not been read
// comes before it.
func (p *plainPages) restart(at int64) { p.at, p.rest, p.offset = at, nil, 0 }

// ReadAt reads what comes next in the stream, at most to the end of a page.
func (p *plainPages) ReadAt(b []byte, offset int64) (int, error) {
	if offset < p.offset || offset > p.offset+int64(len(p.rest)) {
		return 0, fmt.Errorf("%w: column %q is read at %d, behind %d", ErrDamaged, p.column.Name, offset, p.offset)
	}
	p.rest, p.offset = p.rest[offset-p.offset:], offset
	for len(p.rest) == 0 {
		if err := p.turn(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest, p.offset = p.rest[n:], p.offset+int64(n)
	if len(p.rest) == 0 {
		p.f.page, p.page = p.page, nil
	}
	return n, nil
}

// turn decompresses the next page.
func (p *plainPages) turn() error {
	at := p.at
	if !p.begun {
		at = p.start
	}
	if at >= p.end {
		return io.EOF
	}
	h, body, err := p.header(at)
	if err != nil {
		return err
	}
	end := body + int64(h.CompressedPageSize)
	isDictionary := h.Type == format.DictionaryPage
	wanted := at == p.at || isDictionary
	if at == p.at {
		p.at = end
	}
	if at == p.start && isDictionary {
		p.start = end
	}
	if p.begun = true; !wanted {
		return nil
	}
	if p.page == nil {
		p.page, p.f.page = p.f.page, nil
	}
	if p.page, err = p.f.plainPage(p.page[:0], p.f.chunkOf(p.group, p.column).MetaData.Codec, h, body); err != nil {
		return fmt.Errorf("%w: a page of column %q at %d: %w", ErrDamaged, p.column.Name, at, err)
	}
	p.rest = p.page
	return nil
}

// header returns the header of the page at an offset, and where the body begins. It returns an error if the page is
// larger than it can be.
func (p *plainPages) header(at int64) (h *format.PageHeader, body int64, err error) {
	var protocol thrift.CompactProtocol
	section := io.NewSectionReader(p.f.f, at, p.end-at)
	buf := bufio.NewReaderSize(section, 512)
	h = new(format.PageHeader)
	name := p.column.Name
	if err := thrift.NewDecoder(protocol.NewReader(buf)).Decode(h); err != nil {
		return nil, 0, fmt.Errorf("%w: a page of column %q at %d: %w", ErrDamaged, name, at, err)
	}
	read, _ := section.Seek(0, io.SeekCurrent)
	body = at + read - int64(buf.Buffered())
	size, compressed := int64(h.UncompressedPageSize), int64(h.CompressedPageSize)
	values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues)
	switch {
	case compressed < 0 || compressed > p.end-body || size < 0:
		return nil, 0, fmt.Errorf("%w: a page of column %q at %d, of %d bytes", ErrDamaged, name, at, compressed)
	case size > freePage && size/maxExpansion > compressed:
		return nil, 0, fmt.Errorf("a page of column %q at %d decompresses to more than %d times its size", name, at, maxExpansion)
	case values > maxValues || h.DictionaryPageHeader.Valid && int64(h.DictionaryPageHeader.V.NumValues) > 8*size+8:
		return nil, 0, fmt.Errorf("%w: a page of column %q at %d, of %d values", ErrDamaged, name, at, values)
	}
	return h, body, nil
}

// plainPage appends to dst a page, whose body lies at an offset, as a page that is not compressed.
func (f *Parquet) plainPage(dst []byte, codec format.CompressionCodec, h *format.PageHeader, at int64) ([]byte, error) {
	size, compressed := int(h.UncompressedPageSize), int(h.CompressedPageSize)
	levels := 0
	if v2 := &h.DataPageHeaderV2; v2.Valid {
		// The levels come first, and are not compressed.
		repetition, definition := int(v2.V.RepetitionLevelsByteLength), int(v2.V.DefinitionLevelsByteLength)
		if levels = repetition + definition; repetition < 0 || definition < 0 || levels > min(size, compressed) {
			return dst, errBody
		}
		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	if codec == format.Uncompressed {
		size = compressed
	} else if int64(size-levels) > mostOf(codec)*int64(compressed-levels+1) {
		return dst, errSize
	}
	f.body = slices.Grow(f.body[:0], compressed)[:compressed]
	if _, err := f.f.ReadAt(f.body, at); err != nil {
		return dst, err
	}
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(f.body) {
		return dst, errors.New("it does not have its checksum")
	}
	plain := *h
	plain.UncompressedPageSize, plain.CompressedPageSize, plain.CRC = int32(size), int32(size), 0
	header, err := thrift.Marshal(new(thrift.CompactProtocol), plain)
	if err != nil {
		return dst, err
	}
	dst = append(dst, header...)
	if codec == format.Uncompressed {
		return append(dst, f.body...), nil
	}
	dst = append(dst, f.body[:levels]...)
	n := len(dst)
	dst = slices.Grow(dst, size-levels)[:n+size-levels]
	return dst, unpack(codec, dst[n:], f.body[levels:])
}
