package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Rows of tables pass behind the header of their table, which stands once before the rows of tables that have the same.
func TestRowsPassWithTheirHeader(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	one := write(t, filepath.Join(files, "1.csv"), "id,text\r\n1,\"some text\nover two lines that is new\"\r\n2,another text here\r\n3,another text here")
	two := write(t, filepath.Join(files, "2.csv"), "id,text\r\n4,a third text that is there\r\n")
	other := write(t, filepath.Join(files, "3.tsv"), "id\ttitle\ttext\n5\tx\ta fourth text\n")
	lines := write(t, filepath.Join(files, "4.jsonl"), `{"text":"a line between"}`+"\n")
	dir := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", dir, "--quiet", write(t, filepath.Join(files, "old.txt"), "unlike anything"))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--new", one, two, other}, "id,text\r\n1,\"some text\nover two lines that is new\"\r\n2,another text here\r\n4,a third text that is there\r\nid\ttitle\ttext\n5\tx\ta fourth text\n"},
		{[]string{"--matched", one, two}, "id,text\r\n3,another text here\n"},
		{[]string{"--new", two, lines, two}, "id,text\r\n4,a third text that is there\r\n" + `{"text":"a line between"}` + "\n"},
		{[]string{"--matched", two}, ""},
	} {
		_, stdout, stderr := command(t, t.Context(), nil, append([]string{"near", "--index", dir}, test.args...)...)
		if stdout != test.want {
			t.Errorf("%q: %q, want %q; %s", test.args, stdout, test.want, stderr)
		}
	}
	_, stdout, stderr := command(t, t.Context(), strings.NewReader("id,text\n1,a text of a pipe\n"), "near", "--index", dir, "--new", "--format", "csv", "-")
	if want := "id,text\n1,a text of a pipe\n"; stdout != want {
		t.Errorf("%q, want %q; %s", stdout, want, stderr)
	}
}

// Fields that no document has are told when an index is made, and values are found in lists and as numbers.
func TestKeptFields(t *testing.T) {
	t.Parallel()
	records := `{"id":"a","text":"the bridge is closed until May","tags":["news","roads"],"n":1}
{"id":"b","text":"the bridge is closed until May","tags":["roads"],"n":1.0}
{"id":"c","text":"the bridge is closed until May","tags":[],"n":"1"}
`
	file := write(t, filepath.Join(t.TempDir(), "a.jsonl"), records)
	dir := filepath.Join(t.TempDir(), "idx")
	_, _, stderr := command(t, t.Context(), nil, "index", "--index", dir, "--keep-fields", "tags,date,n,nope", file)
	if !strings.Contains(stderr, "simsearch: no document has the field date or nope, which --keep-fields names\n") {
		t.Errorf("%q", stderr)
	}
	for where, want := range map[string]string{"tags=roads": "a\tb\t1.0000\t0\t1.0000\n", "tags=news": "", "n=1": "a\tb\t1.0000\t0\t1.0000\na\tc\t1.0000\t0\t1.0000\nb\tc\t1.0000\t0\t1.0000\n", "n=2": ""} {
		if _, stdout, stderr := command(t, t.Context(), nil, "pairs", "--index", dir, "--where", where); stdout != want {
			t.Errorf("%s: %q, want %q; %s", where, stdout, want, stderr)
		}
	}
}
