package options

import "github.com/urfave/cli/v2"

// ShowFlag returns the flag that asks for the texts of what is found.
func (c *Flags) ShowFlag() cli.Flag {
	return c.Show.As("show", "show titles and the passages that differ: the drug is [-safe-] {+not safe+} for").In(OutputGroup)
}
