package corpus

import (
	"strings"
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	want := time.Date(2024, 3, 4, 15, 4, 5, 0, time.UTC)
	for _, s := range []string{
		"2024-03-04T15:04:05Z", "2024-03-04T16:04:05+01:00", "2024-03-04 15:04:05", "2024-03-04T15:04:05", "2024-03-04T10:04:05-0500",
		"2024-03-04 15:04:05+00", "2024-03-04 15:04:05 +0000", "2024/03/04 15:04:05", "2024-03-04 15:04:05.000", "2024-03-04 15:04:05 UTC",
		"Mon, 04 Mar 2024 15:04:05 GMT", "Mon, 4 Mar 2024 16:04:05 +0100", "4 Mar 2024 15:04:05 UT", "Mon Mar  4 15:04:05 2024", "4-MAR-2024 15:04:05.00", "4-Mar-2024 15:04:05", "Mon Mar 04 15:04:05 +0000 2024",
		"1709564645", "1709564645.0", "1709564645000", "1709564645000000", "1709564645000000000", "1.709564645e9",
	} {
		if got, err := ParseDate(s); err != nil || got != want.UnixMicro() {
			t.Errorf("%q is %v, %v, want %v", s, time.UnixMicro(got).UTC(), err, want)
		}
	}
	for s, want := range map[string]string{"2024-03-04": "2024-03-04T00:00:00Z", "2024-03": "2024-03-01T00:00:00Z",
		"2024": "2024-01-01T00:00:00Z", "2024.0": "2024-01-01T00:00:00Z", "20240304": "2024-03-04T00:00:00Z", "20240304.": "2024-03-04T00:00:00Z", "20240304150405": "2024-03-04T15:04:05Z",
		"1000": "1000-01-01T00:00:00Z", "2999": "2999-01-01T00:00:00Z", "0999": "1970-01-01T00:16:39Z", "3000": "1970-01-01T00:50:00Z", "20241304": "1970-08-23T06:35:04Z", "+2024": "1970-01-01T00:33:44Z",
		"-2024": "1969-12-31T23:26:16Z", "202403": "1970-01-03T08:13:23Z", "2024.5": "1970-01-01T00:33:44.5Z", "0": "1970-01-01T00:00:00Z", "-86400": "1969-12-31T00:00:00Z", "2024-03-04T15:04:05.25Z": "2024-03-04T15:04:05.25Z"} {
		if got, err := ParseDate(s); err != nil || time.UnixMicro(got).UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %v, %v, want %v", s, time.UnixMicro(got).UTC(), err, want)
		}
	}
	for _, s := range []string{"", "yesterday", "03/04/2024", "2024-13-01", "Mon, 04 Mar 2024 15:04:05 EST", "NaN", "Inf", "1e300", strings.Repeat("1", 100)} {
		if got, err := ParseDate(s); err == nil {
			t.Errorf("%q is %v", s, time.UnixMicro(got).UTC())
		}
	}
}

func TestDateSpan(t *testing.T) {
	for s, want := range map[string][2]string{
		"2024":                 {"2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"},
		"2024-02":              {"2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		"2024-02-29":           {"2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"},
		"20241231":             {"2024-12-31T00:00:00Z", "2025-01-01T00:00:00Z"},
		"2024-02-29T10:00:00Z": {"2024-02-29T10:00:00Z", "2024-02-29T10:00:00.000001Z"},
	} {
		from, behind, err := DateSpan(s)
		got := [2]string{time.UnixMicro(from).UTC().Format(time.RFC3339Nano), time.UnixMicro(behind).UTC().Format(time.RFC3339Nano)}
		if err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", s, got, err, want)
		}
	}
	if _, _, err := DateSpan("soon"); err == nil {
		t.Error("soon is a date")
	}
}
