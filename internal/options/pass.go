package options

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"
)

// CheckPass checks the flags that pass records through.
func CheckPass(c *cli.Context) error {
	if !c.Bool("new") && !c.Bool("matched") {
		if c.Bool("add") {
			return errors.New("--add adds what --new passes: give --new or --matched, too")
		}
		return nil
	}
	if c.Bool("new") && c.Bool("matched") {
		return errors.New("--new and --matched exclude each other")
	}
	if !HasInputs(c) {
		return errors.New("--new and --matched pass records of an input through: name files, directories or -")
	}
	excluded := []string{"json", "limit", "nearest", "show", "sql"}
	if i := slices.IndexFunc(excluded, c.IsSet); i >= 0 {
		return fmt.Errorf("--%s has no place beside --new and --matched, which print the records of the input as they are", excluded[i])
	}
	return nil
}
