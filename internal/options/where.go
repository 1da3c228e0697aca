package options

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/dedup"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/values"
)

// WhereFlags returns the flags that say which documents can be answers.
func (c *Flags) WhereFlags() []cli.Flag {
	return commandline.InGroup(SearchedGroup, []cli.Flag{
		c.Where.As("where", "find only documents whose field is as in `FIELD=VALUE`, of the fields that index --keep-fields has kept: the same text or number, or a list that has it; given again, all must hold"),
		c.Since.As("since", "find only documents of `DATE` or later: 2024, 2024-05, 2024-05-31 or a time").By(readDate),
		c.Until.As("until", "find only documents of `DATE` or earlier; the whole of a day, month or year counts").By(readDate),
		c.DateField.As("date-field", "the kept `FIELD` that --since and --until are about").Told(strings.Join(dateFields, ", ") + ": the first that is kept"),
	})
}

// A span is the time from one moment to another.
type span struct{ from, behind int64 }

// readDate reads a date, or a time.
func readDate(name, text string) (span, error) {
	from, behind, err := values.DateSpan(text)
	if err != nil {
		err = fmt.Errorf("--%s %s: want a date such as 2024-05-31, or a time such as 2024-05-31T12:00:00Z", name, text)
	}
	return span{from, behind}, err
}

// asksForDate reports whether --keep of groups chooses by a date whose field it does not name.
func asksForDate(c *Flags) bool {
	return c.CurrentOf.Value == dedup.Newest.String() || c.CurrentOf.Value == dedup.Oldest.String()
}

// dateFields are the fields that are taken for the date of a document.
var dateFields = []string{"date", "published", "WARC-Date"}

// Wheres returns the conditions that the flags give, for an index.
func Wheres(c *Flags, ix *index.Snapshot) (where []index.Where, err error) {
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
		where = append(where, index.Where{Field: field, Is: equals(value)})
	}
	if !c.Since.Given && !c.Until.Given {
		if c.DateField.Given && !asksForDate(c) {
			return nil, errors.New("--date-field says what --since, --until and --keep newest of groups are about: give one of them")
		}
		return where, nil
	}
	field, err := keptDate(c, in)
	if err != nil {
		return nil, err
	}
	if field == "" {
		return nil, fmt.Errorf("--since and --until want a date: the index keeps none of the fields %s; name another kept one with --date-field", strings.Join(dateFields, ", "))
	}
	between := span{math.MinInt64, math.MaxInt64}
	if c.Since.Given {
		between.from = c.Since.Value.from
	}
	if c.Until.Given {
		between.behind = c.Until.Value.behind
	}
	where = append(where, index.Where{Field: field, Is: func(v []byte) bool {
		at, err := values.ParseDate(strings.TrimSpace(string(v)))
		return err == nil && at >= between.from && at < between.behind
	}})
	return where, nil
}
