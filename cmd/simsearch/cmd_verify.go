package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/options"
	"simsearch/internal/terminal"
)

func verifyCommand(env *environment) *cli.Command {
	c := new(options.Flags)
	return &cli.Command{
		Name:  "verify",
		Usage: "check every byte of an index against its checksums",
		Description: `Reads the whole index: segments, deleted documents, logs and learnt weights. It checks the checksums, the order
of what is sorted, and what the parts of a segment say of each other. Ends with status 0 if all is sound. Otherwise it
names all damage, one line each with file, section, offset and what can be done, and ends with status 2; see
simsearch repair. Files that the manifest does not name are listed; they are no part of the index.`,
		Flags:  slices.Concat([]cli.Flag{c.IndexFlag()}, c.CommonFlags()),
		Action: env.action(c, runVerify),
	}
}

func runVerify(env *environment, c *options.Flags) error {
	e, err := index.Verify(c.Context, c.Index.Value)
	if err != nil {
		return err
	}
	if err := leftovers(env, c); err != nil {
		return err
	}
	if len(e.Damages) > 0 {
		return env.printDamages(c, e.Damages)
	}
	if c.Common.JSON {
		return env.newRows(true).Print(col("ok", true), col("documents", e.Documents), col("bytes", e.Bytes))
	}
	if !c.Common.Quiet {
		fmt.Fprintf(env.stderr, "sound: %s, %d bytes\n", terminal.Plural(e.Documents, "document"), e.Bytes)
	}
	return nil
}

// printDamages prints damage of an index, and returns the error of it.
func (env *environment) printDamages(c *options.Flags, damages []index.Damage) error {
	for _, d := range damages {
		if c.Common.JSON {
			if err := env.printObject(struct {
				OK bool `json:"ok"`
				index.Damage
			}{false, d}); err != nil {
				return err
			}
			continue
		}
		where := filepath.Join(c.Index.Value, d.File)
		if d.Section != "" {
			where += ": section " + d.Section
		}
		if d.Offset >= 0 {
			where += fmt.Sprintf(" at offset %d", d.Offset)
		}
		fmt.Fprintf(env.stderr, "simsearch: %s: %s; %s\n", where, d.Reason, d.Remedy)
	}
	return fmt.Errorf("%w: %s in %s", index.ErrCorrupt, terminal.Plural(len(damages), "damage"), c.Index.Value)
}

// leftovers lists the files that an interrupted run has left.
func leftovers(env *environment, c *options.Flags) error {
	files, err := index.Leftovers(c.Index.Value)
	for _, f := range files {
		if f.Reserved && !c.Common.Quiet {
			fmt.Fprintf(env.stderr, "simsearch: %s: left by an interrupted run, or being written; the next run removes it\n", filepath.Join(c.Index.Value, f.Name))
		}
	}
	return err
}
