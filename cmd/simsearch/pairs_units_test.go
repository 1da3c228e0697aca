package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Hosts whose pages are near come with the shares of these, whether the host is kept or a part of an address.
func TestPairsOfUnits(t *testing.T) {
	t.Parallel()
	var pages strings.Builder
	add := func(host string, page int, text string) {
		fmt.Fprintf(&pages, `{"id":"http://%[1]s/%[2]d","url":"http://%[1]s/%[2]d","host":"%[1]s","text":"%[3]s"}`+"\n", host, page, text)
	}
	for i := range 4 {
		text := fmt.Sprint("page", i, " is about topic", i, " and about nothing else that any page", 10*i, " would have to say of it")
		add("www.example", i, text)
		if i < 3 {
			add("mirror.example", i, text)
		}
		add("other.example", i, fmt.Sprint("other", i, " words", i, " altogether", i, " here", i))
	}
	add("other.example", 9, "page0 is about topic0 and about nothing else that any page0 would have to say of it")
	add("", 0, "a page of no host, that is about nothing at all and is near nothing")
	file := write(t, filepath.Join(t.TempDir(), "pages.jsonl"), pages.String())
	for _, keep := range []string{"host", "url", ""} {
		dir := filepath.Join(t.TempDir(), "idx")
		args := []string{"index", "--index", dir, "--quiet", file}
		if keep != "" {
			args = append(args, "--keep-fields", keep)
		}
		must(t, args...)
		mirror := "www.example mirror.example 0.7500 1.0000 3 3 4 3\n"
		others := "mirror.example other.example 0.3333 0.2000 1 1 3 5\nwww.example other.example 0.2500 0.2000 1 1 4 5\n"
		for _, test := range []struct{ flags, want, told string }{
			{"", mirror + others, "3 pairs, of 3 values of host; documents without a value: 1"},
			{"--limit=1", mirror, "1 pair, of 3 values of host"},
			{"--k=0", mirror + others, "3 pairs, "},
		} {
			args := []string{"pairs", "--index", dir, "--by-field", "host"}
			if test.flags != "" {
				args = append(args, test.flags)
			}
			status, stdout, stderr := command(t, t.Context(), nil, args...)
			if got := strings.ReplaceAll(stdout, "\t", " "); got != test.want || (status == statusDone) != (got != "") || !strings.Contains(stderr, test.told) {
				t.Errorf("%s %s: status %d, %q, %s", keep, test.flags, status, got, stderr)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", dir, "--quiet", file)
	_, stdout, _ := command(t, t.Context(), nil, "pairs", "--index", dir, "--by-field", "host", "--limit", "1", "--json")
	if want := `{"v":1,"a":"www.example","b":"mirror.example","a_in_b":0.75,"b_in_a":1,"a_near":3,"b_near":3,"a_documents":4,"b_documents":3}` + "\n"; stdout != want {
		t.Errorf("%s, want %s", stdout, want)
	}
	for flags, want := range map[string]string{
		"--by-field site":        "keeps no such field",
		"--by-field host --show": "exclude each other",
	} {
		status, _, stderr := command(t, t.Context(), nil, append([]string{"pairs", "--index", dir}, strings.Fields(flags)...)...)
		if status != statusError || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", flags, status, stderr)
		}
	}
}
