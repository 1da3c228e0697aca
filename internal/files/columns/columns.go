// Package columns reads and writes tables in columns: Parquet files, and files and streams of Arrow. It reads some
// columns row by row, and writes a table again without some of its rows, perhaps with more columns or other texts.
//
// Bytes that break a rule of their format are an error that wraps ErrDamaged. Every call into a library is guarded,
// since those panic on some damaged files. What a file claims is not believed: memory is taken as bytes arrive,
// within bounds.
package columns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
)

// A Table reads some columns row by row: those that Add has added before the first row.
type Table interface {
	// Paths returns the names of all columns with values. Dots stand between the names of groups and columns, and []
	// behind that of a list.
	Paths() []string
	// Add adds the column called name to those that are read, and returns its number among them. Dots reach into
	// groups, but a column with dots in its own name comes first. Lists of strings, whose names have [], are read as
	// one string, a line each. The error wraps ErrNoColumn if there is none. It is a *TypeError if a row may have
	// several values, or if these are no strings, numbers, dates and times.
	Add(name string) (n int, c Column, err error)
	// Row returns the number of the row that Next has moved to, from 0.
	Row() int64
	// Next moves to the next row. The error is io.EOF behind the last one. Any other error says that nothing more can
	// be read.
	Next() error
	// SeekRow makes row n the next one. ok is false if there is no such row, or none of Arrow from the beginning of
	// the current batch on.
	SeekRow(n int64) (ok bool, err error)
	// Append appends the value that the row has of column n to dst: a string as it is, a fixed number of bytes in
	// hexadecimal, a number in decimal, a truth value as true or false, a UUID in its usual form, a date as
	// 2006-01-02, and a time as RFC 3339 has it, in UTC. ok is false if it is null. It may be called by one goroutine
	// at a time.
	Append(dst []byte, n int) (value []byte, ok bool, err error)
	// Bytes returns about how many bytes of the file have been read, or 0 if it is not known.
	Bytes() int64
}

// A Column is one that Add has added.
type Column struct {
	Name string // of the list, if it is one
	Text bool   // its values are strings
	Bare bool   // they are numbers or truth values
}

// A Writer writes the rows of a table again, in their order. Each call takes the next row.
type Writer interface {
	// Keep writes a row. It keeps nothing of edit.
	Keep(edit Edit) error
	// Drop passes over a row.
	Drop() error
	// Close writes the rest. Rows that have not been taken are left out.
	Close() error
}

// An Edit is what changes in a row that stays.
type Edit struct {
	// Text is what the column Column has instead of what it had, unless Column is "".
	Column string
	Text   []byte
	// Values are those of the new columns, one for each.
	Values []any
}

// A Kind is the type of the values of a new column.
type Kind uint8

// The kinds. Values are of the types string, int64, float64 and bool, or nil for null.
const (
	String Kind = iota
	Int
	Float
	Bool
)

// A NewColumn is added behind the others, in place of one with its name. Its values may be null.
type NewColumn struct {
	Name string
	Kind Kind
}

// replaces reports whether a new column takes the place of the one called name.
func replaces(added []NewColumn, name string) bool {
	return slices.ContainsFunc(added, func(c NewColumn) bool { return c.Name == name })
}

// eachElement stands in the name of a column behind that of a list, for its elements.
const eachElement = "[]"

var (
	// ErrDamaged marks bytes that break a rule of their format.
	ErrDamaged = errors.New("the file is damaged")
	// ErrNoColumn is returned for a name that no column has.
	ErrNoColumn = errors.New("no such column")
	// errUnread marks what may be sound.
	errUnread = errors.New("which is not read")
)

// A TypeError is returned for a column with values of another kind than those that Table.Add takes.
type TypeError struct {
	Name string
	Is   string // what the column is, such as "a list"
	Do   string // what to do about it, instead of naming what is wanted
	// Paths are the names of the columns of strings in it.
	Paths []string
}

// Error names the column and its type.
func (e *TypeError) Error() string {
	if e.Do != "" {
		return fmt.Sprintf("column %q is %s: %s", e.Name, e.Is, e.Do)
	}
	advice := terminal.If(len(e.Paths) > 0, ", such as %s", strings.Join(e.Paths, " or "))
	return fmt.Sprintf("column %q is %s, want strings, numbers or times%s", e.Name, e.Is, advice)
}

// guard calls f, and turns a panic into an error. what is the part of the file that f reads.
func guard(what string, f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error: // it says nothing of the file
			err = fmt.Errorf("%w: %s", ErrDamaged, what)
		default:
			err = fmt.Errorf("%w: %s: %v", ErrDamaged, what, p)
		}
	}()
	err = disk.Guarded(f) // f may read a map
	if errors.Is(err, disk.ErrFault) {
		return disk.ErrFault // the same of all rows
	}
	if err == nil || err == io.EOF || errors.Is(err, ErrDamaged) || errors.Is(err, errUnread) { //nolint:errorlint // a wrapped end is damage
		return err
	}
	if errors.As(err, new(*os.PathError)) || errors.As(err, new(*objects.Error)) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, what, err)
}
