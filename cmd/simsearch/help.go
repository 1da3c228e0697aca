package main

import (
	"flag"

	"github.com/urfave/cli/v2"
)

// A helpFlag is the flag --help of a command. The library has one such flag for all programs of a
// process, and each run writes to it. So every run gets a copy, since tests run side by side.
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
