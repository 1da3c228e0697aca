package corpus

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadJSON(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil}, {" \n", nil}, {"[]", nil}, {" [ ] \n", nil},
		{`[{"text":"a"}]`, []string{"-#1=a"}},
		{`[{"id":1,"text":"a]}\"\\"} , {"text":"b","l":[{},[]]}]`, []string{`1=a]}"\`, "-#2=b"}},
		{`{"text":"a"}{"text":"b"}` + "\n\n" + `{"text":"c"}`, []string{"-#1=a", "-#2=b", "-#3=c"}},
		{`[{"text":"a"}, 17, "x", null, [1], {"text":2}, {"id":"z"}, {"text":"b"}]`, []string{
			"-#1=a", "! -:2: a JSON number, want an object", "! -:3: a JSON string, want an object", "! -:4: a JSON null, want an object",
			"! -:5: a JSON array, want an object", `! -:6: field "text" is a number, want a string`, `! -:7: no field "text"`, "-#8=b"}},
		{`[{"text":"a"}, {"text":"b",}, {"text":"c"}]`, []string{"-#1=a", "! -:2: not JSON: want a name in quotes", "-#3=c"}},
		{`[{"text":"a"} {"text":"b"}]`, []string{"-#1=a", `! standard input: not JSON: '{' behind element 1, want a comma or ]`}},
		{`[{"text":"a"},]`, []string{"-#1=a", `! standard input: not JSON: ']' where element 2 should begin`}},
		{`[,]`, []string{`! standard input: not JSON: ',' where element 1 should begin`}},
		{`[{"text":"a"}] x`, []string{"-#1=a", `! standard input: not JSON: 'x' behind the array`}},
		{`[{"text":"a"}`, []string{"-#1=a", "! standard input: not JSON: the array does not end"}},
		{`[{"text":"a"},{"text":"b`, []string{"-#1=a", "! standard input: not JSON: it ends inside of element 2"}},
		{`{"text":"a"} x`, []string{"-#1=a", `! standard input: not JSON: 'x' where an object should begin`}},
		{`[nulls]`, []string{`! -:1: not JSON: more behind the value`}},
		{`[{"text":"a"}, {"text":"a long text that is over the limit"}, {"text":"b"}]`, []string{"-#1=a", "! -:2: longer than 30 B: left out", "-#3=b"}},
	} {
		for _, stdin := range []io.Reader{strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text))} {
			r, err := Open([]string{"-"}, Options{Format: JSON, Stdin: stdin, Lenient: true, MaxDocument: 30})
			if err != nil {
				t.Fatal(err)
			}
			got := readAll(t, r)
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s\n got %q\nwant %q", tt.text, got, tt.want)
			}
		}
	}
}

// An element of an array that is too long is not held in memory.
func TestLongElementsAreNotHeld(t *testing.T) {
	array := io.MultiReader(strings.NewReader(`[{"text":"`), endless(200<<20), strings.NewReader(`"},{"text":"b"}]`))
	var got []string
	took := allocated(func() {
		r, err := Open([]string{"-"}, Options{Stdin: array, MaxDocument: 1 << 20, Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		got = readAll(t, r)
	})
	if want := []string{"! -:1: longer than 1.05 MB: left out", "-#2=b"}; !slices.Equal(got, want) {
		t.Errorf("got %.200q, want %q", got, want)
	}
	if took > 20<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}
