package corpus

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"simsearch/internal/files/document"
	"simsearch/internal/files/syntax"
)

// allocated returns how many bytes do allocates on the heap in all.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A record of very many values, or a line full of mistakes, takes only a small multiple of its
// size.
func TestRecordsTakeLittleMemory(t *testing.T) {
	const size = 8_000_000
	for name, line := range map[string]string{
		"values":  `{"text":"x","a":[` + strings.Repeat("1,", size/2) + `1]}`,
		"keys":    `{"text":"x"` + strings.Repeat(`,"a":1`, size/6) + `}`,
		"a word":  strings.Repeat("[", syntax.MaxDepth) + "nope" + strings.Repeat("\x01", size),
		"number":  strings.Repeat("[", syntax.MaxDepth) + "1" + strings.Repeat("0", size) + "x",
		"numbers": strings.Repeat("[", syntax.MaxDepth) + strings.Repeat("-", size),
		"names":   `{"` + strings.Repeat("n", size) + `":1}`,
		"an id":   `{"text":"x","id":[` + strings.Repeat("1,", size/2) + `1]}`,
		"escape":  `{"text":"` + strings.Repeat(`\x`, size/2) + `"}`,
	} {
		took := allocated(func() {
			r, err := Open([]string{"-"}, Options{Format: JSONL, Stdin: strings.NewReader(line)})
			if err != nil {
				t.Fatal(err)
			}
			var doc document.Document
			var fe *FieldError
			switch err := r.readDocument(&doc); {
			case err == nil && string(doc.Text) == "x":
			case errors.As(err, new(*BadError)) && len(err.Error()) < 300:
			case errors.As(err, &fe) && len(err.Error()) < 300:
			default:
				t.Errorf("%s: %.300v", name, err)
			}
		})
		if took > 8*size { // the buffer for the line grows in steps
			t.Errorf("%s: a line of %d bytes took %d", name, int(size), took)
		}
	}
}

func TestNestedBrackets(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	cut := "! -:%d: not JSON: want a value"
	in := []string{
		strings.Repeat("[", 4e6),
		strings.Repeat(`{"a":`, 8e5),
		`{"text":"x","a":` + strings.Repeat(`[{"b":`, 2e5),
		`{"text":"x","a":` + nested(syntax.MaxDepth) + `}`,
		`{"text":"x","a":` + nested(syntax.MaxDepth-1) + `}`,
		`{"text":"` + strings.Repeat(`[`, 4e6) + `"}`,
		`{"text":"` + strings.Repeat(`\"[`, 1e6) + `"}`,
		`{"text":"\\","a":"` + strings.Repeat(`{`, 1e6) + `\\"}`,
		`{"text":"x","` + strings.Repeat(`[`, 1e6) + `":1}`,
		`{"text":"x","a":[` + strings.Repeat(`[],`, 1e6) + `[]]}`,
	}
	want := []string{
		fmt.Sprintf(cut, 1), fmt.Sprintf(cut, 2), fmt.Sprintf(cut, 3), "-#4=x", "-#5=x",
		"-#6=" + strings.Repeat("[", 4e6), "-#7=" + strings.Repeat(`"[`, 1e6), `-#8=\`, "-#9=x", "-#10=x",
	}
	r, err := Open([]string{"-"}, Options{Format: JSONL, Lenient: true, Stdin: strings.NewReader(strings.Join(in, "\n"))})
	if err != nil {
		t.Fatal(err)
	}
	got := readAll(t, r)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("got %.100s\nwant %.100s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d results, want %d", len(got), len(want))
	}
}

// What nobody asks for does not spoil a record; paths reach into lists; lines may end with CR alone.
func TestFieldsOfRecords(t *testing.T) {
	chat := `{"messages":[{"role":"user","content":"one"},{"role":"tool","content":null},{"role":"assistant","content":"two","calls":[{"f":"x"}]}],"tags":["a","b"],"n":7}`
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for _, tt := range []struct {
		in, fields, want string
	}{
		{`{"text":"x","score":NaN,"most":[Infinity,-Infinity]}`, "", "x"},
		{`{"text":"x","a":` + deep + `}`, "", "x"},
		{`{"a":{"b":` + deep + `},"text":"x"}`, "", "x"},
		{`{"text":NaN}`, "", `! -:1: field "text" is a number, want a string`},
		{`{"text":-Infinity}`, "", `! -:1: field "text" is a number, want a string`},
		{`{"id":NaN,"text":"x"}`, "", `! -:1: field "id" is NaN, want a string or a number`},
		{`{"text":"x","a":Nan}`, "", "! -:1: not JSON: want a value"},
		{"{\"text\":\"a\"}\r{\"text\":\"b\"}\r", "", "a|b"},
		{"{\"text\":\"a\"}\r\n{\"text\":\r\"b\"}\r\n", "", "a|b"},
		{chat, "messages[].content", "one\ntwo"},
		{chat, "messages[].role,messages[].content", "user\ntool\nassistant\none\ntwo"},
		{chat, "tags[]", "a\nb"},
		{chat, "messages[].calls[].f", "x"},
		{`{"a":[["x","y"],[],["z"]]}`, "a[][]", "x\ny\nz"},
		{`{"messages":[]}`, "messages[].content", ""},
		{`{"messages":[{"content":"x"},{"content":[{"text":"y"}]}]}`, "messages[].content,messages[].content[].text", "x\ny"},
		{`{"messages":[{"content":"x"},{"content":7}]}`, "messages[].content", `! -:1: field "messages[].content" is a number, want a string`},
		{chat, "messages", `! -:1: field "messages" is an array, want a string, such as messages[].role or messages[].content or messages[].calls[].f`},
		{chat, "messages[]", `! -:1: field "messages[]" is an object, want a string, such as messages[].role or messages[].content or messages[].calls[].f`},
		{chat, "n[]", `! -:1: field "n[]" leads to a number, want a list`},
		{chat, "", `! -:1: no field "text"; the record has messages[].role, messages[].content, messages[].calls[].f, tags[], n`},
		{chat, "none[].x", `! -:1: no field "none[].x"; the record has messages[].role, messages[].content, messages[].calls[].f, tags[], n`},
	} {
		r, err := Open([]string{"-"}, Options{Format: JSONL, Stdin: strings.NewReader(tt.in), TextField: tt.fields})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for doc, err := range r.Documents() {
			if err != nil {
				got = append(got, "! "+strings.Replace(err.Error(), "standard input", "-", 1))
				continue
			}
			got = append(got, string(doc.Text))
		}
		if got := strings.Join(got, "|"); got != tt.want {
			t.Errorf("%.60s by %q: %.300q, want %q", tt.in, tt.fields, got, tt.want)
		}
	}
}
