package corpus

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestFilesFrom(t *testing.T) {
	const list = "d/a\r\n\nabsent\nd\n-\nidx\nb c\n"
	want := []string{
		"x=X", "d/a=A", "! list:3: cannot read absent: no such file or directory", "d/a=A", "d/b=B",
		"! list:5: - is standard input, which a list cannot name: ./- is a file of this name",
		"! list:6: idx is an index of simsearch, and no collection: name the documents", "b c=BC",
	}
	files(t, map[string]string{
		"x": "X", "d/a": "A", "d/b": "B", "b c": "BC", "idx/MANIFEST": "simsearch index 2\n{}",
		"list": list, "list0": strings.NewReplacer("\r\n", "\x00", "\n", "\x00").Replace(list), "empty": "\n",
	})
	for _, name := range []string{"list", "list0"} {
		r, err := Open([]string{"x"}, Options{FilesFrom: []string{name}})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(want)
		for i := range want {
			want[i] = strings.Replace(want[i], "! list:", "! "+name+":", 1)
		}
		if got := readAll(t, r); !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", name, got, want)
		}
	}
	r, err := Open(nil, Options{FilesFrom: []string{"-"}, Stdin: strings.NewReader("x\nb c")})
	if err != nil {
		t.Fatal(err)
	}
	if name, ok := r.Once(); name != "-" || !ok {
		t.Errorf("Once is %q, %v, want standard input", name, ok)
	}
	if got, want := readAll(t, r), []string{"x=X", "b c=BC"}; !slices.Equal(got, want) {
		t.Errorf("standard input: got %q, want %q", got, want)
	}
}

// A file of a list that has no records is read, though fields of records are named.
func TestFilesFromWithFields(t *testing.T) {
	files(t, map[string]string{"a.txt": "A", "b.jsonl": `{"body":"B"}`})
	r, err := Open(nil, Options{FilesFrom: []string{"-"}, Stdin: strings.NewReader("a.txt\nb.jsonl\n"), TextField: "body"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.txt=A", "b.jsonl#1=B"}
	if got := readAll(t, r); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFilesFromRefuses(t *testing.T) {
	files(t, map[string]string{"a": "A"})
	for _, tt := range []struct {
		inputs, lists []string
		want          string
	}{
		{nil, []string{"absent"}, "cannot read absent: no such file or directory"},
		{nil, []string{"."}, "cannot read .: is a directory"},
		{[]string{"-"}, []string{"-"}, "standard input (-) is named twice"},
		{nil, []string{"-", "-"}, "standard input (-) is named twice"},
	} {
		if _, err := Open(tt.inputs, Options{FilesFrom: tt.lists, Stdin: strings.NewReader("a")}); err == nil || err.Error() != tt.want {
			t.Errorf("%v, %v: %v, want %q", tt.inputs, tt.lists, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(nil, Options{FilesFrom: []string{"-"}, Stdin: silence{}, Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
