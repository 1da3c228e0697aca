package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/idtext"
	"simsearch/internal/progress"
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
		Flags: slices.Concat([]cli.Flag{indexFlag(), explainFlag(),
			&cli.BoolFlag{Name: "chain", Category: outputGroup, DisableDefaultText: true, Usage: "make groups of whatever near pairs connect"},
		}, predicateFlags(), commonFlags()),
		Action: func(c *cli.Context) error {
			return env.withIndex(c, func(o common, ix *index.Snapshot) error { return runGroups(env, c, o, ix) })
		},
	}
}

// A groupRow is a group as JSON.
type groupRow struct {
	V              int      `json:"v,omitempty"`
	Group          int      `json:"group"`
	Size           int      `json:"size"`
	Representative string   `json:"representative"`
	MinSimilarity  *float64 `json:"min_similarity,omitempty"`
	MaxDistance    *int     `json:"max_distance,omitempty"`
	Estimated      bool     `json:"estimated,omitempty"`
	IDs            []string `json:"ids"`
}

func runGroups(env *environment, c *cli.Context, o common, ix *index.Snapshot) error {
	near, err := predicate(c, ix)
	if err != nil {
		return err
	}
	how := index.GroupOptions{Chain: c.Bool("chain"), Threads: o.threads, PairsInMemory: holdPairs(o.memory, ix.Len())}
	meter := progress.StartParts(env.stderr, o.progress, "grouping", &how.Progress)
	defer meter.Stop()
	if c.Bool("explain-plan") {
		how.Explain = func(plan string) { meter.Print("simsearch: " + plan) }
	}
	out := env.newRows(false)
	n, apart, documents := 0, 0, 0
	err = ix.Groups(c.Context, near.Predicate, how, func(g index.Group) error {
		n, documents = n+1, documents+len(g.Documents)
		if g.Apart {
			apart++
		}
		ids, err := groupIDs(ix, g)
		if err != nil {
			return err
		}
		if o.json {
			return printGroup(env, near, n, g, ids)
		}
		extreme := col("min_similarity", g.Jaccard)
		if !near.BySets() {
			extreme = col("max_distance", g.Distance)
		}
		for _, id := range ids {
			if err := out.Print(col("group", n), col("size", len(ids)), extreme, col("id", id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !o.quiet && n > 0 {
		fmt.Fprintf(env.stderr, "simsearch: %s of %s in all", terminal.Plural(n, "group"), terminal.Plural(documents, "document"))
		if apart > 0 && how.Chain {
			fmt.Fprintf(env.stderr, "; %s of them chain what is not near: leave --chain out for groups whose documents are all near one", terminal.Thousands(apart))
		}
		fmt.Fprintln(env.stderr)
	}
	if o.json && n > 0 {
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

// printGroup prints a group as a JSON object.
func printGroup(env *environment, near nearness, n int, g index.Group, ids []string) error {
	for i, id := range ids {
		ids[i] = idtext.String.Text(id)
	}
	row := groupRow{Group: n, Size: len(ids), Representative: ids[0], Estimated: g.Estimated, IDs: ids}
	if n == 1 {
		row.V = 1
	}
	if near.BySets() {
		row.MinSimilarity = &g.Jaccard
	} else {
		row.MaxDistance = &g.Distance
	}
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	_, err = env.objects().Write(append(line, '\n'))
	return err
}
