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
	return &cli.Command{
		Name:  "verify",
		Usage: "check every byte of an index against its checksums",
		Description: `Reads the whole index. Ends with status 0 if it is sound, else names what is not. Files that the
manifest does not name are listed; they are no part of the index.`,
		Flags: slices.Concat([]cli.Flag{options.IndexFlag()}, options.CommonFlags()),
		Action: func(c *cli.Context) error {
			return env.withIndex(c, func(o options.Common, ix *index.Snapshot) error { return runVerify(env, c, o, ix) })
		},
	}
}

func runVerify(env *environment, c *cli.Context, o options.Common, ix *index.Snapshot) error {
	stray, err := leftovers(env, c.String("index"), o)
	if err != nil {
		return err
	}
	if err := ix.VerifyChecksums(); err != nil {
		return err
	}
	if stray > 0 {
		return fmt.Errorf("%w: %s of later commits than %s: an older one has been put back; restore the one that names them, or index their documents again (the next index run moves the files to %s)",
			index.ErrCorrupt, terminal.Plural(stray, "file"), index.ManifestName, filepath.Join(c.String("index"), index.AsideName))
	}
	if o.JSON {
		return env.newRows(true).Print(col("ok", true), col("documents", ix.Len()), col("bytes", ix.Info().Bytes))
	}
	if !o.Quiet {
		fmt.Fprintf(env.stderr, "sound: %s, %d bytes\n", terminal.Plural(ix.Len(), "document"), ix.Info().Bytes)
	}
	return nil
}

// leftovers lists the files that the manifest does not name. It returns how many of them were
// written by commits later than the manifest.
func leftovers(env *environment, dir string, o options.Common) (later int, err error) {
	files, err := index.Leftovers(dir)
	for _, f := range files {
		what := "left by an interrupted run, or being written; the next run removes it"
		if !f.Reserved {
			later++
			what = "complete, but not a part of the index"
		}
		if !o.Quiet {
			fmt.Fprintf(env.stderr, "simsearch: %s: %s\n", filepath.Join(dir, f.Name), what)
		}
	}
	return later, err
}
