package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/internal/commandline"
	"simsearch/internal/options"
)

// check checks all flags and the names of files, even those that have no effect on the chosen
// evaluation. It reads nothing.
func (e *evaluation) check() (err error) {
	if err := e.checkInputs(); err != nil {
		return err
	}
	if e.Eval, err = options.EvalOf(e.c); err != nil {
		return err
	}
	return e.checkFiles()
}

func (e *evaluation) checkInputs() error {
	commandline.Ignore(&e.c.Index, &e.c.K, &e.c.Jaccard) // they are for other commands
	switch by := e.c.Index.Given; {
	case by && options.HasInputs(e.c):
		return errors.New("--index evaluates the texts of an index, and excludes other inputs")
	case by && e.c.Protocol.Value != "":
		return errors.New("--protocol reads records, which an index does not have: name files")
	case by:
		return nil
	case !options.HasInputs(e.c):
		return errors.New("no input: name files or directories, or an index with --index")
	}
	if slices.Contains(slices.Concat(e.c.Args, e.c.FilesFrom.Value), "-") {
		return errors.New("eval reads its input several times: write standard input to a file first")
	}
	o, err := e.env.corpusOptions(e.c, analysis.Classic().Bits)
	if e.ofPictures = err == nil && o.Format == corpus.Image; e.ofPictures {
		return e.checkPictures()
	}
	return err
}

var errNoFeatures = errors.New("eval compares features, which fingerprints have none of: --format fingerprints evaluates these by distance")

// checkFiles checks that the labels can be read and that the report can be written.
func (e *evaluation) checkFiles() error {
	if path := e.c.Truth.Value; path != "" {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("cannot read %s: labels are read from a regular file, more than once", path)
		}
		if err := withFile(path, func(io.Reader) error { return nil }); err != nil {
			return err
		}
	}
	return e.checkOut()
}
