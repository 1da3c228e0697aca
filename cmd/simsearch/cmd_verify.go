package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/index"
)

func verifyCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:        "verify",
		Usage:       "check every byte of an index against its checksums",
		Description: "Reads the whole index. Ends with status 0 if it is sound, else names what is not.",
		Flags:       slices.Concat([]cli.Flag{indexFlag()}, commonFlags()),
		Action: func(c *cli.Context) error {
			return env.withIndex(c, func(o common, ix *index.Index) error { return runVerify(env, o, ix) })
		},
	}
}

func runVerify(env *environment, o common, ix *index.Index) error {
	if err := ix.Verify(); err != nil {
		return err
	}
	if o.json {
		return env.newRows(true).print(column{"ok", true}, column{"documents", ix.Len()}, column{"bytes", ix.Info().Bytes})
	}
	if !o.quiet {
		fmt.Fprintf(env.stderr, "sound: %s, %d bytes\n", plural(ix.Len(), "document"), ix.Info().Bytes)
	}
	return nil
}
