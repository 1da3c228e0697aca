package main

import (
	"path/filepath"
	"strings"
	"testing"
)

const purchases = `user,item,year
ada,The Beatles,2024
ada,Abba,2024
bob,The Beatles,2023
bob,Abba,2022
bob,Queen,2022
cy,Bach,2020
dee d,Bach,2021
dee d,Queen,2021
`

// Rows of a table are gathered to users or items, which an index does not mix.
func TestIndexGathersRows(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	rows := strings.Split(strings.TrimSpace(purchases), "\n")[1:]
	var pairs, tabs, records strings.Builder
	for _, row := range rows {
		cells := strings.Split(row, ",")
		pairs.WriteString(cells[1] + "," + cells[0] + "\n")
		tabs.WriteString(cells[0] + "\t" + strings.ReplaceAll(cells[1], " ", "_") + "\n")
		records.WriteString(`{"user":"` + cells[0] + `","item":"` + cells[1] + `"}` + "\n")
	}
	inputs := map[string][]string{
		"columns user and item": {write(t, filepath.Join(files, "a.csv"), purchases)},
		"two columns":           {write(t, filepath.Join(files, "b.csv"), "item,user\n"+pairs.String())},
		"named columns": {write(t, filepath.Join(files, "c.csv"), strings.Replace(purchases, "user,item", "who,what", 1)),
			"--id-field", "who", "--text-field", "what"},
		"sets":    {write(t, filepath.Join(files, "d.tsv"), tabs.String()), "--format", "sets"},
		"records": {write(t, filepath.Join(files, "e.jsonl"), records.String())},
	}
	for what, args := range inputs {
		users, items := filepath.Join(t.TempDir(), "users"), filepath.Join(t.TempDir(), "items")
		must(t, append([]string{"index", "--index", users, "--quiet", "--gather", "users"}, args...)...)
		must(t, append([]string{"index", "--index", items, "--quiet", "--gather", "items"}, args...)...)
		beatles := "The Beatles"
		if what == "sets" {
			beatles = "The_Beatles"
		}
		for _, test := range []struct {
			index, id string
			want      string
		}{
			{users, "ada", "ada\tbob\t0.6667\t-\n"},
			{users, "dee d", "dee d\tcy\t0.5000\t-\n"},
			{items, beatles, beatles + "\tAbba\t1.0000\t-\n" + beatles + "\tQueen\t0.3333\t-\n"},
		} {
			_, stdout, stderr := command(t, t.Context(), nil, "near", "--index", test.index, "--id", test.id, "--jaccard", "0.3")
			if got := strings.ReplaceAll(stdout, "\n", "\t-\n"); got != test.want {
				t.Errorf("%s: near %s is %q, want %q; %s", what, test.id, got, test.want, stderr)
			}
		}
		for _, wrong := range [][]string{{"--index", items}, {"--index", items, "--gather", "users"}, {"--index", users, "--gather", "items"}} {
			status, _, stderr := command(t, t.Context(), nil, append(append([]string{"index"}, wrong...), args...)...)
			if status != statusError || !strings.Contains(stderr, "--gather items, or make another index") {
				t.Errorf("%s: %q: status %d, %s", what, wrong, status, stderr)
			}
		}
		if what != "sets" { // lines of --format sets may be whole sets
			status, _, stderr := command(t, t.Context(), nil, append([]string{"index", "--index", users}, args...)...)
			if status != statusError || !strings.Contains(stderr, "this index was made with --gather") {
				t.Errorf("%s: rows are added as sets: status %d, %s", what, status, stderr)
			}
		}
		for dir, want := range map[string]string{users: "sets of the items of one id (--gather users)", items: "items, as sets of the ids that have them (--gather items)"} {
			if _, stdout, _ := command(t, t.Context(), nil, "info", "--index", dir); !strings.Contains(stdout, want) {
				t.Errorf("%s: info does not say %q: %s", what, want, stdout)
			}
		}
		// More of the same kind can be added.
		must(t, "index", "--index", items, "--quiet", "--gather", "items", "--format", "sets", write(t, filepath.Join(files, "more"), "eve\tChopin\n"))
	}
}

// What cannot be pairs is refused with advice.
func TestIndexGatherMistakes(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	table := write(t, filepath.Join(files, "a.csv"), purchases)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{write(t, filepath.Join(files, "a.txt"), "some text")}, "and not text: a table begins with a line of names such as user,item"},
		{[]string{table, "--keep-fields", "year"}, "--keep-fields excludes --gather"},
		{[]string{table, "--text-field", "what"}, `no column "what"; the table has user, item, year`},
		{[]string{write(t, filepath.Join(files, "bare.tsv"), "ann\tpen\nbob\tpen\n")}, `no column "item"; the table has ann, pen: choose one with --text-field`},
		{[]string{table, "--id-field", "who"}, `no column "who"; the table has user, item, year`},
		{[]string{table, "--features", "words"}, "sets of items, and these settings have features words"},
		{[]string{table, "--format", "lines"}, "and not lines"},
		{[]string{table, "--format", "sets"}, "or a table with a header and another --format"},
	} {
		dir := filepath.Join(t.TempDir(), "idx")
		status, _, stderr := command(t, t.Context(), nil, append([]string{"index", "--index", dir, "--gather", "users"}, test.args...)...)
		if status != statusError || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: status %d, %s", test.args, status, stderr)
		}
	}
}
