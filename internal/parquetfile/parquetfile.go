// Package parquetfile reads single columns of Parquet files, row by row, and writes files without some of
// their rows.
//
// The library below it panics on some damaged files. Every call is guarded, so that such a file is an error
// that wraps ErrDamaged.
package parquetfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"simsearch/internal/objects"
)

// Magic is what a Parquet file begins and ends with.
const Magic = "PAR1"

// ErrDamaged marks a file that breaks a rule of the format.
var ErrDamaged = errors.New("the Parquet file is damaged")

// ErrOther marks a file in another format.
var ErrOther = errors.New("not a Parquet file, which begins with " + Magic)

// tailSize is the size in bytes of the end of a file: the length of the footer, and Magic.
const tailSize = 8

// A File is an open Parquet file. It must not be used by several goroutines at once.
type File struct {
	f    objects.File
	size int64
	p    *parquet.File       // with another footer, by which nothing is compressed
	meta format.FileMetaData // the footer
	// body and page are memory for a page as it is in the file, and as the library reads it.
	body, page []byte
}

// Open opens the file at path, which must be a regular one, or an object, and reads its footer. Reading ends when ctx is done. The caller
// must close it.
func Open(ctx context.Context, path string) (*File, error) {
	f, err := objects.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	file, err := open(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file, nil
}

func open(f objects.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file := &File{f: f, size: info.Size()}
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

// checkEnds returns the length of the footer. It returns an error unless a file begins and ends as it must, and has room for that.
func checkEnds(f io.ReaderAt, size int64) (length int64, err error) {
	if size < int64(len(Magic))+tailSize {
		var begin [len(Magic)]byte
		if n, _ := f.ReadAt(begin[:], 0); n > 0 && string(begin[:n]) != Magic[:n] {
			return 0, ErrOther
		}
		return 0, fmt.Errorf("%w: it has %d bytes", ErrDamaged, size)
	}
	var begin [len(Magic)]byte
	var tail [tailSize]byte
	if _, err := f.ReadAt(begin[:], 0); err != nil {
		return 0, err
	}
	if _, err := f.ReadAt(tail[:], size-tailSize); err != nil {
		return 0, err
	}
	length = int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(begin[:]) == "PARE" || string(tail[4:]) == "PARE":
		return 0, errors.New("an encrypted Parquet file")
	case string(begin[:]) != Magic:
		return 0, ErrOther
	case string(tail[4:]) != Magic:
		return 0, fmt.Errorf("%w: it does not end with %s, as if it were cut", ErrDamaged, Magic)
	case length > size-tailSize-int64(len(Magic)):
		return 0, fmt.Errorf("%w: a footer of %d bytes in a file of %d", ErrDamaged, length, size)
	}
	return length, nil
}

// checkGroups returns an error if the numbers of rows of the groups are impossible.
func (f *File) checkGroups() error {
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
func (f *File) Rows() int64 { return f.p.NumRows() }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// guard calls f, and turns a panic into an error. what is the part of the file that f reads.
func guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %s: %v", ErrDamaged, what, p)
		}
	}()
	err = f()
	if err == nil || errors.Is(err, ErrDamaged) || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && isEnd(err) {
		return err
	}
	if errors.As(err, new(*os.PathError)) || errors.As(err, new(*objects.Error)) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, what, err)
}

// isEnd reports whether err is io.EOF itself, and not an error that wraps it.
func isEnd(err error) bool { return err == io.EOF } //nolint:errorlint // a wrapped one is damage

// Names returns the names of all columns with values. Dots stand between the names of groups and columns.
func (f *File) Names() (names []string) {
	for _, path := range f.p.Schema().Columns() {
		names = append(names, strings.Join(path, "."))
	}
	return names
}
