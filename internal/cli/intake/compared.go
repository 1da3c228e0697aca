package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"simsearch/internal/cli/results"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// A ComparedText is one of the two texts that compare takes.
type ComparedText struct{ ID, Text string }

// Compared returns two texts by their names: files or, if there is an index, also documents of it. It tells what it took where both are
// possible.
func Compared(ctx context.Context, names [2]string, ix *index.Snapshot, how corpus.Options,
	tell func(format string, values ...any)) (sides [2]ComparedText, err error) {
	var taken [2]string
	for i, name := range names {
		side := &sides[i]
		_, missing := objects.Stat(ctx, name)
		if ix == nil || name == "-" || !errors.Is(missing, fs.ErrNotExist) {
			if side.ID, side.Text, err = one(name, how); err != nil {
				return sides, err
			}
			if ix == nil {
				continue
			}
			_, known, err := ix.Find([]byte(side.ID))
			if err != nil {
				return sides, err
			}
			if known {
				taken[i] = "read from the file; the index has a document of this id, too"
			}
			continue
		}
		if side.ID, side.Text, err = textOf(ctx, ix, name); err != nil {
			return sides, err
		}
		taken[i] = "a document of the index"
	}
	for i, what := range taken {
		if what != "" {
			tell("%s is %s", terminal.Plain(sides[i].ID), what)
		}
	}
	return sides, nil
}

// textOf returns the id and the text of the document of an index that a user names.
func textOf(ctx context.Context, ix *index.Snapshot, name string) (id, text string, err error) {
	texts, err := OpenTexts(ctx, ix)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, texts.Close()) }()
	doc, known, err := results.Find(ix, []byte(name))
	if err == nil && !known {
		err = errors.New(terminal.Plain(name) + " is neither a file nor a document of the index")
	}
	if err != nil {
		return "", "", err
	}
	whole, err := ix.ID(doc)
	if err != nil {
		return "", "", err
	}
	if text, err = texts.Text(doc); err != nil {
		err = fmt.Errorf("%s: %w", terminal.Plain(string(whole)), err)
	}
	return string(whole), text, err
}
