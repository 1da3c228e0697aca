package options

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/internal/commandline"
	"simsearch/internal/corpus"
	"simsearch/internal/dedup"
	"simsearch/internal/index"
	"simsearch/internal/results"
)

// whereFlags say which documents can be answers, and which of a group is the current one.
type whereFlags struct {
	Where                list
	Since, Until         commandline.Flag[span]
	DateField, CurrentOf text
}

// WhereFlags returns the flags that say which documents can be answers.
func (c *whereFlags) WhereFlags() []cli.Flag {
	return commandline.InGroup(SearchedGroup, []cli.Flag{
		c.Where.As("where", "find only documents with a kept field as in `FIELD=VALUE`; given again, all must hold"),
		c.Since.As("since", "find only documents of `DATE` or later, such as 2024-05; a year, a day or a time will do, too").By(readDate),
		c.Until.As("until", "find only documents of `DATE` or earlier; the whole of a day, month or year counts").By(readDate),
		c.DateField.As("date-field", "the kept `FIELD` of --since and --until").Told(strings.Join(dateFields, ", ") + ": the first that is kept"),
	})
}

// A span is the time from one moment to another.
type span struct{ from, behind int64 }

// readDate reads a date, or a time.
func readDate(name, text string) (span, error) {
	from, behind, err := corpus.DateSpan(text)
	if err != nil {
		err = fmt.Errorf("--%s %s: want a date such as 2024-05-31, or a time such as 2024-05-31T12:00:00Z", name, text)
	}
	return span{from, behind}, err
}

// asksForDate reports whether --keep of groups chooses by a date whose field it does not name.
func (c *whereFlags) asksForDate() bool {
	return c.CurrentOf.Value == dedup.Newest.String() || c.CurrentOf.Value == dedup.Oldest.String()
}

// dateFields are the fields that are taken for the date of a document.
var dateFields = []string{"date", "published", "WARC-Date"}

// Wheres returns the conditions that the flags give, for an index.
func (c *whereFlags) Wheres(ix *index.Snapshot) (where []index.Where, err error) {
	in := ix.Input()
	for _, s := range c.Where.Value {
		field, value, ok := strings.Cut(s, "=")
		if !ok || field == "" {
			return nil, fmt.Errorf("--where %s: want FIELD=VALUE", s)
		}
		if field == index.SourceField && ix.KeepsSource() {
			if value, err = filepath.Abs(value); err != nil {
				return nil, err
			}
		}
		where = append(where, index.Where{Field: field, Is: results.Equals(value)})
	}
	if !c.Since.Given && !c.Until.Given {
		if c.DateField.Given && !c.asksForDate() {
			return nil, errors.New("--date-field says what --since, --until and --keep newest of groups are about: give one of them")
		}
		return where, nil
	}
	field, err := c.keptDate(in)
	if err != nil {
		return nil, err
	}
	if field == "" {
		return nil, fmt.Errorf("--since and --until want a date: the index keeps none of the fields %s; name another kept one with "+
			"--date-field", strings.Join(dateFields, ", "))
	}
	between := span{math.MinInt64, math.MaxInt64}
	if c.Since.Given {
		between.from = c.Since.Value.from
	}
	if c.Until.Given {
		between.behind = c.Until.Value.behind
	}
	where = append(where, index.Where{Field: field, Is: func(v []byte) bool {
		at, err := corpus.ParseDate(strings.TrimSpace(string(v)))
		return err == nil && at >= between.from && at < between.behind
	}})
	return where, nil
}

// KeepOfGroupFlag returns the flag --keep of groups.
func (c *whereFlags) KeepOfGroupFlag() cli.Flag {
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
		field, err := c.keptDate(in)
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

// keptDate returns the kept field that is the date of documents: the one that --date-field names, or the first of those
// that are usual. It is "" if there is none.
func (c *whereFlags) keptDate(in index.Input) (string, error) {
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
