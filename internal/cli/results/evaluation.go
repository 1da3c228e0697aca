package results

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"simsearch/internal/clean/run"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/publish"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// CheckReport returns an error if a report in dir would destroy something: a file that is not from an earlier
// report, or that somebody has changed, such as labels. It writes nothing.
func CheckReport(dir string) error {
	if err := publish.Check(dir, reportDir(0)); err != nil {
		return fmt.Errorf("--out %s: %w", terminal.Plain(dir), err)
	}
	return nil
}

// reportDir says how the directory of a report is written.
func reportDir(perm fs.FileMode) publish.Options {
	return publish.Options{By: "eval", Anew: true, Perm: perm}
}

// WriteReport writes a report of eval, and the pairs that it shows for a person to label, into dir. All that eval
// writes is written here, for those who may read files of perm.
func WriteReport(dir string, perm fs.FileMode, r *report.Report) (err error) {
	out, err := publish.Open(dir, reportDir(perm))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := out.Clear(); err != nil {
		return err
	}
	if err := out.Plan([]string{truth.LabelsName, run.ReportName, run.PageName}); err != nil {
		return err
	}
	put := func(name string, write func(io.Writer) error) error {
		return disk.WriteAtomicBy(out, name, func(w *bufio.Writer) error { return write(w) })
	}
	if labels := truth.UnfilledLabels(r); len(labels) > 0 {
		err = disk.WriteAtomic(out, truth.LabelsName, labels)
	}
	if err := cmp.Or(err, put(run.ReportName, r.WriteJSON), put(run.PageName, r.WriteHTML)); err != nil {
		return err
	}
	return out.Commit()
}
