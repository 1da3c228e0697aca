package syntax

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

// A record has the fields that another parser finds; of several fields with one name it has the last. A record is
// refused exactly if package encoding/json, or the limit of depth, refuses it: fastjson lets control characters pass
// in a string with escapes.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":{"a":[true,"x\"\\"]},"a":"\u0041\n"}`, ` { "a" : -1.5e3 , "b" : null } `, `[1,[2],{"a":[]}]`, `{"\u0061":"]}","b":"}"}`,
		`{"a":tru}`, `"\\"`, `{"a":"x" "b":1}`, `{`, `nope`, "\"\x02\\b\"", `{"a":01}`, `{"":{"":{}}}`, "{\"a\":\"\x01\"}",
	} {
		f.Add([]byte(s), "a")
	}
	f.Fuzz(func(t *testing.T, line []byte, name string) {
		var u Unquoter
		err := ValidateJSON(line)
		if want := json.Valid(line); (err == nil) != want && (err == nil || !strings.Contains(err.Error(), tooDeep)) {
			t.Fatalf("%q: %v, want %v", line, err, want)
		}
		if err != nil {
			return
		}
		record := SkipSpace(line)
		var p fastjson.Parser
		v, err := p.ParseBytes(line)
		if err != nil {
			t.Fatalf("%q is valid, and yet: %v", line, err)
		}
		if got, want := JSONKind(record), v.Type().String(); got != want {
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
		got := u.Child(record, name)
		switch {
		case (got == nil) != (want == nil):
			t.Fatalf("%q: member %q is %q, want %v", line, name, got, want)
		case got == nil:
		case got[0] == '"' && string(u.Unquote(got)) != string(want.GetStringBytes()):
			t.Fatalf("%q: member %q says %q, want %q", line, name, u.Unquote(got), want.GetStringBytes())
		case got[0] != '"' && !sameJSON(got, want.MarshalTo(nil)):
			t.Fatalf("%q: member %q is %q, want %q", line, name, got, want)
		}
	})
}

// The end of a value does not depend on how it is cut, and is that of the value.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{`{"a":[1,"]\\"],"b":{}}`, `"x\"y"`, `12`, `[[],{}]`, `{}`} {
		f.Add([]byte(s), uint16(1))
	}
	f.Fuzz(func(t *testing.T, s []byte, cut uint16) {
		var whole, parts Scanner
		n, ended := whole.Scan(s)
		at := min(int(cut), len(s))
		m, partEnded := parts.Scan(s[:at])
		if !partEnded {
			var more int
			more, partEnded = parts.Scan(s[at:])
			m += more
		}
		if n != m || ended != partEnded {
			t.Fatalf("%d, %v in one part, %d, %v in two", n, ended, m, partEnded)
		}
		value := bytes.TrimSpace(s)
		if len(value) > 0 && ValidateJSON(value) == nil && (value[0] == '{' || value[0] == '[' || value[0] == '"') {
			var scan Scanner
			if n, ended := scan.Scan(value); n != len(value) || !ended {
				t.Fatalf("%q ends after %d bytes, %v", value, n, ended)
			}
		}
	})
}

// sameJSON reports whether two values are equal except for white space.
func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) != nil || json.Compact(&y, b) != nil || bytes.Equal(x.Bytes(), y.Bytes())
}

// Brackets are closed by their own kind, and a request nests as deeply as it may.
func TestNestedBrackets(t *testing.T) {
	for _, line := range []string{`{"a":{"b":1}}`, `{"a":{"b":1]}`, `{"a":{"b":1}]`, `{"a":[1}}`, `{"a":[1]]`, `[{"a":1]]`, `[{"a":[]}]`, `[[1}]`, `{"a":{"b":[]]}`, `{"x":{"a":{},"b":[1]}}`, `{"x":[[{"a":1},[2,3]]]}`, `[{"a":1},[[2]]]`} {
		if got, want := ValidateRecord([]byte(line)) == nil, json.Valid([]byte(line)); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(9, 9))
	var made func(depth int) any
	made = func(depth int) any {
		switch n := rng.IntN(4); {
		case depth == 0 || rng.IntN(5) == 0:
			return rng.IntN(9)
		case rng.IntN(2) == 0:
			list := make([]any, n)
			for i := range list {
				list[i] = made(depth - 1)
			}
			return list
		default:
			object := map[string]any{}
			for i := range n {
				object[string(rune('a'+i))] = made(depth - 1)
			}
			return object
		}
	}
	for range 20_000 {
		line, err := json.Marshal(made(12))
		if err == nil {
			err = ValidateRecord(line)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	for depth, ok := range map[int]bool{1: true, MaxDepth: true, MaxDepth + 1: false, 2 * MaxDepth: false} {
		line := strings.Repeat("[", depth-1) + `{"a":"[["}` + strings.Repeat("]", depth-1)
		if err := ValidateJSON([]byte(line)); (err == nil) != ok {
			t.Errorf("%d brackets: %v", depth, err)
		}
	}
}

// What ValidateRecord takes, and ValidateJSON does not, is the numbers that Python writes, and any depth. NaN and
// Infinity are 0 for the reference, as long as they stand in no string.
func TestRecordsOfPython(t *testing.T) {
	deep := func(n int) string {
		return strings.Repeat(`[{"a":`, n) + "1" + strings.Repeat("}]", n)
	}
	for line, ok := range map[string]bool{
		`{"a":NaN,"b":[Infinity, -Infinity],"text":"NaN"}`: true, `NaN`: true, `{"a":NaNa}`: false, `{"a":-NaN}`: false, `{"a":+Infinity}`: false,
		`{"a":Inf}`: false, `{"a":--Infinity}`: false, `{NaN:1}`: false, `{"a":` + deep(50_000) + `}`: true, deep(50_000): true,
		deep(50_000)[1:]: false, deep(50_000) + "]": false, strings.Repeat("[", 100_000): false,
	} {
		if err := ValidateRecord([]byte(line)); (err == nil) != ok {
			t.Errorf("%.50q: %v", line, err)
		}
		if err := ValidateJSON([]byte(line)); err == nil {
			t.Errorf("%.50q is JSON", line)
		}
	}
	rng := rand.New(rand.NewPCG(7, 7))
	pieces := []string{"[", "]", "{", "}", `"a"`, ":", ",", "1", "NaN", "Infinity", "-Infinity", " "}
	for range 200_000 {
		var b strings.Builder
		for range 1 + rng.IntN(9) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		plain := strings.NewReplacer("-Infinity", "0", "Infinity", "0", "NaN", "0").Replace(b.String())
		if strings.Contains(plain, "00") || strings.Contains(plain, "10") || strings.Contains(plain, "01") {
			continue // two numbers would be one
		}
		if got, want := ValidateRecord([]byte(b.String())) == nil, json.Valid([]byte(plain)); got != want {
			t.Fatalf("%s: %v, want %v", b.String(), got, want)
		}
	}
}
