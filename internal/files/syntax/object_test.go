package syntax

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

// records are lines that an Object parses, and some that it refuses.
var records = []string{
	`{"a":1,"b":{"a":[true,"x\"\\"]},"a":"\u0041\n"}`, ` { "a" : -1.5e3 , "b" : null } `, `[1,[2],{"a":[]}]`, `{"\u0061":"]}","b":"}"}`,
	`{"a":tru}`, `"\\"`, `{"a":"x" "b":1}`, `{`, `nope`, `{"a":01}`, `{"":{"":{}}}`, "{\"a\":\"\x01\"}", "{\"a\":\"\x01\\n\"}", "{\"\x01\\n\":1}",
	`{"a":"\ud83d\ude00 \ud83d x \ud83d\n \ud83d\u0041"}`, `{"a":"\u00zz"}`, `{"a":"\x"}`, `{"a":"\`, `{"a":"\u12`, `{"a.b":1,"a":{"b":2}}`, `{"a":{"b":"2"}}`,
	`{"a":-}`, `{"a":1.}`, `{"a":1e}`, `{"a":1e+}`, `{"a":.5}`, `{"a":+1}`, `{"a":-0.0E-0}`, `{"a":1,}`, `{,}`, `{"a":[1,]}`, `{"a":[,]}`, `{"a"}`, `{"a":}`, `{"a":1}x`, `{"a":1}}`, `{} {}`, ``, ` `,
	`{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
	`{` + strings.Repeat(`"x":0,`, mostMembers) + `"a":2}`, `{` + strings.Repeat(`"x":0,`, mostMembers-1) + `"a":2}`,
}

// An Object refuses the lines that ValidateJSON refuses, with its errors, and finds the members that Unquoter.Field
// finds, which looks at a line again for each. What it accepts, package encoding/json accepts, too.
func FuzzRecordIsValidate(f *testing.F) {
	for _, s := range records {
		f.Add([]byte(s), "a")
		f.Add([]byte(s), "a.b")
	}
	f.Fuzz(func(t *testing.T, line []byte, name string) {
		var r Object
		checkRecord(t, &r, line, name)
	})
}

func checkRecord(t *testing.T, r *Object, line []byte, name string) {
	t.Helper()
	err, want := r.ParseRecord(line), ValidateRecord(line)
	if fmt.Sprint(err) != fmt.Sprint(want) {
		t.Fatalf("%q: %v, want %v", line, err, want)
	}
	if err != nil {
		return
	}
	if strictly(line) != nil {
		return
	}
	if !json.Valid(line) {
		t.Fatalf("%q: accepted, and no JSON", line)
	}
	if err := r.ParseRecord(line); err != nil {
		t.Fatalf("%q is refused the second time: %v", line, err)
	}
	if !bytes.Equal(r.Value(), SkipSpace(line)) {
		t.Fatalf("%q: value %q", line, r.Value())
	}
	if r.Value()[0] != '{' {
		return
	}
	var u Unquoter
	if got, want := r.Field(name), u.Field(r.Value(), name); string(got) != string(want) || (got == nil) != (want == nil) {
		t.Fatalf("%q: %s is %q, want %q", line, name, got, want)
	}
}

// An Object is used again for lines of all kinds.
func TestRecordIsUsedAgain(t *testing.T) {
	var r Object
	rng := rand.New(rand.NewPCG(3, 9))
	for range 3000 {
		checkRecord(t, &r, []byte(records[rng.IntN(len(records))]), []string{"a", "b", "a.b", "", "x"}[rng.IntN(5)])
	}
}

// A string says what package fastjson says.
func FuzzUnquote(f *testing.F) {
	for _, s := range []string{`\ud83d\ude00`, `a\ud83d x\n`, `\ud83d\ud83d`, `\ude00\ud83d\u0041`, `\"\\\/\b\f\n\r\tx`, `\u00e9é\u0000`, "\x01\\n", `\ud83d\n\ude00`, `\uD83D\u12`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		quoted := append(append([]byte{'"'}, s...), '"')
		if ValidateJSON(quoted) != nil {
			return
		}
		v, err := fastjson.ParseBytes(bytes.Clone(quoted))
		if err != nil {
			t.Fatal(err)
		}
		var u Unquoter
		for range 2 {
			if got := u.Unquote(quoted); !bytes.Equal(got, v.GetStringBytes()) {
				t.Fatalf("%q says %q, want %q", quoted, got, v.GetStringBytes())
			}
		}
	})
}

// The first special byte is found wherever it is, by vectors and without them.
func TestPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for n := range 300 {
		s := make([]byte, n)
		for i := range s {
			for s[i] < 0x20 || s[i] == '"' || s[i] == '\\' {
				s[i] = byte(rng.UintN(256))
			}
		}
		check := func(want int) {
			t.Helper()
			if got := plain(s); got != want {
				t.Fatalf("%q: %d, want %d", s, got, want)
			}
			if got := plainGeneric(s); got != want {
				t.Fatalf("generic: %q: %d, want %d", s, got, want)
			}
		}
		check(n)
		for range 20 {
			if n == 0 {
				break
			}
			at, special := rng.IntN(n), append([]byte("\"\\"), byte(rng.UintN(0x20)))
			before := s[at]
			s[at] = special[rng.IntN(3)]
			check(at)
			behind := at + rng.IntN(n-at)
			beforeBehind := s[behind]
			s[behind] = special[rng.IntN(3)]
			check(at)
			s[behind] = beforeBehind
			s[at] = before
		}
	}
}

// Everything about a line: whether it is JSON, its members, and the text that one of them says.
func BenchmarkRecord(b *testing.B) {
	text := strings.Repeat("Some words of a text, which is read by a person. ", 30)
	for name, line := range map[string]string{
		"plain":   `{"id": 12, "text": "` + text + `"}`,
		"feeds":   `{"id": 12, "text": "` + strings.ReplaceAll(text, ".", `.\n`) + `"}`,
		"escaped": `{"id": 12, "text": "` + strings.Repeat(`\ud604\uc7ac `, 120) + `"}`,
	} {
		b.Run("text="+name, func(b *testing.B) {
			var r Object
			var u Unquoter
			line := []byte(line)
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if err := r.ParseRecord(line); err != nil {
					b.Fatal(err)
				}
				u.Unquote(r.Field("text"))
			}
		})
	}
}
