package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/fingerprint"
	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/repeats"
	"simsearch/internal/clean/review"
	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/index"
	"simsearch/internal/match/sequences"
	"simsearch/internal/quality/explain"
	"simsearch/preprocess"
)

// DedupFlags returns the flags of dedup.
func (c *Flags) DedupFlags() []AnyFlag {
	return slices.Concat(c.nearAndKept(), InGroup(OutputGroup, []AnyFlag{
		c.Out.As("out", "write to `DIR`, a directory or s3://BUCKET/DIR; it must be new, empty, or the result of the same command"),
		c.Review.As("review", "also write a page to mark `N` removals as right or wrong").By(Whole("a number from 1 to 10000, such as 60", 1, 10_000)),
		c.From.As("from", "decide again on `RESULT`; by another --copy, --jaccard or --k, by a list, or by marks"),
		c.Annotate.As("annotate", "remove nothing, and add fields such as dup_cluster to the documents"),
		c.DryRun.As("dry-run", "write the lists and the report, and no documents"),
	}), c.CorpusFlags(), c.CommonFlags())
}

// deciding returns the flags that say what is near and what is kept.
func (c *Flags) nearAndKept() []AnyFlag {
	c.deciding = append(InGroup(SearchedGroup, []AnyFlag{
		c.Jaccard.As("jaccard", "near is a Jaccard similarity of at least `T`").Alias("threshold").Or(index.DefaultThreshold).
			By(Number("a similarity above 0 and up to 1, such as 0.8", isShare)).Told("0.8 with --append"),
		c.K.As("k", "near is a Hamming distance of at most `N` bits between fingerprints, in place of --jaccard").
			By(Whole(bitsUpTo(dedup.MaxDistance), 0, dedup.MaxDistance)).Told("3 for fingerprints that are read"),
		c.Copy.As("copy", index.Copy.Usage).By(Share).Told("0.6"),
		c.Contained.As("contained", "also remove documents of which the share `C` is inside a longer one, such as 0.9").
			By(Number("a share above 0 and up to 1, such as 0.9", isShare)),
		c.By.As("by", "remove near `PARTS`: document, paragraph, line or passage (words that have occurred before)").
			Or(dedup.Documents).By(dedup.ParseLevel),
		c.PassageWords.As("passage-words", "with --by, cut no passages, paragraphs or lines of fewer than `N` words").Told(fmt.Sprintf("%d for passages, else %d", sequences.Usual.Words, dedup.DefaultMinWords)).
			By(Whole(fmt.Sprintf("a number from 1 to %d, such as 50", repeats.MostWords), 1, repeats.MostWords)),
		c.Boilerplate.As("boilerplate", "do not compare `WHAT`: features of the texts in a file, one a line, or a share such as 0.1 or a number of documents, for the features that more documents have; given again, for both"),
		c.GroupFlag("remove what belongs to a kept document by `HOW`"),
		c.KeepWhich.As("keep", "keep `WHICH` of near documents: cleanest (the longest without what many add), longest, first (of the inputs; first:FIELD=VALUE,VALUE goes by sources or hosts), newest:FIELD, oldest:FIELD, highest:FIELD or lowest:FIELD").Or(dedup.Keep{Way: dedup.Cleanest}).By(dedup.ParseKeep),
		c.Append.As("append", "judge only what is new; earlier decisions stay"),
		c.Lossless.As("lossless", "remove only what the kept document has: each three words in a row, number and name"),
		c.SpareFlag("keep documents that differ from the kept one in `FACTS`"),
		c.Against.As("against", "also remove what is near a document of `INPUT`, files or an index; INPUT is not written; FILE:FIELD names the field of its records that is the text"),
	}), without([]string{"mode", "perms", "seed", "hash"}, c.SettingsFlags())...)
	return c.deciding
}

// GroupFlag returns the flag --group, with what it is for.
func (c *Flags) GroupFlag(usage string) *Flag[string] {
	return c.Group.As("group", usage+": star (it is near the first) or components (near documents connect them)").Or(star).
		By(OneOf("star or components", star, Components))
}

// The values of --group.
const (
	star       = "star"
	Components = "components"
)

// SpareFlag returns the flag --spare, with what it is for.
func (c *Flags) SpareFlag(usage string) AnyFlag {
	return c.Spare.As("spare", usage+": numbers, negations, symbols, names, order, or all").
		By(explain.ParseFacts).In(SearchedGroup)
}

// Dedup returns what the flags say of dedup. Files are read as the other flags say. unread says that the texts are not
// at hand when it is decided.
func Dedup(flags *Flags, of From, unread bool) (dedup.Options, error) {
	c := &deduping{Flags: flags, of: of, unread: unread}
	c.o = dedup.Options{Options: run.Options{Threads: c.Threads.Value}, Settings: flags.ofCode(dedup.DefaultSettings()), Threshold: c.Jaccard.Value,
		Chain: c.Group.Value == Components, Keep: c.KeepWhich.Value, Spare: c.Spare.Value, Append: c.Append.Value, Lossless: c.Lossless.Value,
		Annotate: c.Annotate.Value, DryRun: c.DryRun.Value, Memory: c.Memory.Value}
	for _, set := range []func() error{c.leaveOut, c.against, c.contained, c.features, c.level, c.copies, c.from} {
		if err := set(); err != nil {
			return c.o, err
		}
	}
	return c.o, nil
}

// leaveOut sets what --boilerplate leaves out.
func (c *deduping) leaveOut() error {
	files, many, err := c.boilerplate(2)
	if err == nil && len(files) > 1 {
		err = fmt.Errorf("--boilerplate %s: want one file, and a number besides", files[1])
	}
	c.o.Ignore, c.o.MaxDF = strings.Join(files, ""), many
	return err
}

// against takes the field off the values of --against such as FILE:FIELD. All have it, or none has.
func (c *deduping) against() error {
	var names []string
	for i, value := range c.Against.Value {
		name, of := value, ""
		if at := strings.LastIndexByte(value, ':'); at > 1 && at < len(value)-1 && !strings.ContainsAny(value[at:], `/\`) {
			if _, err := os.Lstat(value); err != nil {
				name, of = value[:at], value[at+1:]
			}
		}
		if i > 0 && of != c.o.AgainstField {
			return fmt.Errorf("--against %s: name the same field with each", value)
		}
		names, c.o.AgainstField = append(names, name), of
	}
	c.Against.Value = names
	return nil
}

// A deduping is what the flags say of dedup, while it is found out.
type deduping struct {
	*Flags
	of     From
	o      dedup.Options
	unread bool // the texts are not at hand when it is decided
}

// from checks the flags that do not go with --from. That of a result has the rules of that.
func (c *deduping) from() error {
	var others []AnyFlag
	because := "what is removed stands in the list"
	switch {
	case c.of.Result != "":
		again := []string{"jaccard", "k", "copy", "skip"}
		others = without(again, c.deciding, c.Inputs)
		because = "files, features and what is kept are those of the earlier run"
	case c.of.List != "":
		others = slices.Concat(c.deciding, []AnyFlag{&c.Annotate, &c.DryRun, &c.Review})
	}
	name := FirstGiven(others...)
	return Mistakes{
		{name != "", "--from and --" + name + " exclude each other: " + because},
		{c.o.Annotate && c.DryRun.Value,
			"--annotate with --dry-run: a dry run writes no documents; leave one of them out"},
	}.First()
}

// A From is what --from names: a result that is decided again, a list of what is removed, or marks.
type From struct {
	Result, List string
	Marks        *review.Marks
}

// FromOf finds out what --from names. With inputs, it is the list of a result.
func FromOf(c *Flags) (of From, err error) {
	path := c.From.Value
	if !c.From.Given || objects.Is(path) || path == corpus.Stdin.Path {
		return of, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if !c.HasInputs() {
			return From{Result: path}, nil
		}
		return From{List: filepath.Join(path, run.RemovedName)}, nil
	}
	f, err := disk.Open(path)
	if err != nil {
		return of, err
	}
	defer f.Close()
	if of.Marks, err = review.ReadMarks(f); errors.Is(err, review.ErrNoMarks) {
		return From{List: path}, nil
	} else if err != nil {
		return of, fmt.Errorf("%s: %w", path, err)
	}
	return of, nil
}

// contained sets which share of a document is inside another one. Long texts have most of the words of short ones
// by chance, so that words in their order are compared.
func (c *deduping) contained() error {
	if c.o.Contained = c.Contained.Value; c.o.Contained == 0 {
		return nil
	}
	c.o.Settings.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}
	return Mistakes{
		{c.Group.Value == Components, "--contained with --group components: each removed document is inside the one that is kept"},
		{c.KeepWhich.Given, "--contained with --keep: of a document and one that contains it, the longer is kept"},
		{c.By.Value != dedup.Documents, fmt.Sprintf("--contained with --by %s: it is for whole documents", c.By.Value)},
	}.First()
}

// copies makes near what a judge takes for a copy.
func (c *deduping) copies() error {
	other := FirstGiven(&c.Jaccard, &c.K, &c.Contained, &c.Boilerplate, &c.Append, &c.Features, &c.Preset)
	texts := c.o.Settings.Mode != analysis.SimHash && c.o.Settings.SetFeatures.Kind != preprocess.Items
	if !c.Copy.Given {
		words := c.o.Settings.SetFeatures == (preprocess.FeatureSpec{}) && !c.Jaccard.Has() && !c.Boilerplate.Has()
		if other == "" && texts && words && c.By.Value == dedup.Documents && !c.unread && !slices.ContainsFunc(c.Against.Value, forgetsTexts) {
			c.o.Copy, c.o.Threshold = index.DefaultCopy, index.CopyFloor
		}
		return nil
	}
	c.o.Copy, c.o.Threshold = c.Copy.Value, index.CopyFloor
	return Mistakes{
		{other != "", fmt.Sprintf("--copy and --%s exclude each other: a judge compares whole texts by all that they have", other)},
		{c.By.Value != dedup.Documents, fmt.Sprintf("--copy with --by %s: it is for whole documents", c.By.Value)},
		{!texts, "--copy is for texts"},
	}.First()
}

// forgetsTexts reports whether a reference is an index that keeps no texts, which a judge would have to compare.
func forgetsTexts(reference string) bool {
	m, err := index.ReadManifest(reference)
	return err == nil && m.Kept() != index.KeepText
}

// level sets what is removed: documents, or parts of them.
func (c *deduping) level() error {
	c.o.By, c.o.MinWords = c.By.Value, dedup.DefaultMinWords
	Put(&c.PassageWords, &c.o.MinWords)
	by, parts := c.o.By, c.o.By != dedup.Documents
	return Mistakes{
		{parts && c.Review.Given, fmt.Sprintf("--by %s with --review: it is for whole documents", by)},
		{c.o.Spare != 0 && c.Format.Value == corpus.Fingerprints,
			"--spare with fingerprints that are read: they have no facts"},
		{c.o.Spare != 0 && parts, fmt.Sprintf("--spare with --by %s: it is for whole documents", by)},
		{c.o.Spare != 0 && c.o.Chain, "--spare with --group components: what differs is the document and the one that is kept for it"},
		{c.o.Spare != 0 && c.readsPictures(), "--spare with --format image: pictures have no facts"},
		{c.o.Append && (c.o.Chain || c.o.Contained > 0), "--append with --group components or --contained: what is new can connect or contain what was kept"},
		{c.o.Append && (parts || c.o.MaxDF > 0 || c.o.Ignore != "" || c.readsPictures()),
			"--append with --by, --boilerplate or pictures: all is read and compared again then"},
		{c.o.Lossless && (parts || c.o.Append || c.o.Chain || c.o.ByDistance() || c.Format.Value == corpus.Sets),
			"--lossless is for whole texts: leave it out, or --by, --append, --k, --group components, sets and pictures"},
		{!parts && c.PassageWords.Given, "--passage-words is for --by"},
		{parts && strings.Contains(c.o.AgainstField, ","), fmt.Sprintf("--by %s with several fields, --against FILE:%s: name one", by, c.o.AgainstField)},
		{parts && c.o.Annotate, fmt.Sprintf("--annotate with --by %s: a part has no fields; cut.jsonl lists what is cut", by)},
		{parts && (c.o.MaxDF > 0 || c.o.Ignore != ""), fmt.Sprintf("--by %s with --boilerplate: it is for whole documents", by)},
		{parts && c.KeepWhich.Given && c.o.Keep != dedup.Keep{Way: dedup.First},
			fmt.Sprintf("--keep %s with --by %s: the first %[2]s stays, and those like it are cut", c.o.Keep, by)},
		{parts && c.o.Chain, fmt.Sprintf("--group components with --by %s: each %[1]s that is cut is near the one that stays", by)},
		{parts && strings.Contains(c.TextField.Value, ","), fmt.Sprintf("--by %s with several fields, --text-field %s: name the one that "+
			"is cut", by, c.TextField.Value)},
	}.First()
}

// without returns lists of flags without those of some names.
func without(names []string, flags ...[]AnyFlag) []AnyFlag {
	named := func(f AnyFlag) bool { return slices.Contains(names, f.Names()[0]) }
	return slices.DeleteFunc(slices.Concat(flags...), named)
}

// features sets the features of sets, or with --k, or for fingerprints that are read, those of fingerprints and their
// distance.
func (c *deduping) features() error {
	items := c.Format.Value == corpus.Sets
	given := c.wide() || c.Format.Value == corpus.Fingerprints || slices.ContainsFunc(c.Args, corpus.IsFingerprints)
	pictures := c.readsPictures()
	kind, err := c.imageHash(pictures)
	if err != nil {
		return err
	}
	if name := FirstGiven(&c.Features, &c.Weights, &c.Lang); name != "" && pictures {
		return fmt.Errorf("--%s and --format image exclude each other: pictures have no features", name)
	}
	if c.K.Given || pictures || c.wide() || given && !c.Jaccard.Given {
		return c.byDistance(items, kind)
	}
	if name := FirstGiven(&c.Weights, &c.Lang, &c.Bits); name != "" {
		return fmt.Errorf("--%s is about fingerprints, which are compared with --k", name)
	}
	if items {
		c.o.Settings.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.Items}
	}
	if c.Features.Given || !items && c.Features.Has() {
		c.o.Settings.SetFeatures = c.Features.Value
	}
	return c.preset(items)
}

// preset sets the features and the similarity of --preset.
func (c *deduping) preset(items bool) error {
	p := c.Preset.Value
	if p.Jaccard == 0 || !c.Preset.Given && (items || c.Features.Given) {
		if c.Preset.Given {
			return fmt.Errorf("--preset %s is of fingerprints: give --k with --features and --weights", p.Name)
		}
		return nil
	}
	if items || c.Features.Given || c.Contained.Given {
		return fmt.Errorf("--preset %s chooses the features of texts: leave out --features, --contained and --format sets", p.Name)
	}
	c.o.Settings.SetFeatures = p.Features
	if !c.Jaccard.Given {
		c.o.Threshold = p.Jaccard
	}
	if p.As && !c.Group.Given && c.By.Value == dedup.Documents && c.o.Spare == 0 {
		c.o.Chain = true
	}
	if p.As && !c.KeepWhich.Given {
		c.o.Keep.Way = dedup.First
	}
	return nil
}

// byDistance makes near a distance of fingerprints, or of hashes of pictures if these are of a kind.
func (c *deduping) byDistance(items bool, kind imagehash.Kind) (err error) {
	if name := FirstGiven(&c.Jaccard, &c.Contained, &c.Boilerplate); name != "" && c.wide() {
		return fmt.Errorf("--bits %d and --%s exclude each other: such fingerprints are compared by their distance, --k", c.Bits.Value, name)
	} else if name != "" {
		return fmt.Errorf("--k and --%s exclude each other: fingerprints are compared, and no sets of features", name)
	}
	if by := c.By.Value; by != dedup.Documents {
		return fmt.Errorf("--k with --by %s: it is for whole documents", by)
	}
	c.o.Distance = cmp.Or(imageDistances[kind], index.DefaultDistance)
	Put(&c.K, &c.o.Distance)
	if kind != 0 {
		c.o.Settings = analysis.Pictures(kind)
		Ignore(&c.Features, &c.Weights, &c.Lang)
		return nil
	}
	if c.o.Settings = dedup.DefaultFingerprints(); c.wide() && !c.K.Has() {
		c.o.Distance = wideDistance(c.Bits.Value)
	}
	if items {
		c.o.Settings.Features, c.o.Settings.Language = preprocess.FeatureSpec{Kind: preprocess.Items}, preprocess.NoLanguage
		Ignore(&c.Features, &c.Lang)
	}
	if c.o.Settings, err = c.settingsOver(c.o.Settings); err == nil && c.o.Settings.Weights == fingerprint.TFIDF {
		err = errors.New("--weights tfidf are learnt from a collection, before it is read: index it, or choose tf, log-tf or set")
	}
	return err
}

// Repeats returns what the flags say of dedup --by passage.
func Repeats(c *Flags) (repeats.Options, error) {
	o, err := c.runOptions()
	r := repeats.Options{Options: o,
		Words: sequences.Usual.Words, InOrder: c.KeepWhich.Given, DryRun: c.DryRun.Value, Memory: c.Memory.Value,
	}
	Put(&c.PassageWords, &r.Words)
	with := []string{"by", "passage-words", "keep"}
	not := FirstGiven(without(with, c.deciding, []AnyFlag{&c.Annotate, &c.Review, &c.From})...)
	return r, cmp.Or(err, Mistakes{
		{r.Words < repeats.LeastWords, fmt.Sprintf("--passage-words %d: want %d or more for passages", r.Words, repeats.LeastWords)},
		{not != "", fmt.Sprintf("--%s with --by passage: what is cut is words in a row that have occurred before, --passage-words of them", not)},
		{c.KeepWhich.Given && c.KeepWhich.Value != dedup.Keep{Way: dedup.First},
			fmt.Sprintf("--keep %s with --by passage: the first passage stays, and those like it are cut", c.KeepWhich.Value)},
		{c.readsNoTexts(), fmt.Sprintf("--by passage: words are compared, which --format %s does not read", c.Format.Value)},
		{strings.Contains(o.Corpus.TextField, ","), fmt.Sprintf("--by passage with several fields, --text-field %s: name the one that is cut", o.Corpus.TextField)},
		{slices.Contains(c.Args, corpus.Stdin.Path), "dedup --by passage: standard input is read several times: save it to a file, and name that"},
		{c.Out.Value == "", "dedup: name a directory to write to, such as --out clean"},
		{!c.HasInputs(), "dedup: name files or directories"},
	}.First())
}
