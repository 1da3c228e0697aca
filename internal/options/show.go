package options

import "github.com/urfave/cli/v2"

// ShowFlag returns the flag that asks for the texts of what is found.
func ShowFlag() cli.Flag {
	return &cli.BoolFlag{Name: "show", Category: OutputGroup, DisableDefaultText: true, Usage: "show titles and the passages that differ: the drug is [-safe-] {+not safe+} for"}
}
