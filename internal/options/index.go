package options

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"
)

// IndexFlag returns the flag --index.
func (c *Flags) IndexFlag() cli.Flag {
	return c.Index.As("index", "the `DIR` of the index").Env(IndexVariable)
}

// IndexDir returns the value of --index. Without one, it returns an error.
func IndexDir(c *Flags) (string, error) {
	dir := c.Index.Value
	if dir == "" {
		return "", errors.New("which index? name its directory with --index DIR")
	}
	return dir, nil
}

// NoArguments returns an error if there are arguments.
func NoArguments(c *Flags) error {
	if len(c.Args) > 0 {
		return fmt.Errorf("%s takes no arguments, but was given %q", c.Command.Name, c.Args[0])
	}
	return nil
}

// ExplainFlag returns the flag --explain-plan.
func (c *Flags) ExplainFlag() cli.Flag {
	return c.ExplainPlan.As("explain-plan", "say on standard error which tables are built or how queries are answered, and why").In(OutputGroup)
}
