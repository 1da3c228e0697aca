package main

import (
	"simsearch/internal/clean/decontaminate"
	"simsearch/internal/clean/run"
	"simsearch/internal/cli"
	"simsearch/internal/cli/results"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
)

func runDecontaminate(t *task) error {
	o, err := cli.Decontaminate(&t.Flags)
	if err != nil {
		return err
	}
	meter := t.startRun(&o.Options, new(int), decontaminate.ReadingTests)
	defer meter.Stop()
	defer collectLate(0)()
	report, err := decontaminate.Run(t.Context, t.Args, t.Out.Value, o)
	if err != nil {
		return err
	}
	meter.Stop()
	if err = t.reported(report, report.Missed, report.Warnings); err == nil && report.Found == 0 && report.Purify == "" {
		err = errNothing
	}
	return err
}

// A summed is a report on files that are written.
type summed interface {
	Summary() string
	Columns() []terminal.Column
}

// reported tells what a report has, and returns an error if something was bad, or files were left out.
func (t *task) reported(r summed, missed run.Missed, warnings []string) error {
	t.teller.End()
	for _, warning := range warnings {
		t.warn("%s", terminal.Plain(warning))
	}
	if !t.JSON.Value {
		t.tell("%s; %s shows them%s", r.Summary(), terminal.Plain(objects.Join(t.Out.Value, run.PageName)),
			results.NotCompared(missed.Bad, missed.LeftOut, 0, t.Out.Value))
	} else if err := t.rows().Print(append(r.Columns(), name("out", t.Out.Value))...); err != nil {
		return err
	}
	return t.missed(missed)
}
