// Package intake reads the inputs of a command. It tells the user how inputs are read, which documents are
// bad, and how far the work has come.
package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"simsearch/internal/clean/copied"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
)

// mostFaults is how many ways of being bad are told of. Further ones are only counted.
const mostFaults = 20

// A Teller tells the user of a command what happens to its inputs. Only Bad and End are safe for concurrent use.
type Teller struct {
	To   io.Writer          // standard error
	Line func(error) string // returns the text of an error in one line
	Now  bool               // somebody waits for what is told of each document, as far as these are few

	decided map[corpus.Decision]bool // what the user has been told
	meter   *terminal.Meter          // shown now; nil if there is none

	mu     sync.Mutex // of what follows: documents are refused on another goroutine than they are read
	faults []fault    // what she has not been told yet
	odd    []fault    // and of documents that are odd
	others int        // bad documents that are not in faults
	told   int        // bad documents that she has been told of one by one
}

// A fault is a way in which documents are bad or odd.
type fault struct {
	what any
	line func(n int) string // tells of n documents
	n    int
}

// counted counts a document that is bad or odd in the way what, and reports whether there was one before.
func counted(all []fault, what any) bool {
	i := slices.IndexFunc(all, func(f fault) bool { return f.what == what })
	if i >= 0 {
		all[i].n++
	}
	return i >= 0
}

// Bad notes a document that is left out. Those that are bad in the same way, which is what, are told of in one line,
// when the inputs have been read.
func (t *Teller) Bad(what, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.Now && t.told < mostFaults:
		t.told++
		t.say("simsearch: " + message)
	case counted(t.faults, what):
	case len(t.faults) == mostFaults:
		t.others++
	default:
		line := func(n int) string { return message + terminal.Some(n-1, "; %s more in the same way") }
		t.faults = append(t.faults, fault{what, line, 1})
	}
}

// say prints a line, above the bar if there is one.
func (t *Teller) say(line string) {
	if t.meter != nil {
		t.meter.Print(line)
		return
	}
	fmt.Fprintln(t.To, line)
}

// An Intake reads a corpus for a command. It reports and counts bad documents, and shows progress.
type Intake struct {
	Reader *corpus.Reader
	Meter  *terminal.Meter
	Bad    int  // documents that were left out
	Silent bool // about bad documents
	// Failed, if not nil, is called with each document or file that cannot be read.
	Failed func(*corpus.BadError)
	teller *Teller
}

// Start begins to read the documents of r, which the Intake closes, and to show progress in a mode that
// is not terminal.Auto. what is the word for the work.
func (t *Teller) Start(r *corpus.Reader, mode, what string) *Intake {
	t.meter = terminal.StartMeter(t.To, mode, what, r.Progress)
	return &Intake{Reader: r, Meter: t.meter, teller: t}
}

// Documents yields the good documents. It yields an error if reading cannot go on.
func (in *Intake) Documents() document.Seq {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range in.Reader.Documents() {
			if bad, is := errors.AsType[*corpus.BadError](err); is && !errors.Is(err, context.Canceled) {
				if in.Failed != nil {
					in.Failed(bad)
				}
				in.Report(bad.Err.Error(), in.teller.Line(err))
				continue
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// Report reports a document that is left out. what is the same for all that are bad in the same way.
func (in *Intake) Report(what, message string) {
	in.Bad++
	if !in.Silent {
		in.teller.Bad(what, message)
	}
}

// End closes in. It returns err or, if that is nil, the error of closing.
func (in *Intake) End(err error) error { return cmp.Or(err, in.Close()) }

// Close ends the display of progress and the reading.
func (in *Intake) Close() error {
	in.Meter.Stop()
	in.teller.meter = nil
	in.teller.End()
	return in.Reader.Close()
}

// Decided says on standard error how an input is read whose name does not say it. It speaks once for each
// kind of input, since a directory may have many of a kind, and since some commands read their input
// twice.
func (t *Teller) Decided(d corpus.Decision) {
	if d.Oddity != 0 { // those of the same kind are told of in one line, when the input has been read
		if !counted(t.odd, d.Oddity) {
			t.odd = append(t.odd, fault{d.Oddity, func(n int) string { return oddityLine(d, n) }, 1})
		}
		return
	}
	kind := corpus.Decision{Format: d.Format, Looks: d.Looks, Charset: d.Charset}
	if d.Path == "-" {
		kind.Path = d.Path
	}
	if t.decided[kind] {
		return
	}
	if t.decided == nil {
		t.decided = map[corpus.Decision]bool{}
	}
	t.decided[kind] = true
	t.say("simsearch: " + decisionLine(d))
}

// End tells of documents that are bad or odd, a line for each kind. It is called when inputs have been read.
func (t *Teller) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.faults {
		fmt.Fprintln(t.To, "simsearch: "+f.line(f.n))
	}
	if t.others > 0 {
		fmt.Fprintln(t.To, "simsearch: more records are bad in other ways:", terminal.Thousands(t.others))
	}
	for _, f := range t.odd {
		fmt.Fprintln(t.To, "simsearch: "+f.line(f.n))
	}
	t.faults, t.odd, t.others = nil, nil, 0
}

// oddityLine says in a line what is odd about n documents, and about the first of them.
func oddityLine(d corpus.Decision, n int) string {
	at, name := terminal.Plain(d.Path), terminal.Plain(d.Named)
	of := func(does, do string) string {
		if n == 1 {
			return "1 page or text " + does
		}
		return terminal.Plural(n, "page") + " or texts " + do
	}
	switch d.Oddity {
	case corpus.OtherCharset:
		return fmt.Sprintf("%s another charset than the header, which counts; such as %s: read as %s, not %s", of("names", "name"), at, d.Charset, name)
	case corpus.WrongCharset:
		return fmt.Sprintf("%s not in the charset that is named; such as %s: read as %s, not %s", of("is", "are"), at, d.Charset, name)
	case corpus.UnknownCharset:
		return fmt.Sprintf("%s a charset that is not known; such as %s: read as %s, not %q", of("names", "name"), at, d.Charset, name)
	case corpus.NoCharset:
		return fmt.Sprintf("%s no charset, and the letters tell it; such as %s: read as %s", of("names", "name"), at, d.Charset)
	}
	if n == 1 {
		return fmt.Sprintf("1 record is XML or has no known type, and is no page or text by its bytes: left out; such as %s", at)
	}
	return fmt.Sprintf("%s are XML or have no known type, and are no pages or texts by their bytes: left out; such as %s",
		terminal.Plural(n, "record"), at)
}

// decisionLine says in a line how an input is read, and how it can be read otherwise.
func decisionLine(d corpus.Decision) string {
	name := terminal.Plain(d.Path)
	if d.Path == "-" {
		name = "standard input"
	}
	words := d.Format.Words()
	switch {
	case d.Charset != "":
		return fmt.Sprintf("%s is read as %s", name, d.Charset)
	case d.Looks != d.Format:
		return fmt.Sprintf("%s: %s, as its name says, though it looks like %s (--format %s reads it)", name, words, d.Looks.Words(), d.Looks)
	case d.Format == corpus.Text && d.Path == "-":
		return fmt.Sprintf("%s: %s (--format lines takes each line as a document)", name, words)
	case d.Format == corpus.Text:
		return fmt.Sprintf("%s: %s, since it has no record with the text field (--format json reads records)", name, words)
	}
	return fmt.Sprintf("%s: %s (--format says otherwise)", name, words)
}

// NextOfStdin returns the number after the highest N of the ids -#N in the index in dir. The id - counts
// as 0. It returns 0 if there is no index, or no such id in it.
func NextOfStdin(dir string) (next int, err error) {
	ix, err := index.Open(dir)
	if errors.Is(err, index.ErrNoIndex) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	for doc := range ix.Len() {
		id, err := ix.ID(uint32(doc))
		if err != nil {
			return 0, err
		}
		if n, ok := numberOfStdin(id); ok {
			next = max(next, n+1)
		}
	}
	return next, nil
}

// numberOfStdin returns N for an id -#N, and 0 for the id -.
func numberOfStdin(id []byte) (n int, ok bool) {
	rest, ok := strings.CutPrefix(string(id), "-#")
	n, err := strconv.Atoi(rest)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != rest || n >= maxNumberOfStdin {
		return 0, string(id) == "-"
	}
	return n, true
}

// maxNumberOfStdin keeps numbers of lines far from overflow.
const maxNumberOfStdin = math.MaxInt / 2

// ReadOnce returns an error that begins with why if an input of r can be read only once.
func ReadOnce(r *corpus.Reader, why string) error {
	name, ok := r.Once()
	if !ok {
		return nil
	}
	if name == "-" {
		name = "standard input"
	}
	return fmt.Errorf("%s, and %s can be read only once: write it to a file first", why, terminal.Plain(name))
}

// Whole returns the texts of files that are one document each.
func Whole(names []string, how corpus.Options) (texts []copied.Named, err error) {
	for _, name := range names {
		is, err := one(name, how)
		if err == nil && is.Given != nil {
			err = fmt.Errorf("%s has no text", terminal.Plain(name))
		}
		if err != nil {
			return nil, err
		}
		texts = append(texts, copied.Named{Name: name, Text: string(is.Text)})
	}
	return texts, nil
}

// one reads a file that is one document, which must be good.
func one(path string, how corpus.Options) (is explain.Text, err error) {
	how.Lenient, how.FilesFrom, how.Turned = false, nil, true
	r, err := corpus.Open([]string{path}, how)
	if err != nil {
		return is, err
	}
	defer r.Close() // opened for reading
	n := 0
	for doc, err := range r.Documents() {
		switch n++; {
		case errors.Is(err, corpus.ErrPicture) && n == 1 && path != corpus.Stdin.Path:
			how.Format, how.ImageHash = corpus.Image, imagehash.Usual
			return one(path, how)
		case n > 1 || err == nil && len(doc.Rows) > 1:
			return is, fmt.Errorf("%s holds more than one document: name a file of one", filepath.ToSlash(path))
		case err != nil:
			return is, err
		case doc.Picture.Flat:
			return is, fmt.Errorf("%s is of one colour: it has no hash, and is near nothing", terminal.Plain(path))
		}
		is = explain.Text{ID: string(doc.ID), Text: slices.Clone(doc.Text)}
		if doc.Given() {
			fp := doc.Long()
			if doc.Picture.Bytes > 0 {
				is.Hash, fp[1] = how.ImageHash, fp[0]
			}
			if len(doc.Turned) > 7 { // the picture has a border
				fp[1] = doc.Turned[7]
			}
			is.Given = &fp
		}
	}
	if n == 0 {
		err = fmt.Errorf("%s holds no document", path)
	}
	return is, err
}
