package columns

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A page that says of itself what it cannot be is refused before memory is taken for it.
func TestHeadersOfPages(t *testing.T) {
	for what, c := range map[string]struct {
		size, compressed, values int32
		cut                      int64 // bytes that are missing at its end
		refused, damaged         bool
	}{
		"a page":                    {size: 1000, compressed: 100, values: 10},
		"the largest one":           {size: freePage, compressed: 100, values: maxValues},
		"one that packs very well":  {size: freePage + 1, compressed: freePage/maxExpansion + 1, values: 10},
		"one that packs too well":   {size: freePage + 5*maxExpansion, compressed: freePage / maxExpansion, values: 10, refused: true},
		"more values than a page":   {size: 1000, compressed: 100, values: maxValues + 1, refused: true, damaged: true},
		"a size below zero":         {size: -1, compressed: 100, values: 10, refused: true, damaged: true},
		"a page that ends too late": {size: 1000, compressed: 1000, values: 10, cut: 1, refused: true, damaged: true},
		"a length below zero":       {size: 1000, compressed: -5, values: 10, refused: true, damaged: true},
	} {
		h := format.PageHeader{UncompressedPageSize: c.size, CompressedPageSize: c.compressed}
		h.DataPageHeader.Valid, h.DataPageHeader.V.NumValues = true, c.values
		data, err := thrift.Marshal(new(thrift.CompactProtocol), h)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "page")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		end := int64(len(data)) + int64(max(0, c.compressed)) - c.cut
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		p := &plainPages{f: &Parquet{f: f, size: end}, column: parquetColumn{Column: Column{Name: "text"}}, end: end}
		got, body, err := p.header(0)
		if (err != nil) != c.refused || errors.Is(err, ErrDamaged) != c.damaged || err == nil && (got.UncompressedPageSize != c.size || body != int64(len(data))) {
			t.Errorf("%s: %+v at %d, %v", what, got, body, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A footer that says another number of rows than its groups have is damaged.
func TestRowsOfAFooter(t *testing.T) {
	good := write(t, makeRows(10), 4)
	end := len(good) - tailSize
	begin := end - int(binary.LittleEndian.Uint32(good[end:]))
	for _, more := range []int64{0, 1, -1} {
		var meta format.FileMetaData
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), good[begin:end], &meta); err != nil {
			t.Fatal(err)
		}
		meta.NumRows += more
		footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
		if err != nil {
			t.Fatal(err)
		}
		data := binary.LittleEndian.AppendUint32(slices.Concat(good[:begin], footer), uint32(len(footer)))
		f, err := OpenParquet(t.Context(), save(t, append(data, parquetMagic...)))
		if errors.Is(err, ErrDamaged) != (more != 0) {
			t.Errorf("%d rows more: %v", more, err)
		}
		if err == nil {
			err = f.Close()
		}
		if more == 0 && err != nil {
			t.Error(err)
		}
	}
}

// A page that does not have its checksum is refused. One without a checksum is read.
func TestChecksumOfAPage(t *testing.T) {
	body := []byte("the body of a page")
	f, err := os.Open(save(t, body))
	if err != nil {
		t.Fatal(err)
	}
	sum := int32(crc32.ChecksumIEEE(body))
	for crc, ok := range map[int32]bool{0: true, sum: true, sum + 1: false, ^sum: false} {
		h := &format.PageHeader{UncompressedPageSize: int32(len(body)), CompressedPageSize: int32(len(body)), CRC: crc}
		page, err := (&Parquet{f: f}).plainPage(nil, format.Uncompressed, h, 0)
		if (err == nil) != ok || ok && !bytes.HasSuffix(page, body) {
			t.Errorf("checksum %x: %q, %v", crc, page, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
