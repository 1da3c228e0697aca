package dedup

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Keep says which document of a group is kept. The zero value keeps the longest.
type Keep struct {
	Way   Way
	Field string // what the ways from Newest on compare, and empty for others; dots reach into nested objects
}

// A Way is one to choose from near documents.
type Way uint8

// The ways to choose. Ties are broken by the order of the input: the first one is kept. Documents without a
// value that can be read come last.
const (
	Longest Way = iota // the one with the longest text, in bytes
	First              // the first one of the input
	Newest             // the one with the latest date or time in a field
	Oldest             // the one with the earliest date or time
	Highest            // the one with the highest number in a field
	Lowest             // the one with the lowest number
)

var wayNames = []string{"longest", "first", "newest", "oldest", "highest", "lowest"}

// String returns the name of w.
func (w Way) String() string { return wayNames[w] }

// hasField reports whether w compares a field.
func (w Way) hasField() bool { return w >= Newest }

// isTime reports whether w compares dates or times.
func (w Way) isTime() bool { return w == Newest || w == Oldest }

// ParseKeep reads the name of a way, and behind a colon the field of those that compare one: "longest" or
// "newest:meta.published". The error lists all ways.
func ParseKeep(s string) (Keep, error) {
	name, field, colon := strings.Cut(s, ":")
	i := slices.Index(wayNames, name)
	if i < 0 {
		return Keep{}, fmt.Errorf("unknown way to keep %q: want longest, first, newest:FIELD, oldest:FIELD, highest:FIELD or lowest:FIELD", s)
	}
	k := Keep{Way(i), field}
	switch {
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
	return k.Way.String() + ":" + k.Field
}

// A key orders documents by their field: those with higher keys are kept.
type key int64

// noKey is the key of a document whose field cannot be read, or that has none.
const noKey = key(math.MinInt64)

// keyOf returns the key of a value as it stands in a record. It is noKey if that cannot be read.
func (w Way) keyOf(value string) key {
	value = strings.TrimSpace(value)
	var k key
	if w.isTime() {
		at, err := parseTime(value)
		if err != nil {
			return noKey
		}
		k = key(at)
	} else {
		f, err := strconv.ParseFloat(value, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
			return noKey
		}
		k = keyOfNumber(f)
	}
	if w == Oldest || w == Lowest {
		k = -k
	}
	return k
}

// keyOfNumber returns keys in the order of the numbers, which are not NaN. The key of -f is that of f, negated.
func keyOfNumber(f float64) key {
	k := key(math.Float64bits(math.Abs(f)))
	if f < 0 {
		return -k
	}
	return k
}

// timeLayouts are the forms of dates and times. Those without an offset are in UTC. All may have a fraction of the
// seconds.
var timeLayouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 Z0700",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01", "2006/01/02 15:04:05", "2006/01/02",
	"Mon, 2 Jan 2006 15:04:05 Z0700", "2 Jan 2006 15:04:05 Z0700", // RFC 1123 and RFC 5322
	"Mon Jan _2 15:04:05 2006", "Mon Jan _2 15:04:05 Z0700 2006", // of C, and with an offset
}

var errTime = errors.New("no date or time")

// parseTime returns the time that s names, in microseconds from 1970 on. A whole number of 4, 8 or 14 digits is a year, a
// day or a second, YYYY, YYYYMMDD or YYYYMMDDhhmmss in UTC, if there is such a one in the years 1000 to 2999. Any other
// number is a Unix time: in seconds below 1e11, which is the year 5138, in milliseconds below 1e14, in microseconds below
// 1e17, and otherwise in nanoseconds.
func parseTime(s string) (micros int64, err error) {
	if s == "" || len(s) > maxTime {
		return 0, errTime
	}
	if t, ok := parseDigits(s); ok {
		return t.UnixMicro(), nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return unixMicros(n), nil
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		if math.Abs(f) < 1e11 {
			return int64(math.Round(f * 1e6)), nil
		}
		if math.Abs(f) < math.MaxInt64 {
			return unixMicros(int64(f)), nil
		}
		return 0, errTime
	}
	// An abbreviation such as EST stands for several zones, so that only those of UTC are read.
	for _, utc := range []string{" GMT", " UTC", " UT"} {
		if rest, ok := strings.CutSuffix(s, utc); ok {
			s = rest + " Z"
			break
		}
	}
	for _, layout := range timeLayouts {
		if t, err := time.ParseInLocation(layout, s, time.UTC); err == nil {
			return t.UnixMicro(), nil
		}
	}
	return 0, errTime
}

// digitLayouts are dates of digits alone, by their number. Unix times of so few seconds are of the year 1970, and those of
// so many milliseconds of the years 2286 to 5138.
var digitLayouts = map[int]string{4: "2006", 8: "20060102", 14: "20060102150405"}

// parseDigits reads a date of digits alone, behind which a fraction of zeros may stand: programs write whole numbers so if
// others are missing.
func parseDigits(s string) (t time.Time, ok bool) {
	if whole, zeros, point := strings.Cut(s, "."); point && strings.Trim(zeros, "0") == "" {
		s = whole
	}
	layout, ok := digitLayouts[len(s)]
	if !ok || strings.Trim(s, "0123456789") != "" {
		return t, false
	}
	t, err := time.Parse(layout, s)
	return t, err == nil && t.Year() >= 1000 && t.Year() <= 2999
}

// maxTime is the length in bytes of the longest date that is tried.
const maxTime = 64

// unixMicros returns a Unix time in microseconds.
func unixMicros(n int64) int64 {
	switch abs := math.Abs(float64(n)); {
	case abs < 1e11:
		return n * 1e6
	case abs < 1e14:
		return n * 1e3
	case abs < 1e17:
		return n
	}
	return n / 1e3
}
