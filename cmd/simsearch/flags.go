package main

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/mmap"
	"simsearch/internal/progress"
	"simsearch/internal/terminal"
	"simsearch/preprocess"
)

// commonFlags returns the flags that every command has.
func commonFlags() []cli.Flag {
	return commandline.InGroup(outputGroup, []cli.Flag{
		&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object a line; the first has \"v\": 1"},
		&cli.IntFlag{Name: "threads", Usage: "use `N` threads (0: one a processor)"},
		&cli.StringFlag{Name: "memory", Usage: "make do with about `SIZE` of memory, such as 2GB: smaller tables, pairs in temporary files, harder garbage collection"},
		&cli.BoolFlag{Name: "quiet", DisableDefaultText: true, Usage: "print no progress and no summary"},
		&cli.StringFlag{Name: "progress", Value: progress.Auto, Usage: "show progress as `MODE`: auto, bar, log or none"},
	})
}

// common are the values of commonFlags.
type common struct {
	json     bool
	threads  int
	memory   int64 // bytes; 0 if there is no limit
	quiet    bool
	progress string // never "auto"
}

func (env *environment) common(c *cli.Context) (common, error) {
	o := common{json: c.Bool("json"), threads: c.Int("threads"), quiet: c.Bool("quiet"), progress: c.String("progress")}
	if err := progress.CheckMode(o.progress); err != nil {
		return o, err
	}
	if o.threads < 0 {
		return o, fmt.Errorf("--threads %d: want 0 or more", o.threads)
	}
	if o.threads == 0 {
		o.threads = runtime.GOMAXPROCS(0)
	}
	if s := c.String("memory"); s != "" {
		n, err := commandline.ParseSize("memory", s)
		if err != nil {
			return o, err
		}
		if meant := commandline.UnitMissing(s, n); meant != "" {
			return o, fmt.Errorf("--memory %s: that is %s, too little for any work; did you mean %s?", s, terminal.Plural(int(n), "byte"), meant)
		}
		o.memory = n
		debug.SetMemoryLimit(n)
	}
	switch {
	case o.quiet:
		o.progress = progress.None
	case o.progress == progress.Auto && env.errIsTerminal:
		o.progress = progress.Bar
	case o.progress == progress.Auto:
		o.progress = progress.Log
	}
	return o, nil
}

func indexFlag() cli.Flag {
	return &cli.StringFlag{Name: "index", EnvVars: []string{indexVariable}, Usage: "the `DIR` of the index"}
}

func indexDir(c *cli.Context) (string, error) {
	dir := c.String("index")
	if dir == "" {
		return "", errors.New("which index? name its directory with --index DIR")
	}
	return dir, nil
}

// withIndex runs a command without arguments on the index that the flags name.
func (env *environment) withIndex(c *cli.Context, do func(common, *index.Snapshot) error) error {
	if err := noArguments(c); err != nil {
		return err
	}
	return env.withIndexAndArguments(c, do)
}

// noArguments returns an error if there are arguments.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("%s takes no arguments, but was given %q", c.Command.Name, c.Args().First())
	}
	return nil
}

// withIndexAndArguments opens the index that the flags name, runs do and closes it.
func (env *environment) withIndexAndArguments(c *cli.Context, do func(common, *index.Snapshot) error) (err error) {
	o, err := env.common(c)
	if err != nil {
		return err
	}
	dir, err := indexDir(c)
	if err != nil {
		return err
	}
	ix, err := index.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	// Ids are printed from the maps, so printing is guarded, too.
	if err = mmap.Guarded(func() error { return do(o, ix) }); err == nil || errors.Is(err, errNothing) {
		if changed := ix.Unchanged(); changed != nil {
			return changed
		}
	}
	return err
}

func explainFlag() cli.Flag {
	return &cli.BoolFlag{Name: "explain-plan", Category: outputGroup, DisableDefaultText: true, Usage: "say on standard error which tables are built or how queries are answered, and why"}
}

// settingsFlags returns the flags of the settings. For a flag that is not given, the existing index
// decides, or else the default.
func settingsFlags() []cli.Flag {
	d := analysis.Default()
	return commandline.InGroup(settingsGroup, []cli.Flag{
		&cli.StringFlag{Name: "preset", Usage: "an index of fingerprints alone, by `NAME`: " + strings.Join(presetNames, ", ") + "; what other flags say wins", DefaultText: "none: fingerprints and sets of words"},
		&cli.StringFlag{Name: "mode", Usage: "`MODE` of the index: simhash (fingerprints, searched by distance), minhash (sets of features, searched by Jaccard similarity) or both", DefaultText: d.Mode.String()},
		&cli.StringFlag{Name: "features", Usage: "`KIND` of features: words, word:N, char:N, or items (of sets)", DefaultText: d.Features.String()},
		&cli.StringFlag{Name: "weights", Usage: "`WEIGHTS` of features: tf, log-tf, tfidf or set", DefaultText: d.Weights.String()},
		&cli.StringFlag{Name: "lang", Usage: "drop the stop words of the language `CODE` from the words of fingerprints; none, or auto: of the language found for each document", DefaultText: d.Language},
		&cli.IntFlag{Name: "bits", Usage: "fingerprints of `N` bits: 64 or 32", DefaultText: strconv.Itoa(d.Bits)},
		&cli.IntFlag{Name: "perms", Usage: "MinHash signatures of `N` positions", DefaultText: strconv.Itoa(analysis.DefaultPositions)},
		&cli.Uint64Flag{Name: "seed", Usage: "draw the functions of MinHash by the number `N`"},
		&cli.StringFlag{Name: "hash", Usage: "hash features by `NAME`: murmur3, fnv1a or md5", DefaultText: d.Hash.String()},
	})
}

// ignoreConfiguredSettings ignores all settings of the configuration file, where those of an index hold.
func ignoreConfiguredSettings(c *cli.Context) {
	for _, f := range settingsFlags() {
		commandline.IgnoreConfigured(c, f.Names()...)
	}
}

// A preset is a choice of settings for an index of fingerprints alone, and the distance that suits it.
// docs/EVALUATION.md shows what each finds.
type preset struct {
	features preprocess.FeatureSpec
	weights  fingerprint.Weighting
	k        int
}

var (
	presets = map[string]preset{
		"classic":    {preprocess.FeatureSpec{}, fingerprint.TF, 3},
		"shingles":   {preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}, fingerprint.Set, 10},
		"characters": {preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5}, fingerprint.Set, 10},
	}
	presetNames = []string{"classic", "shingles", "characters"}
)

// presetOf returns the preset that the flags name; ok is false if they name none.
func presetOf(c *cli.Context) (p preset, ok bool, err error) {
	name := c.String("preset")
	if name == "" || !commandline.Has(c, "preset") {
		return p, false, nil
	}
	if p, ok = presets[name]; !ok {
		return p, false, fmt.Errorf("unknown preset %q: want one of %s", name, strings.Join(presetNames, ", "))
	}
	return p, true, nil
}

// settings returns base with the settings that the flags give.
func settings(c *cli.Context, base analysis.Settings) (analysis.Settings, error) {
	p, named, err := presetOf(c)
	if err != nil {
		return base, err
	}
	s := base
	if c.IsSet("preset") { // it comes before defaults of what it decides
		commandline.IgnoreConfigured(c, "mode", "features", "weights", "perms", "seed")
	}
	if named {
		s = analysis.Classic()
		s.Bits, s.Hash = base.Bits, base.Hash
		s.Features, s.Weights = p.features, p.weights
		if p.features != (preprocess.FeatureSpec{}) {
			s.Language = preprocess.NoLanguage
		}
	}
	errs := []error{setFeatures(c, &s)}
	if commandline.Has(c, "bits") {
		s.Bits = c.Int("bits")
	}
	if c.IsSet("perms") || commandline.IsConfigured(c, "perms") && s.Sets() {
		s.Positions = c.Int("perms")
	}
	if c.IsSet("seed") || commandline.IsConfigured(c, "seed") && s.Sets() {
		s.Seed = c.Uint64("seed")
	}
	if errs = append(errs, fingerprint.CheckBits(s.Bits)); errors.Join(errs...) != nil {
		return base, errors.Join(errs...)
	}
	return s.Canonical(), nil
}

// setFeatures sets mode, features, weights and language as the flags say. Features that are given hold
// for fingerprints and for sets. Stop words are dropped from words of fingerprints alone, unless the
// language is given with features that are no words, or for an index of sets alone.
func setFeatures(c *cli.Context, s *analysis.Settings) error {
	had := *s
	var errs []error
	for _, of := range []struct {
		flag string
		into encoding.TextUnmarshaler
	}{{"mode", &s.Mode}, {"features", &s.Features}, {"weights", &s.Weights}, {"hash", &s.Hash}} {
		if commandline.Has(c, of.flag) {
			errs = append(errs, of.into.UnmarshalText([]byte(c.String(of.flag))))
		}
	}
	words := s.Features == preprocess.FeatureSpec{}
	if commandline.Has(c, "features") && s.Features != had.Features && !words {
		s.Language = preprocess.NoLanguage
	}
	if s.Mode == analysis.MinHash && had.Mode != analysis.MinHash && !commandline.Has(c, "features") {
		s.Features, s.Language = had.SetFeatures, cmp.Or(had.SetLanguage, preprocess.NoLanguage)
	} else if s.Mode == analysis.MinHash && had.Mode != analysis.MinHash {
		s.Language = preprocess.NoLanguage
	}
	if c.IsSet("lang") || commandline.IsConfigured(c, "lang") && s.Language != preprocess.NoLanguage {
		s.Language = c.String("lang")
	}
	switch {
	case !s.Sets():
		s.SetFeatures, s.SetLanguage, s.Positions, s.Seed, s.Sketch = preprocess.FeatureSpec{}, "", 0, 0, 0
	case s.Mode == analysis.MinHash, commandline.Has(c, "features") && !words:
		s.SetFeatures, s.SetLanguage = s.Features, s.Language
	case commandline.Has(c, "features"), !had.Sets():
		s.SetFeatures, s.SetLanguage = s.Features, preprocess.NoLanguage
	}
	return errors.Join(errs...)
}

// corpusFlags returns the flags that say how files are read.
func corpusFlags() []cli.Flag {
	return commandline.InGroup(inputGroup, []cli.Flag{
		&cli.StringFlag{Name: "format", Value: corpus.Auto.String(), Usage: "read files as `FORMAT`: auto (by name and content), text, lines, jsonl, json, html, sets or fingerprints"},
		&cli.StringSliceFlag{Name: "files-from", Usage: "read the inputs that `FILE` names, too, one a line or, if it has a NUL, with a NUL behind each; - is standard input"},
		&cli.StringFlag{Name: "id-field", Usage: "the `FIELD` of a JSON record that is its id", DefaultText: "id, else path#line"},
		&cli.StringFlag{Name: "text-field", Usage: "the `FIELD` of a JSON record that is its text; of title,body those that a record has, a line each", DefaultText: "text"},
		&cli.StringFlag{Name: "fingerprint-field", Usage: "the `FIELD` of a JSON record that is its fingerprint, if it has no text"},
		&cli.StringFlag{Name: "max-document", Usage: "leave out documents of more than `SIZE`, and report them as bad", DefaultText: "64MB, less under --memory"},
		&cli.StringSliceFlag{Name: "include", Usage: "of directories, read only the files that `GLOB` matches, such as *.md or docs/**/*.txt"},
		&cli.StringSliceFlag{Name: "exclude", Usage: "of directories, leave out the files and directories that `GLOB` matches"},
		&cli.BoolFlag{Name: "gitignore", DisableDefaultText: true, Usage: "of directories, leave out what .gitignore files name"},
		&cli.BoolFlag{Name: "hidden", DisableDefaultText: true, Usage: "read files and directories whose name begins with a dot, too"},
		&cli.BoolFlag{Name: "skip-bad", DisableDefaultText: true, Usage: "end with status 0 though documents could not be read"},
	})
}

// openCorpus opens the inputs that the arguments name.
func (env *environment) openCorpus(c *cli.Context, bits int) (*corpus.Reader, error) {
	o, err := env.corpusOptions(c, bits)
	if err != nil {
		return nil, err
	}
	return corpus.Open(c.Args().Slice(), o)
}

// hasInputs reports whether arguments or --files-from name inputs.
func hasInputs(c *cli.Context) bool { return c.Args().Present() || c.IsSet("files-from") }

// corpusOptions returns the options for reading inputs that the flags give. Fingerprints have the
// given number of bits.
func (env *environment) corpusOptions(c *cli.Context, bits int) (o corpus.Options, err error) {
	format, err := corpus.ParseFormat(c.String("format"))
	if err != nil {
		return o, err
	}
	o = corpus.Options{
		Format:           format,
		IDField:          c.String("id-field"),
		TextField:        c.String("text-field"),
		FingerprintField: c.String("fingerprint-field"),
		FingerprintBits:  bits,
		// What the configuration file says of fields is for inputs that have them.
		FieldsOptional: !c.IsSet("id-field") && !c.IsSet("text-field") && !c.IsSet("fingerprint-field"),
		FilesFrom:      c.StringSlice("files-from"),
		Include:        c.StringSlice("include"),
		Exclude:        c.StringSlice("exclude"),
		GitIgnore:      c.Bool("gitignore"),
		Hidden:         c.Bool("hidden"),
		Lenient:        c.Bool("skip-bad"),
		Stdin:          env.stdin,
		Context:        c.Context,
	}
	if err := corpus.CheckPatterns(slices.Concat(o.Include, o.Exclude)); err != nil {
		return o, err
	}
	if !c.Bool("quiet") {
		o.Decided = env.inputs().Decided
	}
	for _, size := range []struct {
		flag string
		into *int64
	}{{"max-document", &o.MaxDocument}, {"memory", &o.Memory}} {
		if s := c.String(size.flag); s != "" {
			if *size.into, err = commandline.ParseSize(size.flag, s); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}
