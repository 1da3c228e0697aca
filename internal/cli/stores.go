package cli

import (
	"fmt"
	"slices"

	"simsearch/internal/ground/objects"
)

// checkStores returns an error if objects of a store are given where only files of this machine can be.
func (c *Flags) checkStores() error {
	object := func(names []string) string { // the first one
		return append(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !objects.Is(name) }), "")[0]
	}
	name, index, out, from, boilerplate, input := c.Command.Name, c.Index.Value, c.Out.Value, c.dedupFlags.From.Value, object(c.Boilerplate.Value), object(c.Args)
	return Mistakes{
		{objects.Is(index), fmt.Sprintf("--index %s: an index is in a directory of this machine; inputs, and results of dedup, may be in a store", index)},
		{objects.Is(out) && name != "dedup", fmt.Sprintf("--out %s: %s writes to a directory of this machine; only dedup writes to a store", out, name)},
		{objects.Is(from), fmt.Sprintf("--from %s: want what is on this machine: fetch it from the store first", from)},
		{boilerplate != "" && name == "dedup", fmt.Sprintf("--boilerplate %s: want a file of this machine: fetch it from the store first", boilerplate)},
		{input != "" && name == "watch", input + ": watch looks at folders of this machine; index adds what has come to a store"},
	}.First()
}
