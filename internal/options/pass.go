package options

import (
	"errors"
	"fmt"

	"simsearch/internal/commandline"
)

// CheckPass checks the flags that pass records through.
func CheckPass(c *Flags) error {
	if !c.New.Value && !c.Matched.Value {
		if c.Add.Value {
			return errors.New("--add adds what --new passes: give --new or --matched, too")
		}
		return nil
	}
	if c.New.Value && c.Matched.Value {
		return errors.New("--new and --matched exclude each other")
	}
	if !HasInputs(c) {
		return errors.New("--new and --matched pass records of an input through: name files, directories or -")
	}
	if name := commandline.FirstGiven(&c.JSON, &c.Limit, &c.Nearest, &c.Show, &c.SQL); name != "" {
		return fmt.Errorf("--%s has no place beside --new and --matched, which print the records of the input as they are", name)
	}
	return nil
}
