package dedup

import (
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/ground/terminal"
)

// Keep says which document of a group is kept. The zero value keeps the longest.
type Keep struct {
	Way   Way
	Field string // what the ways from Newest to Listed compare, and empty for others; dots reach into nested objects
	Among string // values for Listed, with commas between them
}

// A Way is one to choose from near documents.
type Way uint8

// The ways to choose. Ties are broken by the order of the paths of files, and within a file by that of its documents:
// the first one is kept. Only for First, files come in the order in which they are named. Documents without a value
// that can be read come last.
const (
	Longest  Way = iota // the one with the longest text, in bytes
	First               // the first one of the input
	Newest              // the one with the latest date or time in a field
	Oldest              // the one with the earliest date or time
	Highest             // the one with the highest number in a field
	Lowest              // the one with the lowest number
	Listed              // the one whose field has the value that Keep.Among names first, or an address of such a host
	Cleanest            // the one with most of its own (ownBytes), but one that adds only boilerplate only if the other is not there
)

var wayNames = []string{"longest", "first", "newest", "oldest", "highest", "lowest", "first", "cleanest"}

// String returns the name of w.
func (w Way) String() string { return wayNames[w] }

// hasField reports whether w compares a field.
func (w Way) hasField() bool { return w >= Newest && w <= Listed }

// HasKeys reports whether w compares keys: those of a field, or what is a document's own of its text.
func (w Way) HasKeys() bool { return w.hasField() || w == Cleanest }

// isLongest reports whether w goes by the length of texts.
func (w Way) isLongest() bool { return w == Longest || w == Cleanest }

// isTime reports whether w compares dates or times.
func (w Way) isTime() bool { return w == Newest || w == Oldest }

// ParseKeep reads the name of a way, and behind a colon the field of those that compare one: "longest",
// "newest:meta.published" or "first:source=wiki,news". The error lists all ways.
func ParseKeep(s string) (Keep, error) {
	name, field, colon := strings.Cut(s, ":")
	i := slices.Index(wayNames, name)
	if i < 0 {
		return Keep{}, fmt.Errorf("unknown way to keep %q: want cleanest, longest, first, first:FIELD=VALUE,VALUE, "+
			"newest:FIELD, oldest:FIELD, highest:FIELD or lowest:FIELD", s)
	}
	k := Keep{Way: Way(i), Field: field}
	if k.Way == First && colon {
		k.Way = Listed
		k.Field, k.Among, _ = strings.Cut(field, "=")
	}
	switch {
	case k.Way == Listed && (k.Field == "" || slices.Contains(strings.Split(k.Among, ","), "")):
		return Keep{}, fmt.Errorf("%s: want first:FIELD=VALUE,VALUE, such as first:source=wiki,news", s)
	case k.Way.hasField() && field == "":
		return Keep{}, fmt.Errorf("%s of what: want %s:FIELD, such as %[2]s:%s", s, name, map[bool]string{true: "published", false: "score"}[k.Way.isTime()])
	case !k.Way.hasField() && colon:
		return Keep{}, fmt.Errorf("%s compares no field: want %s alone", s, name)
	}
	return k, nil
}

// String returns what ParseKeep reads.
func (k Keep) String() string {
	if !k.Way.hasField() {
		return k.Way.String()
	}
	return k.Way.String() + ":" + k.Field + terminal.If(k.Way == Listed, "=%s", k.Among)
}
