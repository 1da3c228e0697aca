package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"simsearch/document"
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
		"a word":  strings.Repeat("[", maxDepth) + "nope" + strings.Repeat("\x01", size),
		"number":  strings.Repeat("[", maxDepth) + "1" + strings.Repeat("0", size) + "x",
		"numbers": strings.Repeat("[", maxDepth) + strings.Repeat("-", size),
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
	deep := "! -:%d: not JSON: more than 300 brackets inside one another"
	in := []string{
		strings.Repeat("[", 4e6),
		strings.Repeat(`{"a":`, 8e5),
		`{"text":"x","a":` + strings.Repeat(`[{"b":`, 2e5),
		`{"text":"x","a":` + nested(maxDepth) + `}`,
		`{"text":"x","a":` + nested(maxDepth-1) + `}`,
		`{"text":"` + strings.Repeat(`[`, 4e6) + `"}`,
		`{"text":"` + strings.Repeat(`\"[`, 1e6) + `"}`,
		`{"text":"\\","a":"` + strings.Repeat(`{`, 1e6) + `\\"}`,
		`{"text":"x","` + strings.Repeat(`[`, 1e6) + `":1}`,
		`{"text":"x","a":[` + strings.Repeat(`[],`, 1e6) + `[]]}`,
	}
	want := []string{
		fmt.Sprintf(deep, 1), fmt.Sprintf(deep, 2), fmt.Sprintf(deep, 3), fmt.Sprintf(deep, 4), "-#5=x",
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

// A record has the fields that another parser finds; of several fields with one name it has the
// last. A record is refused exactly if that parser's validator, or the limit of depth, refuses it.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":{"a":[true,"x\"\\"]},"a":"\u0041\n"}`, ` { "a" : -1.5e3 , "b" : null } `, `[1,[2],{"a":[]}]`, `{"\u0061":"]}","b":"}"}`,
		`{"a":tru}`, `"\\"`, `{"a":"x" "b":1}`, `{`, `nope`, `{"a":01}`, `{"":{"":{}}}`, "{\"a\":\"\x01\"}",
	} {
		f.Add([]byte(s), "a")
	}
	f.Fuzz(func(t *testing.T, line []byte, name string) {
		var u unquoter
		err := validate(line)
		if want := fastjson.ValidateBytes(line); (err == nil) != (want == nil) {
			t.Fatalf("%q: %v, want %v", line, err, want)
		}
		if err != nil {
			return
		}
		record := skipSpace(line)
		var p fastjson.Parser
		v, err := p.ParseBytes(line)
		if err != nil {
			t.Fatalf("%q is valid, and yet: %v", line, err)
		}
		if got, want := kindOf(record), v.Type().String(); got != want {
			t.Fatalf("%q is a %s, want %s", line, got, want)
		}
		if record[0] != '{' {
			return
		}
		var want *fastjson.Value
		v.GetObject().Visit(func(key []byte, v *fastjson.Value) {
			if string(key) == name {
				want = v
			}
		})
		got := u.child(record, name)
		switch {
		case (got == nil) != (want == nil):
			t.Fatalf("%q: member %q is %q, want %v", line, name, got, want)
		case got == nil:
		case got[0] == '"' && string(u.unquote(got)) != string(want.GetStringBytes()):
			t.Fatalf("%q: member %q says %q, want %q", line, name, u.unquote(got), want.GetStringBytes())
		case got[0] != '"' && !sameJSON(got, want.MarshalTo(nil)):
			t.Fatalf("%q: member %q is %q, want %q", line, name, got, want)
		}
	})
}

// sameJSON reports whether two values are equal except for white space.
func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) != nil || json.Compact(&y, b) != nil || bytes.Equal(x.Bytes(), y.Bytes())
}
