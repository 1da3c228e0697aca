package options

import (
	"github.com/urfave/cli/v2"
)

// IndexUsage describes --index.
const IndexUsage = "the `DIR` of the index"

// IndexFlag returns the flag --index of a command that cannot do without it.
func (c *Flags) IndexFlag() cli.Flag {
	c.wantsIndex = true
	return c.Index.As("index", IndexUsage).Env(IndexVariable)
}

// ExplainFlag returns the flag --explain-plan.
func (c *Flags) ExplainFlag() cli.Flag {
	return c.ExplainPlan.As("explain-plan", "say on standard error which tables are built or how queries are answered, and why").In(OutputGroup)
}
