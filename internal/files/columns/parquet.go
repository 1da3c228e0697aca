package columns

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"simsearch/internal/ground/objects"
)

// parquetMagic is what a Parquet file begins and ends with.
const parquetMagic = "PAR1"

// LooksLikeParquet reports whether what begins with head may be a Parquet file.
func LooksLikeParquet(head []byte) bool {
	return bytes.HasPrefix(head, []byte(parquetMagic)) && bytes.IndexByte(head, 0) >= 0
}

// ErrNotParquet marks a file in another format.
var ErrNotParquet = errors.New("not a Parquet file, which begins with " + parquetMagic)

// tailSize is the size in bytes of the end of a file: the length of the footer, and parquetMagic.
const tailSize = 8

// A Parquet is an open Parquet file, and a Table. It must not be used by several goroutines at once. Of each column
// it holds one page, and the dictionary of one row group.
type Parquet struct {
	f    objects.File
	size int64
	p    *parquet.File       // with another footer, by which nothing is compressed
	meta format.FileMetaData // the footer
	// body and page are memory for a page as it is in the file, and as the library reads it.
	body, page []byte

	columns []parquetColumn
	group   int   // the current row group
	row     int64 // the next row in it
	first   int64 // the row of the file that the group begins with
	open    []chunk
	values  [][]parquet.Value // of the last row, for each column
}

// OpenParquet opens the file at path, which must be a regular one, or an object, and reads its footer. Reading ends
// when ctx is done. The caller must close it.
func OpenParquet(ctx context.Context, path string) (*Parquet, error) {
	f, err := objects.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	file, err := NewParquet(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file, nil
}

// NewParquet reads the footer of a file. Closing what it returns closes f.
func NewParquet(f objects.File) (*Parquet, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file := &Parquet{f: f, size: info.Size()}
	length, err := checkEnds(f, file.size)
	if err != nil {
		return nil, err
	}
	err = guard("its footer", func() error {
		footer := make([]byte, length)
		if _, err := f.ReadAt(footer, file.size-tailSize-length); err != nil {
			return err
		}
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, &file.meta); err != nil {
			return err
		}
		plain, err := file.plainFooter()
		if err != nil {
			return err
		}
		file.p, err = parquet.OpenFile(bytes.NewReader(plain), int64(len(plain)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, file.checkGroups()
}

// checkEnds returns the length of the footer. It returns an error unless a file begins and ends as it must, and has
// room for that.
func checkEnds(f io.ReaderAt, size int64) (length int64, err error) {
	var begin [len(parquetMagic)]byte
	var tail [tailSize]byte
	n, err := f.ReadAt(begin[:], 0)
	switch short := size < int64(len(begin)+len(tail)); {
	case short && string(begin[:n]) != parquetMagic[:n]:
		return 0, ErrNotParquet
	case short:
		return 0, fmt.Errorf("%w: it has %d bytes", ErrDamaged, size)
	case err != nil:
		return 0, err
	}
	if _, err := f.ReadAt(tail[:], size-tailSize); err != nil {
		return 0, err
	}
	length = int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(begin[:]) == "PARE" || string(tail[4:]) == "PARE":
		return 0, errors.New("an encrypted Parquet file")
	case string(begin[:]) != parquetMagic:
		return 0, ErrNotParquet
	case string(tail[4:]) != parquetMagic:
		return 0, fmt.Errorf("%w: it does not end with %s, as if it were cut", ErrDamaged, parquetMagic)
	case length > size-tailSize-int64(len(parquetMagic)):
		return 0, fmt.Errorf("%w: a footer of %d bytes in a file of %d", ErrDamaged, length, size)
	}
	return length, nil
}

// checkGroups returns an error if the numbers of rows of the groups are impossible.
func (f *Parquet) checkGroups() error {
	var rows int64
	for i, g := range f.p.RowGroups() {
		n := g.NumRows()
		if n < 0 || n > 1<<40 {
			return fmt.Errorf("%w: row group %d has %d rows", ErrDamaged, i, n)
		}
		rows += n
	}
	if rows != f.p.NumRows() {
		return fmt.Errorf("%w: its groups have %d rows, and its footer says %d", ErrDamaged, rows, f.p.NumRows())
	}
	return nil
}

// Rows returns the number of rows.
func (f *Parquet) Rows() int64 { return f.p.NumRows() }

// Bytes estimates how many bytes have been read, by the rows.
func (f *Parquet) Bytes() int64 {
	return int64(float64(f.size) * float64(f.Row()+1) / float64(max(1, f.Rows())))
}

// Close closes the file.
func (f *Parquet) Close() error { return errors.Join(f.release(), f.f.Close()) }
