package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// A copy has other strings, whatever has them, and the original keeps its own.
func TestStrings(t *testing.T) {
	type inner struct {
		Names []string
		Bytes []byte
		Cells []any
	}
	type outer struct {
		*inner
		Inner *inner
		None  []int
		Left  *inner
		kept  string
	}
	of := func(name string) outer {
		return outer{Inner: &inner{[]string{name}, []byte("a"), []any{name, 1, nil, inner{Names: []string{name}}}}, kept: "a"}
	}
	from := of("a")
	got := Filled(from, strings.ToUpper)
	if got.kept != "a" || !reflect.DeepEqual(from, of("a")) {
		t.Errorf("%+v of %+v", got, from)
	}
	text, err := json.Marshal(got)
	if want := `{"Inner":{"Names":["A"],"Bytes":"YQ==","Cells":["A",1,null,{"Names":["A"],"Bytes":"","Cells":[]}]},"None":[],"Left":null}`; err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
}

func TestHarmlessText(t *testing.T) {
	for text, want := range map[string]string{"a\r\nb\rc\td\n": "a\nb\nc\td\n", "\x1b[1m\n\xff": "\uFFFD1B[1m\n\uFFFDFF", "": ""} {
		if got := harmlessText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := fmt.Sprint((&Example{Remarks: []string{"x"}, More: 1}).Notes(), (&Example{More: 1200}).Notes(), (&Example{}).Notes()); got != "[x 1 more difference.] [1,200 more differences.] []" {
		t.Error(got)
	}
}
