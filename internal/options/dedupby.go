package options

import (
	"errors"
	"fmt"
	"strings"

	"simsearch/dedup"
	"simsearch/preprocess"
)

// contained sets which share of a document is inside another one. Long texts have most of the words of short ones
// by chance, so that words in their order are compared.
func contained(c *Flags, o *dedup.Options) error {
	if o.Contained = c.Contained.Value; o.Contained == 0 {
		return nil
	}
	o.Settings.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}
	switch {
	case c.Group.Value == "components":
		return errors.New("--contained with --group components: each removed document is inside the one that is kept")
	case c.KeepWhich.Given || len(o.Prefer) > 0:
		return fmt.Errorf("--contained with --keep or --prefer: of a document and one that contains it, the longer is kept")
	case c.By.Value != dedup.Documents:
		return fmt.Errorf("--contained with --by %s: it is for whole documents", c.By.Value)
	}
	return nil
}

// byOf sets what is removed: documents, or parts of them.
func byOf(c *Flags, o *dedup.Options) error {
	o.By, o.MinWords = c.By.Value, c.MinWords.Value
	if o.By == dedup.Documents {
		if c.MinWords.Given {
			return errors.New("--min-words is for --by paragraph and --by line")
		}
		return nil
	}
	switch {
	case o.Annotate:
		return fmt.Errorf("--annotate with --by %s: a part has no fields; cut.jsonl lists what is cut", o.By)
	case o.MaxDF > 0 || o.Ignore != "" || len(o.Prefer) > 0:
		return fmt.Errorf("--by %s with --max-df, --ignore or --prefer: they are for whole documents", o.By)
	case c.KeepWhich.Given && o.Keep != dedup.Keep{Way: dedup.First}:
		return fmt.Errorf("--keep %s with --by %s: the first %[2]s stays, and those like it are cut", o.Keep, o.By)
	case o.Chain:
		return fmt.Errorf("--group components with --by %s: each %[1]s that is cut is near the one that stays", o.By)
	case strings.Contains(c.TextField.Value, ","):
		return fmt.Errorf("--by %s with several fields, --text-field %s: name the one that is cut", o.By, c.TextField.Value)
	}
	return nil
}
