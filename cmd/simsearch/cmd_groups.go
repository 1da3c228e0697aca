package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/options"
	"simsearch/internal/progress"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func groupsCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:  "groups",
		Usage: "list the groups of near documents of the collection",
		Description: `Prints groups of near documents, the largest first. Each line is a document: the number of its
group, the size of the group, the smallest similarity of two of its documents (or, with --k, the
largest distance), and the id. The first document of a group is its representative, and all others
are near it. With --json each line is a group.

With --chain a group is whatever near pairs connect: A and C are in one group if both are near B,
however little A and C have in common. The smallest similarity tells.

   simsearch groups --index idx
   simsearch groups --index idx --jaccard 0.9 --json`,
		Flags: slices.Concat([]cli.Flag{options.IndexFlag(), options.ExplainFlag(),
			&cli.BoolFlag{Name: "chain", Category: options.OutputGroup, DisableDefaultText: true, Usage: "make groups of whatever near pairs connect"},
		}, options.PredicateFlags(), options.CommonFlags()),
		Action: func(c *cli.Context) error {
			return env.withIndex(c, func(o options.Common, ix *index.Snapshot) error { return runGroups(env, c, o, ix) })
		},
	}
}

func runGroups(env *environment, c *cli.Context, o options.Common, ix *index.Snapshot) error {
	near, err := options.Predicate(c, ix)
	if err != nil {
		return err
	}
	how := index.GroupOptions{Chain: c.Bool("chain"), Threads: o.Threads, PairsInMemory: o.PairsInMemory(ix.Len())}
	meter := progress.StartParts(env.stderr, o.Progress, "grouping", &how.Progress)
	defer meter.Stop()
	if c.Bool("explain-plan") {
		how.Explain = func(plan string) { meter.Print("simsearch: " + plan) }
	}
	out := env.newRows(false)
	n, apart, estimated, documents := 0, 0, 0, 0
	err = ix.Groups(c.Context, near.Predicate, how, func(g index.Group) error {
		n, documents = n+1, documents+len(g.Documents)
		if g.Apart {
			apart++
		}
		if g.Estimated {
			estimated++
		}
		ids, err := groupIDs(ix, g)
		if err != nil {
			return err
		}
		if o.JSON {
			return results.PrintGroup(env.objects(), near.Predicate, n, g, ids)
		}
		extreme := col("min_similarity", g.Jaccard)
		if !near.BySets() {
			extreme = col("max_distance", g.Distance)
		}
		for _, id := range ids {
			if err := out.Print(col("group", n), col("size", len(ids)), extreme, name("id", id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !o.Quiet && n > 0 {
		fmt.Fprintf(env.stderr, "simsearch: %s of %s in all", terminal.Plural(n, "group"), terminal.Plural(documents, "document"))
		if apart > 0 && how.Chain {
			fmt.Fprintf(env.stderr, "; %s of them chain what is not near: leave --chain out for groups whose documents are all near one", terminal.Thousands(apart))
		}
		if estimated > 0 {
			fmt.Fprintf(env.stderr, "; %s of them so large that a part of their pairs was compared, and the extreme may be worse than printed", terminal.Thousands(estimated))
		}
		fmt.Fprintln(env.stderr)
	}
	if o.JSON && n > 0 {
		return nil
	}
	return end(out)
}

// groupIDs returns the ids of a group, its representative first.
func groupIDs(ix *index.Snapshot, g index.Group) ([]string, error) {
	ids := make([]string, 1, len(g.Documents))
	for _, doc := range g.Documents {
		id, err := ix.ID(doc)
		if err != nil {
			return nil, err
		}
		if doc == g.Representative {
			ids[0] = string(id)
		} else {
			ids = append(ids, string(id))
		}
	}
	return ids, nil
}
