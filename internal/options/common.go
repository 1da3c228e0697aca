package options

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"simsearch/internal/commandline"
	"simsearch/internal/memory"
	"simsearch/internal/terminal"
)

// CommonFlags returns the flags that every command has.
func (c *Flags) CommonFlags() []cli.Flag {
	return commandline.InGroup(OutputGroup, []cli.Flag{
		c.JSON.As("json", "print one JSON object a line; the first has \"v\": 1"),
		c.Threads.As("threads", "use `N` threads (0: one a processor)").Told("0"),
		c.Memory.As("memory", "make do with about `SIZE` of memory, such as 2GB: smaller parts of an index, smaller tables, pairs in temporary files").Told("half of the machine's, less if less is free"),
		c.Quiet.As("quiet", "print no progress and no summary"),
		c.Progress.As("progress", "show progress as `MODE`: auto, bar, log or none").Or(terminal.Auto),
	})
}

// Common are the values of CommonFlags.
type Common struct {
	JSON     bool
	Threads  int
	Memory   int64 // bytes
	Quiet    bool
	Progress string // never "auto"
}

// commonOf returns the values of CommonFlags. onTerminal says whether there is a person at standard error,
// who is shown a bar. The limit of memory holds for the process from now on.
func commonOf(c *Flags, onTerminal bool) (Common, error) {
	o := Common{JSON: c.JSON.Value, Threads: c.Threads.Value, Quiet: c.Quiet.Value, Progress: c.Progress.Value}
	if err := terminal.CheckMode(cmp.Or(o.Progress, terminal.Auto)); err != nil {
		return o, err
	}
	if o.Threads < 0 {
		return o, fmt.Errorf("--threads %d: want 0 or more", o.Threads)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if s := c.Memory.Value; s != "" {
		n, err := commandline.ParseSize("memory", s)
		if err != nil {
			return o, err
		}
		if meant := commandline.UnitMissing(s, n); meant != "" {
			return o, fmt.Errorf("--memory %s: that is %s, too little for any work; did you mean %s?", s, terminal.Plural(int(n), "byte"), meant)
		}
		o.Memory = n
	}
	o.Memory = memory.Or(o.Memory)
	debug.SetMemoryLimit(o.Memory)
	switch {
	case o.Quiet:
		o.Progress = terminal.NoProgress
	case o.Progress == terminal.Auto && onTerminal:
		o.Progress = terminal.Bar
	case o.Progress == terminal.Auto:
		o.Progress = terminal.Log
	}
	return o, nil
}
