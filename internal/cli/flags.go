package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/lsh"
	"simsearch/internal/quality/truth"
)

type (
	text  = Flag[string]
	list  = Flag[[]string]
	yes   = Flag[bool]
	whole = Flag[int]
	share = Flag[float64]
)

// Flags are the flags of a command with their values, and its arguments. A command declares those that it has; the others
// are never given, and have zero values.
type Flags struct {
	Context context.Context
	Command *Command
	Args    []string
	Of      *Flags // of the inputs that near, pairs and groups are asked of; nil for an index
	Stdin   io.Reader
	Decided func(corpus.Decision) // is told how inputs are read, unless --quiet is given

	commonFlags
	corpusFlags
	settingsFlags
	planFlags
	bandFlags
	nearFlags
	whereFlags
	dedupFlags
	decontaminateFlags
	stepFlags
	passageFlags
	serveFlags

	// flags of one command
	Truth, Experiment            text
	Want                         Flag[truth.Demands]
	BandsTried                   Flag[[]lsh.Bands]
	Recommend, New, Matched, Add yes
	ID, ByField, As              text
	Deleted                      text
}

// commonFlags are those of CommonFlags, IndexFlag, ExplainFlag and ShowFlag.
type commonFlags struct {
	JSON, Quiet, ExplainPlan, Show yes
	Threads                        whole
	Memory                         Flag[int64] // in bytes
	Progress                       string      // terminal.Bar, Log or NoProgress
	Index                          text

	wantsIndex bool
}

// Read sets the values of c by what is given to its command, which is checked as far as it is alike in all commands. onTerminal
// says whether there is a person at standard error, who is shown a bar. The limit of memory holds for the process from now on.
func (c *Flags) Read(ctx context.Context, command *Command, arguments []string, onTerminal bool) error {
	c.Context, c.Command, c.Args = ctx, command, arguments
	if c.Command.ArgsUsage == "" && len(c.Args) > 0 {
		return fmt.Errorf("%s takes no arguments, but was given %q%s", c.Command.Name, c.Args[0],
			terminal.If(c.wantsIndex && c.Index.Value == "", ": the index is named with --index DIR"))
	}
	if c.Threads.Value == 0 {
		c.Threads.Value = runtime.GOMAXPROCS(0)
	}
	c.Memory.Value = spill.MemoryOr(c.Memory.Value)
	debug.SetMemoryLimit(c.Memory.Value)
	switch {
	case c.Quiet.Value:
		c.Progress = terminal.NoProgress
	case onTerminal:
		c.Progress = terminal.Bar
	default:
		c.Progress = terminal.Log
	}
	if err := cmp.Or(c.checkInputs(), c.checkStores()); err != nil {
		return err
	}
	c.takeCollection()
	switch {
	case c.Of != nil && !c.Of.HasInputs():
		behind := c.Command.Name == "near" && FirstGiven(&c.Text, &c.Fingerprint, &c.ID) == ""
		return fmt.Errorf("which documents? name files or directories%s, or an index with --index DIR",
			terminal.If(behind, " behind the query"))
	case c.wantsIndex && c.Index.Value == "" && c.Of == nil && !c.OfInputs():
		return errors.New("which index? name its directory with --index DIR")
	}
	return nil
}

// CommonFlags returns the flags that every command has.
func (c *commonFlags) CommonFlags() []AnyFlag {
	return InGroup(OutputGroup, []AnyFlag{
		c.JSON.As("json", "print one JSON object a line; the first has \"v\": 1"),
		c.Threads.As("threads", "use `N` threads").By(AtLeast(0, "0 or more")).Told("one a processor"),
		c.Memory.As("memory", "use about `SIZE` of memory, such as 2GB").By(readMemory).Told("half of the machine's, or less"),
		c.Quiet.As("quiet", "print no progress and no summary"),
	})
}

// readMemory reads the value of --memory; "" is none.
func readMemory(name, s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := parseSize(name, s)
	if err != nil {
		return 0, err
	}
	if n < 1e6 && strings.Trim(s, "0123456789.") == "" {
		return 0, fmt.Errorf("--memory %s: that is %s, too little for any work: give a unit, too, such as 2GB or 800MB", s, terminal.Plural(int(n), "byte"))
	}
	return n, nil
}

// IndexVariable is the variable of the environment that gives --index.
const IndexVariable = "SIMSEARCH_INDEX"

// Groups of flags, in the order in which help shows them.
const (
	SearchedGroup = "What to do"
	ServingGroup  = "Who is answered, and where"
	SettingsGroup = "Settings"
	InputGroup    = "Input"
	OutputGroup   = "Output and resources"
)

// IndexUsage describes --index.
const IndexUsage = "the `DIR` of the index"

// IndexFlag returns the flag --index of a command that cannot do without it.
func (c *commonFlags) IndexFlag() AnyFlag {
	c.wantsIndex = true
	return c.Index.As("index", IndexUsage).Env(IndexVariable).Once()
}

// ExplainFlag returns the flag --explain-plan.
func (c *commonFlags) ExplainFlag() AnyFlag {
	return c.ExplainPlan.As("explain-plan", "say on standard error how tables are built or queries answered, and why").In(OutputGroup)
}

// ShowFlag returns the flag that asks for the texts of what is found.
func (c *commonFlags) ShowFlag() AnyFlag {
	return c.Show.As("show", "show titles and the passages that differ (the drug is [-safe-] {+not safe+} for)").In(OutputGroup)
}
