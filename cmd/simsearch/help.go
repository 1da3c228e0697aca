package main

import (
	"flag"

	"github.com/urfave/cli/v2"
)

// A helpFlag is the flag --help of every command. The library has one for all programs of a
// process, and each run of one writes to it: so runs side by side, as in tests, get a copy each.
type helpFlag struct{ *cli.BoolFlag }

// Apply adds a copy of the flag to set.
func (h helpFlag) Apply(set *flag.FlagSet) error {
	its := *h.BoolFlag
	return its.Apply(set)
}

func init() {
	if shared, ok := cli.HelpFlag.(*cli.BoolFlag); ok {
		cli.HelpFlag = helpFlag{shared}
	}
}
