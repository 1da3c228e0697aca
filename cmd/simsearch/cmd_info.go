package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/progress"
)

func infoCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:        "info",
		Usage:       "say what an index holds",
		Description: "Prints the settings, the number of documents and the size of each part of an index.",
		Flags:       slices.Concat([]cli.Flag{indexFlag()}, commonFlags()),
		Action: func(c *cli.Context) error {
			return env.withIndex(c, func(o common, ix *index.Index) error { return runInfo(env, o, ix) })
		},
	}
}

func runInfo(env *environment, o common, ix *index.Index) error {
	info := ix.Info()
	if o.json {
		return env.printObject(struct {
			V int `json:"v"`
			index.Info
		}{1, info})
	}
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	s := info.Settings
	fmt.Fprintf(w, "documents\t%s, %s of them without features\n", thousands(info.Documents), thousands(info.Empty))
	fmt.Fprintf(w, "settings\tmode %s, features %s, weights %s, lang %s, bits %d, hash %s\n", s.Mode, s.Features, s.Weights, s.Language, s.Bits, s.Hash)
	fmt.Fprintf(w, "size\t%s in %s\n", progress.Bytes(int64(info.Bytes)), plural(len(info.Segments), "segment"))
	explained := ix.Explain(index.DefaultDistance)
	for i, seg := range info.Segments {
		fmt.Fprintf(w, "\nsegment %s\t%s, %s distinct fingerprints\n", seg.Name, plural(seg.Documents, "document"), thousands(seg.Distinct))
		fmt.Fprintf(w, "  tables\t%s\n", seg.Design)
		_, search, _ := strings.Cut(explained[i], "; ")
		fmt.Fprintf(w, "  search\t%s\n", search)
		for _, sec := range seg.Sections {
			fmt.Fprintf(w, "  %s\t%s\n", sec.Name, progress.Bytes(int64(sec.Bytes)))
		}
	}
	return w.Flush()
}

// printObject prints one JSON object on a line.
func (env *environment) printObject(v any) error {
	return json.NewEncoder(env.stdout).Encode(v)
}
