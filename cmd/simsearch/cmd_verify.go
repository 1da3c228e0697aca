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
		Action: c.Run(func() error { return runVerify(env, c) }),
	}
}

func runVerify(env *environment, c *options.Flags) error {
	if err := options.NoArguments(c); err != nil {
		return err
	}
	o, err := options.CommonOf(c, env.errIsTerminal)
	if err != nil {
		return err
	}
	dir, err := options.IndexDir(c)
	if err != nil {
		return err
	}
	e, err := index.Verify(c.Context, dir)
	if err != nil {
		return err
	}
	if err := leftovers(env, dir, o); err != nil {
		return err
	}
	if len(e.Damages) > 0 {
		return env.printDamages(dir, o, e.Damages)
	}
	if o.JSON {
		return env.newRows(true).Print(col("ok", true), col("documents", e.Documents), col("bytes", e.Bytes))
	}
	if !o.Quiet {
		fmt.Fprintf(env.stderr, "sound: %s, %d bytes\n", terminal.Plural(e.Documents, "document"), e.Bytes)
	}
	return nil
}

// printDamages prints damage of the index in dir, and returns the error of it.
func (env *environment) printDamages(dir string, o options.Common, damages []index.Damage) error {
	for _, d := range damages {
		if o.JSON {
			if err := env.printObject(struct {
				OK bool `json:"ok"`
				index.Damage
			}{false, d}); err != nil {
				return err
			}
			continue
		}
		where := filepath.Join(dir, d.File)
		if d.Section != "" {
			where += ": section " + d.Section
		}
		if d.Offset >= 0 {
			where += fmt.Sprintf(" at offset %d", d.Offset)
		}
		fmt.Fprintf(env.stderr, "simsearch: %s: %s; %s\n", where, d.Reason, d.Remedy)
	}
	return fmt.Errorf("%w: %s in %s", index.ErrCorrupt, terminal.Plural(len(damages), "damage"), dir)
}

// leftovers lists the files that an interrupted run has left.
func leftovers(env *environment, dir string, o options.Common) error {
	files, err := index.Leftovers(dir)
	for _, f := range files {
		if f.Reserved && !o.Quiet {
			fmt.Fprintf(env.stderr, "simsearch: %s: left by an interrupted run, or being written; the next run removes it\n", filepath.Join(dir, f.Name))
		}
	}
	return err
}
