package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// A Current tells which document of a group is the current one.
type Current struct {
	Index *index.Snapshot
	Keep  dedup.Keep
	// Field is the place of Keep.Field among the kept fields, of a way that compares one. -1 takes the time at which the
	// file of a document was changed.
	Field int
	Texts Texts  // for dedup.Longest
	Base  string // the directory at which paths in ids begin

	Without int // groups of which no document has a value
}

// texts returns the texts that are read, or nil. c may be nil.
func (c *Current) texts() Texts {
	if c == nil {
		return nil
	}
	return c.Texts
}

// Of returns the current one of documents, which are ascending, and the value that it is chosen by. It is the first of
// several. ok is false if no document has a value.
func (c *Current) Of(documents []uint32) (doc uint32, value string, ok bool, err error) {
	if c.Keep.Way == dedup.First {
		return documents[0], "", true, nil
	}
	longest := -1
	for _, d := range documents {
		if c.Keep.Way == dedup.Longest {
			text, err := c.Texts.Text(d)
			if err := fatal(err); err != nil {
				return 0, "", false, err
			}
			if err == nil && len(text) > longest {
				doc, ok, longest = d, true, len(text)
			}
			continue
		}
		v, has, err := c.valueOf(d)
		if err != nil {
			return 0, "", false, err
		}
		if has && c.Keep.Way.Reads(v) && (!ok || c.Keep.Way.Compare(v, value) > 0) {
			doc, value, ok = d, v, true
		}
	}
	if !ok {
		c.Without++
	}
	return doc, value, ok, nil
}

// Told says how many groups have no current document, and what the others are chosen by, if that is the time of files.
func (c *Current) Told() (told string) {
	by := "date or time in the field " + terminal.Plain(c.Keep.Field)
	switch {
	case c.Keep.Way == dedup.Longest:
		by = "text"
	case c.Field < 0:
		by = "file whose time could be read"
	case !c.Keep.Way.IsTime():
		by = "number in the field " + terminal.Plain(c.Keep.Field)
	}
	if c.Keep.Way.HasField() && c.Field < 0 {
		told = fmt.Sprintf("; the %s is by the time of files, since the index keeps no date (index --keep-fields)", c.Keep.Way)
	}
	if c.Without > 0 {
		told += fmt.Sprintf("; %s no %s", withHave(c.Without, "group"), by)
	}
	return told
}

// valueOf returns what a document is compared by; ok is false if it has none.
func (c *Current) valueOf(doc uint32) (value string, ok bool, err error) {
	if c.Field >= 0 {
		return c.Index.Field(doc, c.Field)
	}
	id, err := c.Index.ID(doc)
	if err != nil {
		return "", false, err
	}
	at, ok := changed(c.Base, string(id))
	return at.UTC().Format(time.RFC3339), ok, nil
}

// changed returns when the file was changed that an id names: the whole id, or what stands before its last number sign.
func changed(base, id string) (at time.Time, ok bool) {
	paths := []string{id}
	if i := strings.LastIndexByte(id, '#'); i > 0 {
		paths = append(paths, id[:i])
	}
	for _, path := range paths {
		path = filepath.FromSlash(path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return info.ModTime(), true
		}
	}
	return at, false
}

// withHave returns a number of things and the verb that goes with it.
func withHave(n int, thing string) string {
	if n == 1 {
		return terminal.Plural(n, thing) + " has"
	}
	return terminal.Plural(n, thing) + " have"
}
