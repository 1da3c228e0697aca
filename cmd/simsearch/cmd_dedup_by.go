package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"simsearch/dedup"
)

// cutParts cuts lines or paragraphs. Without a directory out, standard input is written to w.
func cutParts(c *cli.Context, o dedup.Options, out string, w io.Writer) (dedup.CutResult, error) {
	if out == "" {
		return dedup.CutStream(c.Context, c.StringSlice("against"), w, o)
	}
	return dedup.Cut(c.Context, c.StringSlice("against"), c.Args().Slice(), out, o)
}

// tellOfCuts tells what was cut. bad is how many documents could not be read.
func (env *environment) tellOfCuts(r *dedup.CutResult, bad int, quiet, skipBad bool) error {
	env.tellMoreBad(max(bad, r.Bad), min(bad, mostTold))
	for _, warning := range r.Warnings() {
		fmt.Fprintln(env.stderr, "simsearch: "+warning)
	}
	if !quiet {
		fmt.Fprintln(env.stderr, "simsearch: "+r.Summary())
	}
	if r.Bad > 0 && !skipBad {
		return errReported
	}
	return nil
}
