package options

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/dedup"
	"simsearch/index"
)

// KeepOfGroupFlag returns the flag --keep of groups.
func (c *Flags) KeepOfGroupFlag() cli.Flag {
	return c.CurrentOf.As("keep", "tell `WHICH` document of each group to keep, the current one: newest or oldest (by a kept date, or else the time of the file), newest:FIELD, oldest:FIELD, highest:FIELD or lowest:FIELD (by a kept field), longest or first").In(OutputGroup)
}

// CurrentWay returns the way that --keep of groups names, and the place of its field among those that the index keeps, or
// -1 for the time of files. ok is false without --keep.
func CurrentWay(c *Flags, in index.Input) (keep dedup.Keep, field int, ok bool, err error) {
	given := c.CurrentOf.Value
	if given == "" {
		return keep, -1, false, nil
	}
	if given == dedup.Newest.String() || given == dedup.Oldest.String() {
		field, err := keptDate(c, in)
		if err != nil {
			return keep, -1, false, err
		}
		if field == "" {
			if keep, err = dedup.ParseKeep(given + ":time"); err == nil {
				keep.Field = ""
			}
			return keep, -1, true, err
		}
		given += ":" + field
	}
	if keep, err = dedup.ParseKeep(given); err != nil {
		return keep, -1, false, fmt.Errorf("--keep: %w", err)
	}
	if !keep.Way.HasField() {
		return keep, -1, true, nil
	}
	if field = slices.Index(in.Kept(), keep.Field); field < 0 {
		return keep, -1, false, fmt.Errorf("--keep %s: %w", given, notKept(in, keep.Field))
	}
	return keep, field, true, nil
}

// keptDate returns the kept field that is the date of documents: the one that --date-field names, or the first of those
// that are usual. It is "" if there is none.
func keptDate(c *Flags, in index.Input) (string, error) {
	if field := c.DateField.Value; field != "" {
		if !slices.Contains(in.Kept(), field) {
			return "", fmt.Errorf("--date-field %s: %w", field, notKept(in, field))
		}
		return field, nil
	}
	for _, name := range dateFields {
		if slices.Contains(in.Kept(), name) {
			return name, nil
		}
	}
	return "", nil
}

// notKept says that an index does not keep a field.
func notKept(in index.Input, field string) error {
	kept := "no fields"
	if names := in.Kept(); len(names) > 0 {
		kept = strings.Join(names, ", ")
	}
	return fmt.Errorf("the index keeps %s, and not %q: name it when the index is made, with --keep-fields", kept, field)
}
