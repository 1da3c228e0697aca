package main

import (
	"fmt"
	"path/filepath"

	"simsearch/internal/cli/results"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

func runInfo(t *task) error {
	return t.withIndex(func(ix *index.Snapshot) error {
		if !t.JSON.Value {
			return results.PrintInfo(t.stdout, ix)
		}
		return t.printObject(struct {
			V int `json:"v"`
			index.Info
		}{1, ix.Info()})
	})
}

func runVerify(t *task) error {
	e, err := index.Verify(t.Context, t.Index.Value)
	if err != nil {
		return err
	}
	left, err := index.Leftovers(t.Index.Value)
	for _, f := range left {
		if f.Reserved {
			t.tell("%s: left by an interrupted run, or being written; the next run removes it", filepath.Join(t.Index.Value, f.Name))
		}
	}
	if err != nil {
		return err
	}
	if len(e.Damages) > 0 {
		return t.printDamages(e.Damages)
	}
	told := fmt.Sprintf("sound: %s, %d bytes", terminal.Plural(e.Documents, "document"), e.Bytes)
	return t.sum(told, col("ok", true), col("documents", e.Documents), col("bytes", e.Bytes))
}

// printDamages prints damage of an index, and returns the error of it.
func (t *task) printDamages(damages []index.Damage) error {
	for _, d := range damages {
		if t.JSON.Value {
			if err := t.printObject(struct {
				OK bool `json:"ok"`
				index.Damage
			}{false, d}); err != nil {
				return err
			}
			continue
		}
		t.warn("%s", results.DamageLine(t.Index.Value, d))
	}
	return fmt.Errorf("%w: %s in %s", index.ErrCorrupt, terminal.Plural(len(damages), "damage"), t.Index.Value)
}
