// Package inputs finds the files that the inputs of a command name: files, the files of directories, objects of
// stores, lists of inputs, and standard input. It opens them for reading: they are decompressed as their names say,
// within bounds of memory and of expansion, as UTF-8, and reading can be interrupted.
package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
)

// An Input is one file, or object, to read. Its size and times are as they were when it was found.
type Input struct {
	Path string // as shown and as used in ids; "-" is standard input
	Size int64  // in bytes, or 0 if it is not known
	// Changed is when a regular file was changed last (see disk.Changed), or zero if it is not known.
	Changed time.Time
	Named   bool // given by the user, in a list, too, and not found in a directory

	Irregular bool // a pipe or a device: opening or reading it may block

	Listed bool // found by a list of inputs

	// Bad says what is wrong with the line of a list, BadLine, that should name the input, or with the file
	// at Path if BadLine is 0. It is nil if nothing is.
	Bad     error
	BadLine int
}

// A LeftOut is a file, or something else in a directory, of which nothing is read.
type LeftOut struct {
	Path     string
	Why      error // ErrIrregular or ErrLink of what a directory has that is no file
	Reported bool  // as an error; others are passed over
}

// ErrIrregular marks a pipe, a socket or a device in a directory, and ErrLink a symbolic link.
var (
	ErrIrregular = errors.New("a pipe, a socket or a device, which is read only if it is named")
	ErrLink      = errors.New("a symbolic link, which is followed only if it is named")
)

// Once reports whether the input can be read only once.
func (in Input) Once() bool { return in.Irregular || in.Path == "-" }

// Options say how inputs are found. All fields but Stdin and Context are as in corpus.Options, and these two
// must not be nil.
type Options struct {
	FilesFrom         []string
	Hidden, GitIgnore bool
	Include, Exclude  []string
	Stdin             io.Reader
	Context           context.Context
}

// A Finder finds inputs.
type Finder struct {
	// Inputs are what has been found, in order, and Total their size in bytes.
	Inputs []Input
	Total  int64
	// Passed are what directories have that is no file.
	Passed []LeftOut
	// Private is the first file that not everybody can read, or "".
	Private string
	// Dirs are the directories among the inputs.
	Dirs []string
	// Empty are the directories among the inputs in which no file was found, and what lists name that is not there.
	Empty []string
	// Once is a list of inputs that can be read only once, or "".
	Once string

	o         Options
	stdin     bool      // standard input is one of the inputs, or a list of them
	selection Selection // of the files of directories
}

// New returns a Finder. The error says which option is no pattern.
func New(o Options) (*Finder, error) {
	selection, err := Select(o.Include, o.Exclude)
	return &Finder{o: o, selection: selection}, err
}

// Find adds the inputs that names and the lists of the options have. It is an error if a name leads to nothing
// that can be opened, or to an index; such a line of a list is a bad input.
func (f *Finder) Find(names []string) error {
	for _, path := range names {
		if err := f.find(path); err != nil {
			return err
		}
	}
	for _, name := range f.o.FilesFrom {
		if name == "-" {
			if err := f.takeStdin(); err != nil {
				return err
			}
		}
		if err := f.findListed(name); err != nil {
			return err
		}
	}
	return nil
}

// interrupted returns the cause of the context if the context is done.
func (f *Finder) interrupted() error { return context.Cause(f.o.Context) }

// find adds the file called name, or the files of the directory called name.
func (f *Finder) find(name string) error {
	if name == "-" {
		if err := f.takeStdin(); err != nil {
			return err
		}
		if file, ok := f.o.Stdin.(*os.File); ok {
			if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
				f.look("-", info)
			}
		}
		f.Inputs = append(f.Inputs, Input{Path: "-", Named: true})
		return nil
	}
	if objects.Is(name) {
		return f.findObjects(name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return openError(err)
	}
	switch {
	case info.Mode().IsRegular():
		f.look(name, info)
		opened, err := os.Open(name) // report an unreadable input now rather than at the end
		if err != nil {
			return openError(err)
		}
		f.add(Input{Path: name, Size: info.Size(), Changed: disk.Changed(info), Named: true})
		return opened.Close()
	case !info.IsDir():
		// Do not open a pipe to try it: its writer would take that for the reader, and see it
		// close.
		f.add(Input{Path: name, Named: true, Irregular: true})
		return nil
	case isIndex(name):
		return isAnIndex(name)
	}
	f.Dirs = append(f.Dirs, name)
	before := len(f.Inputs)
	err = f.walk(name)
	if len(f.Inputs) == before {
		f.Empty = append(f.Empty, name)
	}
	return err
}

// takeStdin notes that standard input is used. It returns an error if it has been before.
func (f *Finder) takeStdin() error {
	if f.stdin {
		return errors.New("standard input (-) is named twice")
	}
	f.stdin = true
	return nil
}

// look notes a file that not everybody can read.
func (f *Finder) look(path string, info fs.FileInfo) {
	const everybody = 0o004
	if f.Private == "" && info.Mode().Perm()&everybody == 0 {
		f.Private = path
	}
}

func (f *Finder) add(in Input) {
	if in.Path = filepath.ToSlash(in.Path); in.Path == "-" {
		in.Path = "./-" // a file in the directory .
	}
	f.Inputs = append(f.Inputs, in)
	f.Total += in.Size
}

func openError(err error) error {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(pe.Path, "*?[") {
			return fmt.Errorf("cannot read %s: %w; the shell replaces a pattern that is not in quotes, and --include takes one for "+
				"directories", pe.Path, pe.Err)
		}
		return fmt.Errorf("cannot read %s: %w", pe.Path, pe.Err)
	}
	return err
}

// The manifest of an index: its name and its first bytes.
const (
	manifestName  = "MANIFEST"
	manifestBegin = "simsearch index "
)

// isIndex reports whether dir is an index. The files of an index are not documents.
func isIndex(dir string) bool {
	path := filepath.Join(dir, manifestName)
	f, err := disk.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return beginsManifest(f)
}

// beginsManifest reports whether a file begins as the manifest of an index.
func beginsManifest(f io.Reader) bool {
	head := make([]byte, len(manifestBegin))
	_, err := io.ReadFull(f, head)
	return err == nil && string(head) == manifestBegin
}

func isAnIndex(name string) error {
	return fmt.Errorf("%s is an index of simsearch, and no collection: name the documents", name)
}
