package cli

import (
	"fmt"
	"slices"

	"simsearch/internal/ground/objects"
)

// checkStores returns an error if objects of a store are given where only files of this machine can be.
func (c *Flags) checkStores() error {
	name := c.Command.Name
	if index := c.Index.Value; objects.Is(index) {
		return fmt.Errorf("--index %s: an index is in a directory of this machine; inputs, and results of dedup, may be in a store", index)
	}
	if out := c.Out.Value; objects.Is(out) && name != "dedup" {
		return fmt.Errorf("--out %s: %s writes to a directory of this machine; only dedup writes to a store", out, name)
	}
	for flag, file := range map[string]string{"from": c.dedupFlags.From.Value} {
		if objects.Is(file) {
			return fmt.Errorf("--%s %s: want what is on this machine: fetch it from the store first", flag, file)
		}
	}
	if i := slices.IndexFunc(c.Boilerplate.Value, objects.Is); i >= 0 && name == "dedup" {
		return fmt.Errorf("--boilerplate %s: want a file of this machine: fetch it from the store first", c.Boilerplate.Value[i])
	}
	if i := slices.IndexFunc(c.Args, objects.Is); i >= 0 {
		if name == "watch" {
			return fmt.Errorf("%s: watch looks at folders of this machine; index adds what has come to a store", c.Args[i])
		}
	}
	return nil
}
