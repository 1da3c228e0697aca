package options

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/dedup"
	"simsearch/preprocess"
)

// contained sets which share of a document is inside another one. Long texts have most of the words of short ones
// by chance, so that words in their order are compared.
func contained(c *cli.Context, o *dedup.Options) (err error) {
	s := c.String("contained")
	if s == "" {
		return nil
	}
	if o.Contained, err = strconv.ParseFloat(s, 64); err != nil || !(o.Contained > 0 && o.Contained <= 1) {
		return fmt.Errorf("--contained %s: want a share above 0 and up to 1, such as 0.9", s)
	}
	o.Settings.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}
	switch {
	case c.String("group") == "components":
		return errors.New("--contained with --group components: each removed document is inside the one that is kept")
	case c.IsSet("keep") || len(o.Prefer) > 0:
		return fmt.Errorf("--contained with --keep or --prefer: of a document and one that contains it, the longer is kept")
	case c.String("by") != dedup.Documents.String():
		return fmt.Errorf("--contained with --by %s: it is for whole documents", c.String("by"))
	}
	return nil
}

// byOf sets what is removed: documents, or parts of them.
func byOf(c *cli.Context, o *dedup.Options) (err error) {
	if o.By, err = dedup.ParseLevel(c.String("by")); err != nil {
		return fmt.Errorf("--by: %w", err)
	}
	if o.MinWords = c.Int("min-words"); o.MinWords < 1 {
		return fmt.Errorf("--min-words %d: want 1 or more", o.MinWords)
	}
	if o.By == dedup.Documents {
		if c.IsSet("min-words") {
			return errors.New("--min-words is for --by paragraph and --by line")
		}
		return nil
	}
	switch {
	case o.Annotate:
		return fmt.Errorf("--annotate with --by %s: a part has no fields; cut.jsonl lists what is cut", o.By)
	case o.MaxDF > 0 || o.Ignore != "" || len(o.Prefer) > 0:
		return fmt.Errorf("--by %s with --max-df, --ignore or --prefer: they are for whole documents", o.By)
	case c.IsSet("keep") && o.Keep != dedup.Keep{Way: dedup.First}:
		return fmt.Errorf("--keep %s with --by %s: the first %[2]s stays, and those like it are cut", o.Keep, o.By)
	case o.Chain:
		return fmt.Errorf("--group components with --by %s: each %[1]s that is cut is near the one that stays", o.By)
	case strings.Contains(c.String("text-field"), ","):
		return fmt.Errorf("--by %s with several fields, --text-field %s: name the one that is cut", o.By, c.String("text-field"))
	}
	return nil
}
