// Package corpus reads collections of documents, one document at a time. The inputs are
// directories, text files, lines, JSON Lines, JSON, CSV, Parquet, HTML, crawls, mail, pictures, lists of ready-made
// fingerprints or of sets, and standard input. Files may be compressed.
//
//	r, err := corpus.Open(inputs, corpus.Options{}) // such as "articles.jsonl.gz" and "notes/"
//	defer r.Close()
//	for doc, err := range r.Documents() {
//		switch {
//		case errors.As(err, new(*corpus.BadError)):
//			log.Print(err) // one document or file; the next ones follow
//		case err != nil:
//			return err
//		default:
//			use(doc.ID, doc.Text)
//		}
//	}
package corpus

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A BadError is about one file or document that cannot be read. The reader continues with the next
// one.
type BadError struct {
	Path string
	Line int // the line, element of an array, row, record or message, from 1; 0 if the error is about the file
	Err  error
}

// Error returns "path:line: what is wrong".
func (e *BadError) Error() string {
	return fmt.Sprintf("%s: %v", place(e.Path, e.Line), e.Err)
}

// Unwrap returns the error without the place.
func (e *BadError) Unwrap() error { return e.Err }

// A FieldError says that the first record lacks a field. The name of the field is then more likely
// to be wrong than the record. The error ends the reading.
type FieldError struct {
	Path   string
	Line   int
	Field  string   // several names have commas between them
	Option string   // the field of Options that names Field, or another one that a caller has for it
	Fields []string // the fields that the record has
	// Guessed says that the file was taken for one with fields by its content.
	Guessed bool
	// Table says that the fields are columns, which no record of the file has.
	Table bool
}

// Error lists the fields that the record has.
func (e *FieldError) Error() string {
	return fmt.Sprintf("%s: %s", place(e.Path, e.Line), e.what())
}

// what is Error without the place.
func (e *FieldError) what() string {
	thing := "record"
	if e.Table {
		thing = "table"
	}
	return fmt.Sprintf("%s; the %s has %s", e.lacks(), thing, cmp.Or(strings.Join(e.Fields, ", "), "none"))
}

// lacks is what without the fields that there are.
func (e *FieldError) lacks() string {
	names := []string{e.Field}
	if e.Option != "IDField" {
		names = strings.Split(e.Field, ",")
	}
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	thing := "field"
	if e.Table {
		thing = "column"
	}
	return "no " + thing + " " + strings.Join(names, " or ")
}

// A LackError says of one record that it lacks a field, and has the names of those that there are.
type LackError struct {
	error
	Fields []string
}

// An InputError says that an input that was named is most likely not what was meant. It ends the
// reading.
type InputError struct{ BadError }

// wrongInput returns an InputError. The path "-" is standard input.
func wrongInput(path string, err error) *InputError {
	return &InputError{BadError{Path: path, Err: err}}
}

// place returns path:line, or the path if line is 0.
func place(path string, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", path, line)
	}
	if path == "-" {
		return "standard input"
	}
	return path
}
