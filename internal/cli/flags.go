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

	"simsearch/fingerprint"
	"simsearch/internal/clean/decontaminate"
	"simsearch/internal/clean/dedup"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/lsh"
	"simsearch/internal/quality/explain"
	"simsearch/internal/quality/truth"
	"simsearch/preprocess"
)

type (
	text  = Flag[string]
	list  = Flag[[]string]
	yes   = Flag[bool]
	whole = Flag[int]
	share = Flag[float64]
)

// Flags are the flags of a command with their values, and its arguments. A command declares those that it has; the
// others are never given, and have zero values.
type Flags struct {
	Context context.Context
	Command *Command
	Args    []string
	Of      *Flags // of the inputs that near, pairs and groups are asked of; nil for an index
	Stdin   io.Reader
	Decided func(corpus.Decision) // is told how inputs are read, unless --quiet is given

	JSON, Quiet, ExplainPlan, Show yes
	Threads                        whole
	Memory                         Flag[int64] // in bytes
	Progress                       string      // terminal.Bar, Log or NoProgress
	Index                          text
	wantsIndex                     bool

	// how files are read
	Format             Flag[corpus.Format]
	Tokens             int // of a function that is a document, at least; 0 if nobody says
	FilesFrom, Include list
	IDField, TextField text
	Without            Flag[Without]
	MaxDocument        Flag[int64]
	Skip               Flag[skipped]
	Inputs             []AnyFlag // all of these, if they are declared

	// settings of an index
	Preset      Flag[analysis.Preset]
	Mode        Flag[analysis.Mode]
	Features    Flag[preprocess.FeatureSpec]
	Weights     Flag[fingerprint.Weighting]
	Lang        text
	Bits, Perms whole
	Seed        Flag[uint64]
	Hash        Flag[fingerprint.Hash]
	settings    []AnyFlag // those of SettingsFlags, if they are declared

	// for which searches an index is planned, and what becomes of what it has
	Blocks, HeaderBlocks whole
	Gather, KeepFields   text
	Sync                 yes
	plans                bool // --k and --jaccard say for which searches an index is planned
	Store                Flag[index.Keep]
	Bands                Flag[lsh.Bands]

	// which documents are near, and which can be answers
	K, Nearest, Limit                        whole
	Jaccard, Contained, Copy, Cosine, Recall share
	Text, Fingerprint, ID                    text // queries
	Where                                    list
	New, Matched, Add                        yes

	// which passages count
	Passages             yes
	PassageWords         whole
	PassageEdits         share
	Boilerplate, Against list

	// what is removed
	By                                 Flag[dedup.Level]
	Group, Out, From                   text
	Review                             whole
	KeepWhich                          Flag[dedup.Keep]
	Spare                              Flag[explain.FactKinds]
	Annotate, DryRun, Append, Lossless yes
	deciding                           []AnyFlag // those that say what is near and what is kept, if they are declared

	// of one command
	Test, In                    list
	Purify                      Flag[decontaminate.Purify]
	Share                       Flag[corpus.Share]
	Part, Parts                 whole
	Data, TokenFile             text
	Listen, Host, Mount         list
	Truth, Experiment           text
	Want                        Flag[truth.Demands]
	BandsTried                  Flag[[]lsh.Bands]
	ByField, As, Deleted        text
	ReadOnly, Write, Stdio, MCP yes
	Recommend, Alone            yes
}

// Read sets the values of c by what is given to its command, which is checked as far as it is alike in all commands.
// onTerminal says whether there is a person at standard error, who is shown a bar. The limit of memory holds for the
// process from now on.
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
	if c.Progress = map[bool]string{true: terminal.Bar, false: terminal.Log}[onTerminal]; c.Quiet.Value {
		c.Progress = terminal.NoProgress
	}
	if err := cmp.Or(c.checkInputs(), c.checkStores()); err != nil {
		return err
	}
	c.takeCollection()
	switch {
	case c.Of != nil && !c.Of.HasInputs():
		return fmt.Errorf("which documents? name files or directories%s, or an index with --index DIR",
			terminal.If(c.queries() > 0, " behind the query"))
	case c.wantsIndex && c.Index.Value == "" && c.Of == nil && !c.OfInputs():
		return errors.New("which index? name its directory with --index DIR")
	}
	return nil
}

// CommonFlags returns the flags that every command has.
func (c *Flags) CommonFlags() []AnyFlag {
	return InGroup(OutputGroup, []AnyFlag{
		c.JSON.As("json", "print one JSON object a line; the first has \"v\": 1"),
		c.Threads.As("threads", "use `N` threads").By(AtLeast(0, "0 or more")).Told("one a processor"),
		c.Memory.As("memory", "use about `SIZE` of memory, such as 2GB").By(readMemory).Told("half of the machine's, or less"),
		c.Quiet.As("quiet", "print no progress and no summary"),
	})
}

// readMemory reads the value of --memory; "" is none.
func readMemory(s string) (n int64, err error) {
	if s == "" {
		return 0, nil
	}
	if n, err = parseSize(s); err == nil && n < 1e6 && strings.Trim(s, "0123456789.") == "" {
		err = unfit("that is " + terminal.Plural(int(n), "byte") +
			", too little for any work: give a unit, too, such as 2GB or 800MB")
	}
	return n, err
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
func (c *Flags) IndexFlag() AnyFlag {
	c.wantsIndex = true
	return c.Index.As("index", IndexUsage).Env(IndexVariable).Once()
}

// OfIndex returns the flags of a command on an index that has no other.
func (c *Flags) OfIndex() []AnyFlag { return append([]AnyFlag{c.IndexFlag()}, c.CommonFlags()...) }

// ExplainFlag returns the flag --explain-plan.
func (c *Flags) ExplainFlag() AnyFlag {
	return c.ExplainPlan.As("explain-plan", "say on standard error how tables are built or queries answered, and why").In(OutputGroup)
}

// ShowFlag returns the flag that asks for the texts of what is found.
func (c *Flags) ShowFlag() AnyFlag {
	return c.Show.As("show", "show titles and the passages that differ (the drug is [-safe-] {+not safe+} for)").In(OutputGroup)
}
