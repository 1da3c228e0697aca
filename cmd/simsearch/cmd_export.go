package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/fingerprint"
	"simsearch/index"
)

func exportCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "write out what an index holds",
		Description: `Prints the collection's fingerprints in its order, a line ID<TAB>HEX each, which
index --format fingerprints reads. Documents without features have none and are left out.

   simsearch export --index idx --as fingerprints > list.txt`,
		Flags: slices.Concat([]cli.Flag{
			indexFlag(),
			&cli.StringFlag{Name: "as", Usage: "what to write, `KIND`: fingerprints"},
		}, commonFlags()),
		Action: func(c *cli.Context) error {
			return env.withIndex(c, func(o common, ix *index.Index) error { return runExport(env, c, o, ix) })
		},
	}
}

func runExport(env *environment, c *cli.Context, o common, ix *index.Index) error {
	if as := c.String("as"); as != "fingerprints" {
		return fmt.Errorf("export --as %q: want fingerprints", as)
	}
	if err := index.Within(0).Check(ix.Settings()); err != nil {
		return err
	}
	if err := ix.Verify(); err != nil {
		return err
	}
	out := &rows{w: env.stdout, json: o.json} // never aligned: it is data
	empty := 0
	for doc := range uint32(ix.Len()) {
		if doc%4096 == 0 && c.Context.Err() != nil {
			return c.Context.Err()
		}
		fp, ok := ix.Fingerprint(doc)
		if !ok {
			empty++
			continue
		}
		id, err := ix.ID(doc)
		if err != nil {
			return err
		}
		if err := out.print(column{"id", string(id)}, column{"fingerprint", fingerprint.Format(fp, ix.Settings().Bits)}); err != nil {
			return err
		}
	}
	if empty > 0 && !o.quiet {
		fmt.Fprintf(env.stderr, "simsearch: %s without features left out\n", plural(empty, "document"))
	}
	return out.end()
}
