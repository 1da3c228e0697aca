package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"simsearch/internal/cli/results"
	"simsearch/internal/index"
)

// whereFlags say which documents can be answers.
type whereFlags struct{ Where list }

// WhereFlags returns the flags that say which documents can be answers.
func (c *whereFlags) WhereFlags() []AnyFlag {
	return InGroup(SearchedGroup, []AnyFlag{
		c.Where.As("where", "find only documents whose kept field is as in `FIELD=VALUE`, or FIELD>=VALUE or FIELD<=VALUE, where VALUE is a number, or a date such as 2024-05; given again, all must hold"),
	})
}

// Wheres returns the conditions that the flags give, for an index.
func (c *whereFlags) Wheres(ix *index.Snapshot) (where []index.Where, err error) {
	for _, s := range c.Where.Value {
		field, is, value := condition(s)
		if field == "" {
			return nil, fmt.Errorf("--where %s: want FIELD=VALUE, FIELD>=VALUE or FIELD<=VALUE", s)
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

// condition returns the parts of a condition of --where. field is "" if it is none.
func condition(s string) (field string, is func(wanted string) func([]byte) bool, value string) {
	field, value, ok := strings.Cut(s, "=")
	switch {
	case !ok:
		return "", nil, ""
	case strings.HasSuffix(field, ">"):
		return field[:len(field)-1], results.AtLeast, value
	case strings.HasSuffix(field, "<"):
		return field[:len(field)-1], results.AtMost, value
	}
	return field, results.Equals, value
}
