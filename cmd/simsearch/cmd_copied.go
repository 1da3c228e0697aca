package main

import (
	"cmp"

	"simsearch/internal/clean/copied"
	"simsearch/internal/clean/run"
	"simsearch/internal/cli"
	"simsearch/internal/cli/results"
	"simsearch/internal/ground/terminal"
)

// runCopied prints the pairs of pairs --passages of inputs.
func runCopied(t *task) error {
	defer collectLate(firstGarbage)()
	t.recogniseInputs()
	o, err := cli.Copied(&t.Flags)
	if err != nil {
		return err
	}
	meter := t.startRun(&o.Options, new(int), run.Reading)
	defer meter.Stop()
	report, err := copied.Run(t.Context, t.Args, t.Out.Value, o)
	if err != nil {
		return err
	}
	meter.Stop()
	out := t.rows()
	for i := range report.Pairs[:report.Shared] {
		if err := out.Print(report.Pairs[i].Columns(t.JSON.Value)...); err != nil {
			return err
		}
	}
	ended := end(out)
	t.teller.End()
	summary := report.Summary(t.Out.Value) + results.NotCompared(report.Bad, report.LeftOut, 0, t.Out.Value)
	for _, line := range append(report.Warnings, summary) {
		t.tell("%s", terminal.Plain(line))
	}
	return cmp.Or(t.missed(report.Missed), ended)
}
