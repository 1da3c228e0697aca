package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"simsearch/internal/cli"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
)

func runStep(t *task) error {
	step, err := cli.Step(&t.Flags)
	if err != nil {
		return err
	}
	if step.Name != "components" { // the program and pages of mapped files take the rest
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(t.Memory.Value - min(t.Memory.Value/4, 40<<20)))
	}
	bad := 0
	meter := t.startRun(&step.How.Options, &bad, step.Name)
	defer meter.Stop()
	step.Bad = func(f corpus.LeftOut) {
		bad++
		meter.Print("simsearch: " + terminal.Plain(f.Path) + ": " + oneLine(f.Why))
	}
	told, err := step.Run(t.Context)
	meter.Stop()
	t.teller.End()
	switch {
	case err != nil || told == "":
	case step.Name == "plan": // whoever runs joins wants to know how many
		_, err = fmt.Fprintln(t.stdout, told)
	default:
		t.tell("%s", told)
	}
	return cmp.Or(err, t.badDocuments(bad))
}
