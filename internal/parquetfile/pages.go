package parquetfile

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The limits of a page. The library takes memory on the word of the headers of pages.
const (
	// freePage is the size in bytes that any page may have, and maxExpansion the largest ratio of larger
	// pages to what they are compressed to.
	freePage     = 256 << 20
	maxExpansion = 1000
	// maxValues is the number of values in a page. Writers end pages after 20,000 rows, or 1 MiB: a page with
	// a million times the same value has been seen.
	maxValues = 1 << 24
)

// checkPages returns an error if a page of a column in a row group is larger than it can be, or than it says.
func (f *File) checkPages(group int, c Column) error {
	at, end, err := f.placeOf(group, c)
	for err == nil && at < end {
		at, err = f.checkPage(group, c, at, end)
	}
	return err
}

// placeOf returns where the pages of a column in a row group lie in the file.
func (f *File) placeOf(group int, c Column) (start, end int64, err error) {
	m := &f.p.Metadata().RowGroups[group].Columns[c.index].MetaData
	start = m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		start = min(start, m.DictionaryPageOffset)
	}
	if start < 0 || m.TotalCompressedSize < 0 || start > f.size || m.TotalCompressedSize > f.size-start {
		return 0, 0, fmt.Errorf("%w: column %q lies at %d, beyond the end", ErrDamaged, c.Name, start)
	}
	return start, start + m.TotalCompressedSize, nil
}

// checkPage is checkPages for the page at an offset. It returns where the page ends, at end or before.
func (f *File) checkPage(group int, c Column, at, end int64) (next int64, err error) {
	var protocol thrift.CompactProtocol
	section := io.NewSectionReader(f.f, at, end-at)
	buf := bufio.NewReaderSize(section, 512)
	var h format.PageHeader
	if err := thrift.NewDecoder(protocol.NewReader(buf)).Decode(&h); err != nil {
		return 0, fmt.Errorf("%w: a page of column %q at %d: %w", ErrDamaged, c.Name, at, err)
	}
	read, _ := section.Seek(0, io.SeekCurrent)
	body := at + read - int64(buf.Buffered())
	size, compressed := int64(h.UncompressedPageSize), int64(h.CompressedPageSize)
	values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues)
	switch {
	case compressed < 0 || compressed > end-body || size < 0:
		return 0, fmt.Errorf("%w: a page of column %q at %d, of %d bytes", ErrDamaged, c.Name, at, compressed)
	case size > freePage && size/maxExpansion > compressed:
		return 0, fmt.Errorf("a page of column %q at %d decompresses to more than %d times its size", c.Name, at, maxExpansion)
	case values > maxValues || h.DictionaryPageHeader.Valid && int64(h.DictionaryPageHeader.V.NumValues) > 8*size+8:
		return 0, fmt.Errorf("%w: a page of column %q at %d, of %d values", ErrDamaged, c.Name, at, values)
	}
	if err := f.checkBody(f.p.Metadata().RowGroups[group].Columns[c.index].MetaData.Codec, &h, body); err != nil {
		return 0, fmt.Errorf("%w: a page of column %q at %d: %w", ErrDamaged, c.Name, at, err)
	}
	return body + compressed, nil
}

// checkBody returns an error if the body of a page, which lies at an offset, decompresses to more than its header
// says.
func (f *File) checkBody(codec format.CompressionCodec, h *format.PageHeader, at int64) error {
	size, compressed := int64(h.UncompressedPageSize), int64(h.CompressedPageSize)
	if v2 := h.DataPageHeaderV2; v2.Valid {
		// The levels come first, and are not compressed.
		levels := int64(v2.V.RepetitionLevelsByteLength) + int64(v2.V.DefinitionLevelsByteLength)
		if v2.V.RepetitionLevelsByteLength < 0 || v2.V.DefinitionLevelsByteLength < 0 || levels > min(size, compressed) {
			return errBody
		}
		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			return nil
		}
		at, size, compressed = at+levels, size-levels, compressed-levels
	}
	if codec == format.Uncompressed || compressed == 0 {
		return nil
	}
	if int64(cap(f.body)) < compressed {
		f.body = make([]byte, compressed)
	}
	body := f.body[:compressed]
	if _, err := f.f.ReadAt(body, at); err != nil {
		return err
	}
	return checkBody(codec, body, size)
}

// isIndexed reports whether the file has an index of the pages of a column in a row group, and the library
// finds it: it looks for that of the group with the number that the footer gives.
func (f *File) isIndexed(group int, c Column) bool {
	g := &f.p.Metadata().RowGroups[group]
	chunk := &g.Columns[c.index]
	return int(g.Ordinal) == group && chunk.OffsetIndexOffset > 0 && chunk.OffsetIndexLength > 0 &&
		int64(chunk.OffsetIndexLength) <= f.size-chunk.OffsetIndexOffset
}
