package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"simsearch/eval"
	"simsearch/internal/disk"
	"simsearch/internal/labels"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// checkOut returns an error if a report in the directory of --out would destroy something: a file that is not from an earlier
// report, or labels that cannot be understood and so cannot be kept. It writes nothing.
func (e *evaluation) checkOut() error {
	dir := e.c.String("out")
	if dir == "" {
		return nil
	}
	if err := disk.CanBeDir(dir); err != nil {
		return fmt.Errorf("--out %s: %w; name another directory", terminal.Plain(dir), err)
	}
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ours := false // where a report is, all files with names of a report are from it
	if file, err := os.Open(filepath.Join(dir, report.JSONName)); err == nil {
		ours = report.IsReport(file)
		_ = file.Close() // opened for reading
	}
	for _, entry := range list {
		if name := entry.Name(); report.IsName(name) && (!ours || !entry.Type().IsRegular()) {
			return fmt.Errorf("--out %s: %s is not from an earlier report, and would be replaced: move it away, or name another directory", terminal.Plain(dir), terminal.Plain(name))
		}
	}
	return mergeLabels(io.Discard, dir, nil)
}

// mergeLabels writes what the file of labels in dir is to have: its lines and a line for each new pair.
func mergeLabels(w io.Writer, dir string, pairs []labels.Pair) error {
	path := filepath.Join(dir, labels.Name)
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return labels.Merge(w, nil, pairs)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: want a regular file, and that is something else, such as a link: move it away, or name another directory with --out", terminal.Plain(path))
	}
	err := withFile(path, func(r io.Reader) error { return labels.Merge(w, r, pairs) })
	if err != nil {
		err = fmt.Errorf("%w; so that no label is lost, correct the file, move it away, or name another directory with --out", err)
	}
	return err
}

// writeOut writes a report into the directory of --out. Who may not read what was read may not read the report.
func (e *evaluation) writeOut(dir string, r *eval.Report) error {
	e.readers.See(filepath.Join(dir, labels.Name))
	return writeReport(disk.OSWithMode(e.readers.Mode()), dir, r)
}

// writeReport writes a report, and the pairs that it shows with the labels that they have, into dir. All that eval writes is
// written here: each file appears complete, or is as it was.
func writeReport(fsys disk.FS, dir string, r *eval.Report) error {
	if _, err := disk.MkdirAll(fsys, dir); err != nil {
		return err
	}
	put := func(name string, write func(io.Writer) error) error {
		file, err := disk.CreateAtomic(fsys, filepath.Join(dir, name))
		if err != nil {
			return err
		}
		defer file.Abort()
		if err := write(file); err != nil {
			return err
		}
		return file.Commit()
	}
	if pairs := r.Pairs(); len(pairs) > 0 { // the file is read again: labels may have been filled in since the run began
		if err := put(labels.Name, func(w io.Writer) error { return mergeLabels(w, dir, pairs) }); err != nil {
			return err
		}
	}
	return r.WriteFiles(put)
}
