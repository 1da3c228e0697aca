package options

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/index"
	"simsearch/internal/commandline"
)

// UpdateFlags returns the flags that say what index does with what the index has already.
func (c *Flags) UpdateFlags() []cli.Flag {
	return []cli.Flag{
		c.OnConflict.As("on-conflict", "do `WHAT` with a document whose id stands for another text in the index: replace (it takes the place of the other), skip (the other stays) or refuse (the other stays, and this one is bad)").Or(index.Replace).By(commandline.Named(index.ParseConflict)),
		c.Sync.As("sync", "make the index what the inputs are: add what is new, replace what has changed and delete what is gone or not among the inputs; files that have not changed since are not read"),
	}
}

// Conflict returns the value of --on-conflict.
func Conflict(c *Flags) (index.Conflict, error) {
	on := c.OnConflict.Value
	if c.Sync.Value {
		switch {
		case on != index.Replace:
			return 0, fmt.Errorf("--sync makes the index what the inputs are, and excludes --on-conflict %s", on)
		case Gathers(c):
			return 0, errors.New("--sync looks at each file by itself, and --gather and --transpose put sets together from all of them")
		}
	}
	return on, nil
}

// ForIndex returns the options for changing an index that exists. They leave everything as the index has it.
func ForIndex(o Common, search analysis.Search) index.WriterOptions {
	return index.WriterOptions{Distance: search.Distance, Threads: o.Threads, Memory: o.Memory, TableBytes: float64(o.Memory)}
}
