package options

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/dedup"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/dates"
)

// WhereFlags returns the flags that say which documents can be answers.
func WhereFlags() []cli.Flag {
	return commandline.InGroup(SearchedGroup, []cli.Flag{
		&cli.StringSliceFlag{Name: "where", Usage: "find only documents whose field is as in `FIELD=VALUE`, of the fields that index --keep-fields has kept: the same text or number, or a list that has it; given again, all must hold"},
		&cli.StringFlag{Name: "since", Usage: "find only documents of `DATE` or later: 2024, 2024-05, 2024-05-31 or a time"},
		&cli.StringFlag{Name: "until", Usage: "find only documents of `DATE` or earlier; the whole of a day, month or year counts"},
		&cli.StringFlag{Name: "date-field", Usage: "the kept `FIELD` that --since and --until are about", DefaultText: strings.Join(dateFields, ", ") + ": the first that is kept"},
	})
}

// asksForDate reports whether --keep of groups chooses by a date whose field it does not name.
func asksForDate(c *cli.Context) bool {
	return c.String("keep") == dedup.Newest.String() || c.String("keep") == dedup.Oldest.String()
}

// dateFields are the fields that are taken for the date of a document.
var dateFields = []string{"date", "published", "WARC-Date"}

// Wheres returns the conditions that the flags give, for an index.
func Wheres(c *cli.Context, ix *index.Snapshot) (where []index.Where, err error) {
	in := ix.Input()
	for _, s := range c.StringSlice("where") {
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
	if !c.IsSet("since") && !c.IsSet("until") {
		if c.IsSet("date-field") && !asksForDate(c) {
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
	for _, flag := range []string{"since", "until"} {
		if !c.IsSet(flag) {
			continue
		}
		from, behind, err := dates.Span(c.String(flag))
		if err != nil {
			return nil, fmt.Errorf("--%s %s: want a date such as 2024-05-31, or a time such as 2024-05-31T12:00:00Z", flag, c.String(flag))
		}
		where = append(where, index.Where{Field: field, Is: func(v []byte) bool {
			at, err := dates.Parse(strings.TrimSpace(string(v)))
			return err == nil && (flag == "since" && at >= from || flag == "until" && at < behind)
		}})
	}
	return where, nil
}
