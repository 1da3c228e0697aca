package syntax

import "testing"

func TestLooksLikeJSON(t *testing.T) {
	for _, tt := range []struct {
		head string
		want Shape
	}{
		{"", NotJSON}, {" \n", NotJSON}, {"a text", NotJSON}, {"{", NotJSON}, {"[", NotJSON}, {"[x]", NotJSON}, {"[1, 2]", NotJSON},
		{`["a", "b"]`, NotJSON}, {"{ braces } of a text", NotJSON}, {`{"quoted"} too`, NotJSON}, {`{"a" b`, NotJSON},
		{"[] a box to tick", NotJSON}, {"[]", Values}, {"[ ]\n", Values},
		{`{"text":"a"}`, Lines}, {"\n {\"text\":\"a\"}\r\n", Lines}, {"{}\n{}", Lines},
		{`{"text":"a` + "\n" + `{"text":"b"}`, Lines}, // a bad line
		{`{"text":"a`, Lines},                         // and so is this
		{`{"text":"a"}` + "\nand a text", NotJSON}, {`{"text":"a"}` + "\n{ text }", NotJSON},
		{`{"text":"a"}` + "\n\n" + `{"id`, Lines},
		{"{\n  \"text\": \"a\"\n}\n", Values}, {`{"text":` + "\n" + `"a"}`, Values},
		{`[{"text":"a"}]`, Values}, {"[\n  {\n    \"text\": 1", Values}, {"[{}", Values}, {"[{x", NotJSON},
	} {
		got, enough := LooksLikeJSON([]byte(tt.head), true)
		if got != tt.want || !enough {
			t.Errorf("%q: %d, %v, want %d", tt.head, got, enough, tt.want)
		}
	}
}

// What is said of a part of a stream holds for all of it, except that an object may turn out to
// have text behind it.
func FuzzLooksLike(f *testing.F) {
	for _, s := range []string{"a\nb", `{"text":"a"}` + "\n{}", "[\n{\"a\": [1]}]", "{\n\"a\":\n1}", "[]", `{"a\"":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		want, enough := LooksLikeJSON(s, true)
		if !enough {
			t.Fatal("not enough, though there is no more")
		}
		for n := range s {
			got, enough := LooksLikeJSON(s[:n], false)
			if enough && got != want && got != Lines {
				t.Fatalf("%q looks like %d, and %q like %d", s[:n], got, s, want)
			}
		}
	})
}
