package options

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/dedup"
	"simsearch/fingerprint"
	"simsearch/imagehash"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/lsh"
	"simsearch/minhash"
	"simsearch/preprocess"
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

	// CommonFlags, IndexFlag, ExplainFlag and ShowFlag
	JSON, Quiet, ExplainPlan, Show yes
	Threads                        whole
	Memory, Progress, Index        text

	// CorpusFlags
	Format                                            commandline.Flag[corpus.Format]
	FilesFrom, Include, Exclude                       list
	IDField, TextField, FingerprintField, MailWithout text
	MaxDocument                                       commandline.Flag[int64]
	GitIgnore, Hidden, SkipBad                        yes

	// SettingsFlags
	Preset      commandline.Flag[preset]
	Mode        commandline.Flag[analysis.Mode]
	Features    commandline.Flag[preprocess.FeatureSpec]
	Weights     commandline.Flag[fingerprint.Weighting]
	Lang        text
	Bits, Perms whole
	Seed        commandline.Flag[uint64]
	Sketch      commandline.Flag[minhash.Variant]
	Hash        commandline.Flag[fingerprint.Hash]
	ImageHash   commandline.Flag[imagehash.Kind]

	// PlanFlags and UpdateFlags
	PlanK, Blocks, HeaderBlocks whole
	PlanJaccard, WeighMisses    share
	Gather, Transpose, Sync     yes
	KeepFields                  text
	KeepTexts                   commandline.Flag[index.Keep]
	OnConflict                  commandline.Flag[index.Conflict]

	// PredicateFlags and WhereFlags
	K, Nearest, Limit                   whole
	Similarity, Jaccard, Cosine, Recall share
	Bands                               commandline.Flag[lsh.Bands]
	Verify                              commandline.Flag[index.Verification]
	Where                               list
	Since, Until                        commandline.Flag[span]
	DateField                           text

	// DedupFlags
	Contained, MaxDF, Rethreshold share
	By                            commandline.Flag[dedup.Level]
	MinWords                      whole
	Ignore, Group, Out, Replay    text
	KeepWhich                     commandline.Flag[dedup.Keep]
	Prefer, Against               list
	SkipBinary, Annotate, DryRun  yes

	// flags of one command
	Truth, TruthFeatures, Experiment, Protocol text
	Floor, MinPrecision, MinRecall, MinShare   share
	Sample, Top, MinNear                       whole
	BandsTried                                 commandline.Flag[[]lsh.Bands]
	Recommend, New, Matched, Add, SQL          yes
	Text, Fingerprint, ID, IDs, IDF            text
	ByField, GroupFormat, CurrentOf, As        text
	Collapse, Chain, Revive, Drop              yes
	Every                                      commandline.Flag[time.Duration]

	wantsIndex bool

	// Those that are declared: Inputs say how files are read.
	Inputs, settings, deciding, writing, again []cli.Flag
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
