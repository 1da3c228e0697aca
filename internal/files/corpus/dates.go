package corpus

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// timeLayouts are the forms of dates and times. Those without an offset are in UTC. All may have a fraction of the
// seconds.
var timeLayouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 Z0700",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01", "2006/01/02 15:04:05", "2006/01/02",
	"Mon, 2 Jan 2006 15:04:05 Z0700", "2 Jan 2006 15:04:05 Z0700", // RFC 1123 and RFC 5322
	"2-Jan-2006 15:04:05", "2-Jan-2006", // as in 26-FEB-1987
	"Mon Jan _2 15:04:05 2006", "Mon Jan _2 15:04:05 Z0700 2006", // of C, and with an offset
}

// errNoDate is returned for a text that is neither a date nor a time.
var errNoDate = errors.New("no date or time")

// ParseDate returns the time that s names, in microseconds from 1970 on. A whole number of 4, 8 or 14 digits is a
// year, a day or a second, YYYY, YYYYMMDD or YYYYMMDDhhmmss in UTC, if there is such a one in the years 1000 to 2999.
// Any other number is a Unix time: in seconds below 1e11, which is the year 5138, in milliseconds below 1e14, in
// microseconds below 1e17, and otherwise in nanoseconds.
func ParseDate(s string) (micros int64, err error) {
	if s == "" || len(s) > maxTime {
		return 0, errNoDate
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
		return 0, errNoDate
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
	return 0, errNoDate
}

// digitLayouts are dates of digits alone, by their number. Unix times of so few seconds are of the year 1970, and
// those of so many milliseconds of the years 2286 to 5138.
var digitLayouts = map[int]string{4: "2006", 8: "20060102", 14: "20060102150405"}

// parseDigits reads a date of digits alone, behind which a fraction of zeros may stand: programs write whole numbers
// so if others are missing.
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

// DateSpan returns the first microsecond of the time that s names, and the first one behind it: a year, a month
// or a day if s names no time of the day, and otherwise one microsecond.
func DateSpan(s string) (from, behind int64, err error) {
	from, err = ParseDate(s)
	if err != nil {
		return 0, 0, err
	}
	start := time.UnixMicro(from).UTC()
	next := start.Add(time.Microsecond)
	is := func(layout string) bool {
		_, err := time.Parse(layout, s)
		return err == nil && len(s) == len(layout)
	}
	switch {
	case is("2006"):
		next = start.AddDate(1, 0, 0)
	case is("2006-01"):
		next = start.AddDate(0, 1, 0)
	case is("2006-01-02"), is("2006/01/02"), is("20060102"):
		next = start.AddDate(0, 0, 1)
	}
	return from, next.UnixMicro(), nil
}
