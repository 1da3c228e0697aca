package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"simsearch/internal/cli/results"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
)

// Texts are the texts of an index: those that it keeps, or else their sources, read again. They must not be
// used by several goroutines at once.
type Texts struct {
	Sources
	ix *index.Snapshot
}

// OpenTexts opens the texts of an index. The error wraps index.ErrNoText if it keeps none. Sources are not read
// any more when ctx is done.
func OpenTexts(ctx context.Context, ix *index.Snapshot) (*Texts, error) {
	if ix.Keep() == index.KeepNothing {
		return nil, fmt.Errorf("nothing can be shown: %w", index.ErrNoText)
	}
	sources, err := OpenSources(ctx, ix)
	return &Texts{sources, ix}, err
}

// Text returns the text of a document. The errors are those of index.Snapshot.Text.
func (t *Texts) Text(doc uint32) (string, error) { return t.ix.Text(doc, &t.Sources) }

// Sources read the sources of the texts of an index again. They must not be used by several goroutines at once.
type Sources struct {
	// Readers, if not nil, sees the sources that are read.
	Readers *disk.Readers
	again   *corpus.Rereader
}

// OpenSources opens the sources of an index.
func OpenSources(ctx context.Context, ix *index.Snapshot) (s Sources, err error) {
	in := ix.Input()
	s.again, err = corpus.NewRereader(corpus.Options{TextField: in.TextField, FingerprintField: in.FingerprintField,
		MailWithout: in.MailWithout, HTML: in.HTML, Context: ctx})
	return s, err
}

// Text reads a text again.
func (s *Sources) Text(from document.Origin) ([]byte, error) {
	if s.Readers != nil {
		objects.See(s.Readers, from.Path)
	}
	return s.again.Text(from)
}

// Close closes the source that was read last.
func (s *Sources) Close() error { return s.again.Close() }

// Pictures say of the pictures of an index what their files are by now. They must not be used by several goroutines at
// once.
type Pictures struct {
	ix   *index.Snapshot
	base string // at which the paths in ids begin
}

// OpenPictures returns the pictures of an index.
func OpenPictures(ix *index.Snapshot) *Pictures { return &Pictures{ix, ix.Info().Base} }

// Text returns the size of a picture in pixels, as it is stored, its format and the size of its file. The error wraps
// document.ErrChanged if there is no such file, or no picture in it.
func (p *Pictures) Text(doc uint32) (string, error) {
	path, err := p.Path(doc)
	if err != nil {
		return "", err
	}
	data, err := corpus.PictureFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: there is no file %s", document.ErrChanged, path)
	}
	if err != nil {
		return "", err
	}
	about, err := imagehash.About(data)
	if err != nil {
		err = fmt.Errorf("%w: %w", document.ErrChanged, err)
	}
	return about, err
}

// Path returns the path of the file of a document.
func (p *Pictures) Path(doc uint32) (string, error) {
	id, err := p.ix.ID(doc)
	path := filepath.FromSlash(string(id))
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.base, path)
	}
	return path, err
}

// Close does nothing: no file is open.
func (*Pictures) Close() error { return nil }

// Compared returns two texts by their names: files or, if there is an index, also documents of it. It tells what it
// took where both are possible.
func Compared(ctx context.Context, names [2]string, ix *index.Snapshot, how corpus.Options,
	tell func(format string, values ...any)) (sides [2]explain.Text, err error) {
	var taken [2]string
	for i, name := range names {
		side, what := &sides[i], "a document of the index"
		_, missing := objects.Stat(ctx, name)
		if ix != nil && name != "-" && errors.Is(missing, fs.ErrNotExist) {
			*side, err = textOf(ctx, ix, name)
		} else if *side, err = one(name, how); err == nil && ix != nil {
			var known bool
			_, known, err = ix.Find([]byte(side.ID))
			what = terminal.If(known, "read from the file; the index has a document of this id, too")
		}
		if err != nil {
			return sides, err
		}
		taken[i] = what
	}
	for i, what := range taken {
		if what != "" && ix != nil {
			tell("%s is %s", terminal.Plain(sides[i].ID), what)
		}
	}
	return sides, nil
}

// textOf returns the document of an index that a user names: its fingerprint, if the index has no more of it.
func textOf(ctx context.Context, ix *index.Snapshot, name string) (is explain.Text, err error) {
	var texts *Texts
	given := ix.Keep() == index.KeepNothing && !ix.Settings().Sets()
	if !given {
		if texts, err = OpenTexts(ctx, ix); err != nil {
			return is, err
		}
		defer func() { err = errors.Join(err, texts.Close()) }()
	}
	doc, known, err := results.Find(ix, []byte(name))
	if err == nil && !known {
		err = errors.New(terminal.Plain(name) + " is neither a file nor a document of the index")
	}
	if err != nil {
		return is, err
	}
	id, err := ix.ID(doc)
	if err != nil {
		return is, err
	}
	if given {
		fp, ok := ix.Hashes(doc)
		if !ok {
			err = fmt.Errorf("%s has no fingerprint, and is near nothing", terminal.Plain(string(id)))
		}
		return explain.Text{ID: string(id), Given: &fp, Hash: ix.Settings().Image}, err
	}
	text, err := texts.Text(doc)
	if err != nil {
		err = fmt.Errorf("%s: %w", terminal.Plain(string(id)), err)
	}
	return explain.Text{ID: string(id), Text: []byte(text)}, err
}
