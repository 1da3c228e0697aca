package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/fingerprint"
	"simsearch/index"
)

func pairsCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:  "pairs",
		Usage: "list all near pairs of the collection",
		Description: `Prints every pair of documents whose fingerprints differ in at most k bits, once: a, b,
distance and similarity, a before b in the order of the collection, ordered by a and b.

   simsearch pairs --index idx --k 3`,
		Flags: slices.Concat([]cli.Flag{indexFlag(), distanceFlag()}, commonFlags()),
		Action: func(c *cli.Context) error {
			return env.withIndex(c, func(o common, ix *index.Index) error { return runPairs(env, c, o, ix) })
		},
	}
}

func runPairs(env *environment, c *cli.Context, o common, ix *index.Index) error {
	bits := ix.Settings().Bits
	k, err := distance(c, bits)
	if err != nil {
		return err
	}
	out := env.newRows(o.json)
	err = ix.Pairs(c.Context, k, o.threads, func(p index.Pair) error {
		a, err := ix.ID(p.A)
		if err != nil {
			return err
		}
		b, err := ix.ID(p.B)
		if err != nil {
			return err
		}
		return out.print(column{"a", string(a)}, column{"b", string(b)}, column{"distance", p.Distance},
			column{"similarity", fingerprint.Similarity(p.Distance, bits)})
	})
	if err != nil {
		return err
	}
	return out.end()
}
