package options

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"
)

// IndexFlag returns the flag --index.
func IndexFlag() cli.Flag {
	return &cli.StringFlag{Name: "index", EnvVars: []string{IndexVariable}, Usage: "the `DIR` of the index"}
}

// IndexDir returns the value of --index. Without one, it returns an error.
func IndexDir(c *cli.Context) (string, error) {
	dir := c.String("index")
	if dir == "" {
		return "", errors.New("which index? name its directory with --index DIR")
	}
	return dir, nil
}

// NoArguments returns an error if there are arguments.
func NoArguments(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("%s takes no arguments, but was given %q", c.Command.Name, c.Args().First())
	}
	return nil
}

// ExplainFlag returns the flag --explain-plan.
func ExplainFlag() cli.Flag {
	return &cli.BoolFlag{Name: "explain-plan", Category: OutputGroup, DisableDefaultText: true, Usage: "say on standard error which tables are built or how queries are answered, and why"}
}
