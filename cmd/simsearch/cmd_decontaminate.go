package main

import (
	"slices"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"simsearch/internal/commandline"
	"simsearch/internal/corpus"
	"simsearch/internal/decontaminate"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func decontaminateCommand(t *task) *cli.Command {
	return t.command("decontaminate", runDecontaminate, t.DecontaminateFlags(), t.CorpusFlags(), t.CommonFlags())
}

func runDecontaminate(t *task) error {
	how, err := t.corpusOptions(64)
	if err != nil {
		return err
	}
	o, err := options.Decontaminate(&t.Flags, how)
	if err != nil {
		return err
	}
	o.Command = t.repeating()
	var done, all atomic.Int64
	meter := t.startMeter(decontaminate.ReadingTests, func() (int64, int64) { return done.Load(), all.Load() })
	defer meter.Stop()
	parts := int64(1) // or -1, of what is not bytes
	o.Phase = func(what string) {
		if what == decontaminate.Writing {
			parts = -1
		}
		done.Store(0)
		all.Store(-1)
		meter.Next(what)
	}
	o.Progress = func(now, of int64) {
		done.Store(now)
		all.Store(parts * of)
	}
	bad := 0
	o.Bad = func(err *corpus.BadError) {
		if bad++; bad <= results.MostBad {
			meter.Print("simsearch: " + oneLine(err))
		}
	}
	report, err := decontaminate.Run(t.Context, t.Args, t.Out.Value, o)
	if err != nil {
		return err
	}
	meter.Stop()
	return t.decontaminated(report)
}

// decontaminated tells what was found.
func (t *task) decontaminated(r *decontaminate.Report) error {
	for _, warning := range r.Warnings {
		t.warn("%s", terminal.Plain(warning))
	}
	if !t.JSON.Value {
		t.tell("%s; %s shows them", r.Summary(), terminal.Plain(r.Page(t.Out.Value)))
	} else if err := t.rows().Print(
		col("items", r.Items), col("short", r.Short), col("found", r.Found), col("half", r.Half), col("whole", r.Whole), col("hits", r.Hits),
		col("documents", r.Documents), col("bytes", r.Bytes), col("found_in", r.FoundIn), col("removed", r.Removed), col("changed", r.Changed),
		col("cut_bytes", r.CutBytes), col("bad", r.Bad), col("warnings", slices.Concat([]string{}, r.Warnings)), name("out", t.Out.Value)); err != nil {
		return err
	}
	switch {
	case r.Bad > 0 && !t.SkipBad.Value:
		return errReported
	case r.Found == 0 && r.Purify == "":
		return errNothing
	}
	return nil
}

// repeating returns the command that makes the same result again. Flags that change nothing of what is written are left out, so
// that the same is made with others of them.
func (t *task) repeating() string {
	flags := slices.DeleteFunc(slices.Clone(t.Command.Flags), func(f cli.Flag) bool {
		return slices.Contains([]cli.Flag{&t.Threads, &t.Memory, &t.Quiet, &t.Progress, &t.JSON, &t.Review, &t.Reviewed}, f)
	})
	return "simsearch " + t.Command.Name + " " + commandline.Arguments(t.Args, flags)
}
