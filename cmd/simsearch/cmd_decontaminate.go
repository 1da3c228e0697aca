package main

import (
	"runtime/debug"
	"slices"

	"simsearch/internal/clean/decontaminate"
	"simsearch/internal/clean/run"
	"simsearch/internal/cli"
	"simsearch/internal/cli/results"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
)

func decontaminateCommand(t *task) *cli.Command {
	return t.command("decontaminate", runDecontaminate, t.DecontaminateFlags(), t.CorpusFlags(), t.CommonFlags())
}

func runDecontaminate(t *task) error {
	how, err := t.corpusOptions(64)
	if err != nil {
		return err
	}
	o, err := cli.Decontaminate(&t.Flags, how)
	if err != nil {
		return err
	}
	o.Command = t.repeating()
	writing := func(what string) bool { return what == run.Writing }
	meter := t.startRun(&o.Options, new(int), decontaminate.ReadingTests, writing)
	defer meter.Stop()
	defer debug.SetGCPercent(debug.SetGCPercent(garbage)) // nearly all memory has no pointers
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
	t.inputs().End()
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

// repeating returns the command that makes the same result again. Flags that change nothing of what is written are left out, so
// that the same is made with others of them.
func (t *task) repeating(but ...cli.AnyFlag) string {
	flags := slices.DeleteFunc(slices.Clone(t.Command.Flags), func(f cli.AnyFlag) bool {
		return slices.Contains(append(but, &t.Threads, &t.Memory, &t.Quiet, &t.JSON, &t.Review), f)
	})
	return "simsearch " + t.Command.Name + " " + cli.Arguments(t.Args, flags)
}
