package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A value such as FILE:FIELD has a field, unless there is a file of this name, or the colon is of something else.
func TestAgainstFields(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "a:b")
	if err := os.WriteFile(odd, nil, 0o666); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		values []string
		want   string
	}{
		{nil, "[] "}, {[]string{"a.jsonl:text"}, "[a.jsonl] text"}, {[]string{"a:x,y", "b:x,y"}, "[a:x,y b:x,y] "}, {[]string{"in/a:x", "in/b:x"}, "[in/a in/b] x"},
		{[]string{odd}, "[" + odd + "] "}, {[]string{"s3://bucket/in"}, "[s3://bucket/in] "}, {[]string{"s3://bucket/in:x"}, "[s3://bucket/in] x"},
		{[]string{"in/a:x", "in/b"}, "--against in/b: name the same field with each"}, {[]string{`C:\in`, "in/"}, `[C:\in in/] `},
	} {
		d := deduping{Flags: &Flags{Against: list{Value: c.values}}}
		err := d.against()
		got := fmt.Sprint(d.Against.Value, " ", d.o.AgainstField)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.values, got, c.want)
		}
	}
}

// What is left out of pages and of messages is one list.
func TestReadWithout(t *testing.T) {
	for names, want := range map[string]Without{
		"menus": {}, "nothing": {HTML: "all"}, "quotes": {Mail: "quotes", HTML: "all"}, "menus,quotes,signatures": {Mail: "quotes,signatures"},
	} {
		if got, err := readWithout(names); err != nil || got != want {
			t.Errorf("%s: %+v, %v", names, got, err)
		}
	}
	for _, wrong := range []string{"", "body", "menus,nothing", "nothing,quotes"} {
		if got, err := readWithout(wrong); err == nil {
			t.Errorf("%q: %+v", wrong, got)
		}
	}
}
