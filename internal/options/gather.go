package options

import (
	"errors"
	"fmt"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/index"
	"simsearch/preprocess"
)

// Gathers reports whether the flags ask for sets that are made of several records.
func Gathers(c *Flags) bool { return c.Gather.Value || c.Transpose.Value }

// CheckGatherable returns an error if the records of a format are no pairs of an id and an item.
func CheckGatherable(f corpus.Format) error {
	if f != corpus.Auto && f != corpus.Sets && !f.Layout().HasFields() {
		return fmt.Errorf("--gather and --transpose read tables, JSON records and --format sets, and not %v: a table begins with a line of names such as user,item", f)
	}
	return nil
}

// checkGathered returns an error if what is said of records that make sets contradicts other flags.
func checkGathered(c *Flags, s analysis.Settings) error {
	if !Gathers(c) {
		return nil
	}
	if c.KeepFields.Given {
		return errors.New("--keep-fields excludes --gather and --transpose: a set is made of many records, whose fields differ")
	}
	if s.SetFeatures.Kind != preprocess.Items && s.Sets() {
		return fmt.Errorf("--gather and --transpose are about sets of items, and these settings have features %s", s.SetFeatures)
	}
	return CheckGatherable(c.Format.Value)
}

// CheckStored returns an error if an index that has documents, whose input is stored, has users in place of items, or the
// reverse, or if its sets are made of records, and each record would be a set by itself.
func CheckStored(c *Flags, stored index.Input) error {
	switch transpose := c.Transpose.Value; {
	case stored.Transposed && !transpose:
		return errors.New("this index was made with --transpose: its documents are items, as sets of the ids that have them, and do not mix with sets of items; add with --transpose, or make another index")
	case !stored.Transposed && transpose:
		return errors.New("this index was made without --transpose: its documents are no items, as sets of the ids that have them; add without --transpose, or make another index")
	case stored.Pairs && !Gathers(c) && c.Format.Value != corpus.Sets:
		return errors.New("this index was made with --gather: its documents are sets that are made of several records; add with --gather, or whole sets with --format sets, or make another index")
	}
	return nil
}
