package main

import (
	"encoding/json"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/options"
	"simsearch/internal/results"
)

func infoCommand(env *environment) *cli.Command {
	c := new(options.Flags)
	return &cli.Command{
		Name:        "info",
		Usage:       "say what an index holds",
		Description: "Prints the settings, the number of documents and the size of each part of an index.",
		Flags:       slices.Concat([]cli.Flag{c.IndexFlag()}, c.CommonFlags()),
		Action:      env.action(c, onIndex(runInfo)),
	}
}

func runInfo(env *environment, c *options.Flags, ix *index.Snapshot) error {
	if c.Common.JSON {
		return env.printObject(struct {
			V int `json:"v"`
			index.Info
		}{1, ix.Info()})
	}
	return results.PrintInfo(env.stdout, ix)
}

// printObject prints v as a JSON object on one line.
func (env *environment) printObject(v any) error {
	return json.NewEncoder(env.objects()).Encode(v)
}
