package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/cli/results"
	"simsearch/internal/index"
)

// whereFlags say which documents can be answers, and which of a group is the current one.
type whereFlags struct {
	Where     list
	CurrentOf text
}

// WhereFlags returns the flags that say which documents can be answers.
func (c *whereFlags) WhereFlags() []AnyFlag {
	return InGroup(SearchedGroup, []AnyFlag{
		c.Where.As("where", "find only documents whose kept field is as in `FIELD=VALUE`, or FIELD>=VALUE or FIELD<=VALUE, where VALUE is a number, or a date such as 2024-05; given again, all must hold"),
	})
}

// dateFields are the fields that are taken for the date of a document.
var dateFields = []string{"date", "published", "WARC-Date"}

// Wheres returns the conditions that the flags give, for an index.
func (c *whereFlags) Wheres(ix *index.Snapshot) (where []index.Where, err error) {
	for _, s := range c.Where.Value {
		at := strings.Index(s, "=")
		if at < 1 || at == 1 && strings.Contains("<>", s[:1]) {
			return nil, fmt.Errorf("--where %s: want FIELD=VALUE, FIELD>=VALUE or FIELD<=VALUE", s)
		}
		field, value := s[:at], s[at+1:]
		is := results.Equals
		switch field[at-1] {
		case '>':
			field, is = field[:at-1], results.AtLeast
		case '<':
			field, is = field[:at-1], results.AtMost
		}
		if field == index.SourceField && ix.KeepsSource() {
			if value, err = filepath.Abs(value); err != nil {
				return nil, err
			}
		}
		w := index.Where{Field: field, Is: is(value)}
		if w.Is == nil {
			return nil, fmt.Errorf("--where %s: %s is neither a number nor a date, such as 2024-05-31 or 2024-05-31T12:00:00Z", s, value)
		}
		where = append(where, w)
	}
	return where, nil
}

// KeepOfGroupFlag returns the flag --keep of groups.
func (c *whereFlags) KeepOfGroupFlag() AnyFlag {
	return c.CurrentOf.As("keep", "tell which document of each group to keep, by `WHICH`: newest, oldest, newest:FIELD, oldest:FIELD, highest:FIELD, lowest:FIELD, longest or first").In(OutputGroup)
}

// CurrentWay returns the way that --keep of groups names, and the place of its field among those that the index keeps, or
// -1 for the time of files. ok is false without --keep.
func (c *whereFlags) CurrentWay(in index.Input) (keep dedup.Keep, field int, ok bool, err error) {
	given := c.CurrentOf.Value
	if given == "" {
		return keep, -1, false, nil
	}
	if given == dedup.Newest.String() || given == dedup.Oldest.String() {
		at := slices.IndexFunc(dateFields, func(name string) bool { return slices.Contains(in.Kept(), name) })
		if at < 0 {
			if keep, err = dedup.ParseKeep(given + ":time"); err == nil {
				keep.Field = ""
			}
			return keep, -1, true, err
		}
		given += ":" + dateFields[at]
	}
	if keep, err = dedup.ParseKeep(given); err != nil {
		return keep, -1, false, fmt.Errorf("--keep: %w", err)
	}
	if keep.Way == dedup.Cleanest {
		return keep, -1, false, errors.New("--keep cleanest: only dedup sees what many texts add; want longest, first, or a field")
	}
	if !keep.Way.HasField() {
		return keep, -1, true, nil
	}
	if field = slices.Index(in.Kept(), keep.Field); field < 0 {
		return keep, -1, false, fmt.Errorf("--keep %s: %w", given, notKept(in, keep.Field))
	}
	return keep, field, true, nil
}

// notKept says that an index does not keep a field.
func notKept(in index.Input, field string) error {
	kept := "no fields"
	if names := in.Kept(); len(names) > 0 {
		kept = strings.Join(names, ", ")
	}
	return fmt.Errorf("the index keeps %s, and not %q: name it when the index is made, with --keep-fields", kept, field)
}
