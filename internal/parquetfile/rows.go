package parquetfile

import (
	"context"

	"github.com/parquet-go/parquet-go"
)

// Rows reads some columns of a file, row by row, as package arrowfile does. It has the file, which Close closes.
type Rows struct {
	*File
	columns []Column
	cursor  *Cursor
	last    []parquet.Value
}

// NewRows opens the file at path, as Open does.
func NewRows(ctx context.Context, path string) (*Rows, error) {
	f, err := Open(ctx, path)
	return &Rows{File: f}, err
}

// Add adds the column called name to those that are read, before the first row is, and returns its number among them, and whether its
// values are strings. With lists, it is as TextColumn has it, and otherwise as Column does. The errors are those of these.
func (r *Rows) Add(name string, lists bool) (n int, text bool, err error) {
	find := r.Column
	if lists {
		find = r.TextColumn
	}
	c, err := find(name)
	if err != nil {
		return 0, false, err
	}
	r.columns = append(r.columns, c)
	return len(r.columns) - 1, c.text, nil
}

// NameOf returns the name of column n, which is that of the list if it is one.
func (r *Rows) NameOf(n int) string { return r.columns[n].Name }

// IsBytes reports whether the values of column n are bytes, which Append writes in hexadecimal.
func (r *Rows) IsBytes(n int) bool { return r.columns[n].binary }

func (r *Rows) open() *Cursor {
	if r.cursor == nil {
		r.cursor = r.NewCursor(r.columns)
	}
	return r.cursor
}

// Row returns the number of the row that Next has moved to, from 0.
func (r *Rows) Row() int64 { return r.open().Row() - 1 }

// Next moves to the next row. The error is io.EOF behind the last one. Any other error says that nothing more can be read.
func (r *Rows) Next() (err error) {
	r.last, err = r.open().Next()
	return err
}

// SeekRow makes row n the next one. It reads no other rows if the file says where its pages begin. ok is false if there is no such row.
func (r *Rows) SeekRow(n int64) (ok bool, err error) {
	if n >= r.Rows() {
		return false, nil
	}
	return true, r.open().SeekRow(n)
}

// Append appends the value that the row has of column n to dst, as Column.Append does. ok is false if it is null.
func (r *Rows) Append(dst []byte, n int) (value []byte, ok bool, err error) {
	if r.last[n].IsNull() {
		return dst, false, nil
	}
	return r.columns[n].Append(dst, r.last[n]), true, nil
}

// Close closes the file.
func (r *Rows) Close() error {
	err := r.open().Close()
	if closed := r.File.Close(); err == nil {
		err = closed
	}
	return err
}
