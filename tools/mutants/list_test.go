package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every mutant of the list changes lines that stand once in a file that is there.
func TestListApplies(t *testing.T) {
	text, err := os.ReadFile("list.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		source, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(m.file)))
		if err != nil {
			t.Error(err)
			continue
		}
		changed, err := m.apply(string(source))
		if err != nil {
			t.Error(err)
		} else if changed == string(source) {
			t.Errorf("%s: %s: nothing changes", m.file, m.what)
		}
	}
	if len(all) < 300 {
		t.Errorf("only %d mutants", len(all))
	}
}

func TestApply(t *testing.T) {
	all, err := parse("# a remark\na.go: what breaks\n- one\n- two\n+ 1\n\na.go: another\n- three\n+\n")
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	if got, err := all[0].apply("zero\n\tone\n\t\ttwo\nthree"); err != nil || got != "zero\n1\nthree" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := all[1].apply("two\nthree"); err != nil || got != "two\n" {
		t.Errorf("%q, %v", got, err)
	}
	for source, want := range map[string]string{"one\ntwo\none\ntwo": "lines 1 and 3 are the same", "one": "no such lines"} {
		if _, err := all[0].apply(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, bad := range []string{"- one", "a.go: b", "a.go b", "a.go: b\n- c\n+ d\n- e\n+ f"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
