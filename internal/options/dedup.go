package options

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"simsearch/dedup"
	"simsearch/index"
	"simsearch/internal/commandline"
)

// DedupFlags returns the flags of dedup beside those of reading files and those that all commands have.
func DedupFlags() []cli.Flag {
	return slices.Concat(deciding(), commandline.InGroup(OutputGroup, slices.Concat([]cli.Flag{
		&cli.BoolFlag{Name: "skip-binary", DisableDefaultText: true, Usage: "end with status 0 though files of directories are left out, since they are no texts"},
		&cli.StringFlag{Name: "out", Usage: "write to the directory `DIR`, which must not exist, be empty, or have the result of the same command"},
	}, annotating(), replaying())))
}

// deciding returns the flags that say what is near and what is kept.
func deciding() []cli.Flag {
	flags := commandline.InGroup(SearchedGroup, []cli.Flag{
		&cli.StringFlag{Name: "jaccard", Usage: "near is a Jaccard similarity of at least `T`", DefaultText: "0.8"},
		&cli.StringFlag{Name: "k", Usage: "near is a Hamming distance of at most `N` bits between 64-bit SimHash fingerprints, in place of --jaccard", DefaultText: "3 for fingerprints that are read"},
		&cli.StringFlag{Name: "contained", Usage: "remove documents, too, of which at least the share `C` is inside a longer one, such as 0.9; features are word:3 then, unless --features says otherwise"},
		&cli.StringFlag{Name: "by", Value: dedup.Documents.String(), Usage: "remove near `PARTS`: document, or paragraph or line from within documents, of which the first stays"},
		&cli.IntFlag{Name: "min-words", Value: dedup.DefaultMinWords, Usage: "cut no paragraph or line of fewer than `N` words"},
		&cli.StringFlag{Name: "max-df", Usage: "do not compare features that more than `F` of the documents have: a share such as 0.1, or a number; equal documents count once"},
		&cli.StringFlag{Name: "ignore", Usage: "do not compare the features of the texts in `FILE`, one a line"},
		&cli.StringFlag{Name: "group", Value: "star", Usage: "remove what belongs to a kept document by `HOW`: star (it is near it) or components (near documents connect them)"},
		&cli.StringFlag{Name: "keep", Value: dedup.Keep{}.String(), Usage: "keep `WHICH` of near documents: longest, first, newest:FIELD or oldest:FIELD (by a date, a time or Unix seconds; 2024, 20240131 and 20240131235959 are dates), highest:FIELD or lowest:FIELD (by a number); of equal ones the first by the path of its file, and those without a value last"},
		&cli.StringSliceFlag{Name: "prefer", Usage: "rather keep documents of files at `PATH`, a file, a directory or a glob such as wiki/*.jsonl; given again, for the next best ones; it goes before --keep"},
		&cli.StringSliceFlag{Name: "against", Usage: "remove what is near a document of `INPUT`, too, which itself stays as it is and is not written; an index will do"},
	})
	return append(flags, ofFingerprints()...)
}

// annotating returns the flags that say what is written.
func annotating() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "annotate", DisableDefaultText: true, Usage: "remove nothing; add the fields dup_cluster, dup_size, dup_kept, dup_kept_id and dup_similarity, in place of fields with these names"},
		&cli.BoolFlag{Name: "dry-run", DisableDefaultText: true, Usage: "write the lists and the report, and no documents"},
	}
}

// replaying returns the flags that begin with what another run has done.
func replaying() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "rethreshold", Usage: "decide again, by a similarity of `T`, on what the run has read whose directory is given in place of INPUT; T is not below the similarity of that run"},
		&cli.StringFlag{Name: "replay", Usage: "remove the documents that `FILE` names, a list such as removed.jsonl that may have been edited, and no others"},
	}
}

// Dedup returns what the flags say of dedup. Files are read as the other flags say.
func Dedup(c *cli.Context, common Common) (o dedup.Options, err error) {
	o = dedup.Options{Settings: dedup.DefaultSettings(), Threshold: index.DefaultThreshold, Prefer: c.StringSlice("prefer"), Ignore: c.String("ignore"), Annotate: c.Bool("annotate"), DryRun: c.Bool("dry-run"), Threads: common.Threads, Memory: common.Memory}
	if s := c.String("jaccard"); s != "" {
		if o.Threshold, err = strconv.ParseFloat(s, 64); err != nil || !(o.Threshold > 0 && o.Threshold <= 1) {
			return o, fmt.Errorf("--jaccard %s: want a similarity above 0 and up to 1, such as 0.8", s)
		}
	}
	if err := contained(c, &o); err != nil {
		return o, err
	}
	if err := features(c, &o); err != nil {
		return o, err
	}
	if s := c.String("max-df"); s != "" {
		if o.MaxDF, err = strconv.ParseFloat(s, 64); err != nil || !(o.MaxDF > 0 && o.MaxDF < 1 || o.MaxDF >= 2 && o.MaxDF == math.Trunc(o.MaxDF)) {
			return o, fmt.Errorf("--max-df %s: want a share of the documents between 0 and 1, such as 0.1, or a number of them from 2 on", s)
		}
	}
	switch s := c.String("group"); s {
	case "star":
	case "components":
		o.Chain = true
	default:
		return o, fmt.Errorf("--group %s: want star or components", s)
	}
	if o.Keep, err = dedup.ParseKeep(c.String("keep")); err != nil {
		return o, fmt.Errorf("--keep: %w", err)
	}
	if err := byOf(c, &o); err != nil {
		return o, err
	}
	if c.IsSet("rethreshold") {
		if o.Threshold, err = commandline.Share(c, "rethreshold", 0, true); err != nil {
			return o, err
		}
		if err := excludes(c, "rethreshold", slices.Concat(deciding(), CorpusFlags(), replaying()), "files, features and what is kept are those of the earlier run"); err != nil {
			return o, err
		}
	}
	if c.IsSet("replay") {
		if err := excludes(c, "replay", append(deciding(), annotating()...), "what is removed stands in the list"); err != nil {
			return o, err
		}
	}
	if o.Annotate && c.Bool("dry-run") {
		return o, errors.New("--annotate with --dry-run: a dry run writes no documents; leave one of them out")
	}
	return o, nil
}

// excludes returns an error if one of others is given with a flag that it does not go with.
func excludes(c *cli.Context, flag string, others []cli.Flag, because string) error {
	for _, f := range others {
		if name := f.Names()[0]; name != flag && name != "skip-bad" && c.IsSet(name) {
			return fmt.Errorf("--%s and --%s exclude each other: %s", flag, name, because)
		}
	}
	return nil
}
