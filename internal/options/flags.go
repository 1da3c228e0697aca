// Package options has the flags that commands share, and their values.
package options

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"

	"simsearch/internal/commandline"
	"simsearch/internal/memory"
	"simsearch/internal/terminal"
	"simsearch/lsh"
)

type (
	text  = commandline.Flag[string]
	list  = commandline.Flag[[]string]
	yes   = commandline.Flag[bool]
	whole = commandline.Flag[int]
	share = commandline.Flag[float64]
)

// Flags are the flags of a command with their values, and its arguments. A command declares those that it has; the others
// are never given, and have zero values.
type Flags struct {
	Common  Common // the values of CommonFlags
	Context context.Context
	App     *cli.App
	Command *cli.Command
	Args    []string

	commonFlags
	corpusFlags
	settingsFlags
	planFlags
	bandFlags
	nearFlags
	whereFlags
	dedupFlags

	// flags of one command
	Truth, TruthFeatures, Experiment, Protocol text
	Floor, MinPrecision, MinRecall, MinShare   share
	Sample, Top, MinNear                       whole
	BandsTried                                 commandline.Flag[[]lsh.Bands]
	Recommend, New, Matched, Add, SQL          yes
	ID, IDs, IDF, ByField, GroupFormat, As     text
	Collapse, Chain, Revive, Drop              yes
	Every                                      commandline.Flag[time.Duration]
}

// commonFlags are those of CommonFlags, IndexFlag, ExplainFlag and ShowFlag.
type commonFlags struct {
	JSON, Quiet, ExplainPlan, Show yes
	Threads                        whole
	Memory, Progress, Index        text

	wantsIndex bool
}

// Read sets the values of c by what is given to its command, which is checked as far as it is alike in all commands. onTerminal
// says whether there is a person at standard error, who is shown a bar.
func (c *Flags) Read(given *cli.Context, onTerminal bool) (err error) {
	c.Context, c.App, c.Command, c.Args = given.Context, given.App, given.Command, given.Args().Slice()
	if c.Command.ArgsUsage == "" && len(c.Args) > 0 {
		return fmt.Errorf("%s takes no arguments, but was given %q", c.Command.Name, c.Args[0])
	}
	if c.Common, err = commonOf(c, onTerminal); err == nil && c.wantsIndex && c.Index.Value == "" {
		err = errors.New("which index? name its directory with --index DIR")
	}
	return err
}

// CommonFlags returns the flags that every command has.
func (c *commonFlags) CommonFlags() []cli.Flag {
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

// IndexVariable is the variable of the environment that gives --index.
const IndexVariable = "SIMSEARCH_INDEX"

// Groups of flags, in the order in which help shows them.
const (
	SearchedGroup = "What is searched"
	SettingsGroup = "Settings"
	InputGroup    = "Input"
	OutputGroup   = "Output and resources"
)

// IndexUsage describes --index.
const IndexUsage = "the `DIR` of the index"

// IndexFlag returns the flag --index of a command that cannot do without it.
func (c *commonFlags) IndexFlag() cli.Flag {
	c.wantsIndex = true
	return c.Index.As("index", IndexUsage).Env(IndexVariable)
}

// ExplainFlag returns the flag --explain-plan.
func (c *commonFlags) ExplainFlag() cli.Flag {
	return c.ExplainPlan.As("explain-plan", "say on standard error which tables are built or how queries are answered, and why").In(OutputGroup)
}

// ShowFlag returns the flag that asks for the texts of what is found.
func (c *commonFlags) ShowFlag() cli.Flag {
	return c.Show.As("show", "show titles and the passages that differ: the drug is [-safe-] {+not safe+} for").In(OutputGroup)
}
