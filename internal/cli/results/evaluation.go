package results

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"simsearch/eval"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/publish"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// ReportDir says how the directory of a report of eval is written, whose files those may read that perm names.
func ReportDir(perm fs.FileMode) publish.Options {
	return publish.Options{By: "eval", Anew: true, Edited: []string{truth.LabelsName}, Perm: perm}
}

// CheckReport returns an error if a report in dir would destroy something: a file that is not from an earlier
// report, or labels that cannot be understood and so cannot be kept. It writes nothing.
func CheckReport(dir string, o publish.Options) error {
	if err := publish.Check(dir, o); err != nil {
		return fmt.Errorf("--out %s: %w", terminal.Plain(dir), err)
	}
	_, _, err := mergedLabels(dir, new(eval.Report))
	return err
}

// maxLabels is the most bytes of a file of labels that are read: a report shows some hundred pairs.
const maxLabels = 64 << 20

// mergedLabels returns what the file of labels in dir is to have: its lines, and a line for each pair that the report shows. was is what it has
// now, and nil if there is none.
func mergedLabels(dir string, r *eval.Report) (merged, was []byte, err error) {
	path := filepath.Join(dir, truth.LabelsName)
	var old io.Reader
	switch was, err = disk.ReadNamed(path, maxLabels); {
	case err == nil:
		old = bytes.NewReader(was)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	var b bytes.Buffer
	if err := truth.MergeLabels(&b, old, r); err != nil {
		return nil, nil, fmt.Errorf("%s: %w; so that no label is lost, correct the file, move it away, or name another directory with "+
			"--out", terminal.Plain(path), err)
	}
	return b.Bytes(), was, nil
}

// WriteReport writes a report of eval, and the pairs that it shows with the labels that they have, into dir. All that eval writes is
// written here.
func WriteReport(dir string, o publish.Options, r *report.Report) (err error) {
	out, err := publish.Open(dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := out.Clear(); err != nil {
		return err
	}
	if err := out.Plan([]string{truth.LabelsName, report.JSONName, report.HTMLName}); err != nil {
		return err
	}
	put := func(name string, write func(io.Writer) error) error {
		return disk.WriteAtomicBy(out, name, func(w *bufio.Writer) error { return write(w) })
	}
	// Labels are read now, since some may have been filled in since the run began.
	merged, was, err := mergedLabels(dir, r)
	if err != nil {
		return err
	}
	if was != nil {
		out.Took(truth.LabelsName, publish.DigestOf(was))
	}
	if was != nil || len(merged) > 0 {
		err := put(truth.LabelsName, func(w io.Writer) error {
			_, err := w.Write(merged)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := cmp.Or(put(report.JSONName, r.WriteJSON), put(report.HTMLName, r.WriteHTML)); err != nil {
		return err
	}
	return out.Commit()
}
