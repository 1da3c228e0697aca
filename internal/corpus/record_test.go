package corpus

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"simsearch/internal/document"
	"simsearch/internal/syntax"
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
	deep := "! -:%d: not JSON: more than 300 brackets inside one another"
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
