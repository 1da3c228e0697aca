package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/files/document"
)

// All texts of a record are read, and none of its numbers, whatever its fields are called.
func TestAllTexts(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"a.jsonl", `{"id":"x","q\u0061":"A \"b\"","n":1,"choices":["c",2,["d"]],"answers":{"z":"f","text":["e"]},"none":null,"empty":[]}` + "\n" + `{"other":"g"}` + "\n" + `{"n":2}` + "\n",
			"x|qa=A \"b\"|choices=c\nd|answers=e\nf|\na.jsonl#2|other=g|\na.jsonl#3||\n"},
		{"b.json", `[{"question":"a","text":"b"}]`, "b.json#1|question=a|text=b|\n"},
		{"c.csv", "id,question,answer\n1,a,\"b\nc\"\n2,,d\n", "1|question=a|answer=b\nc|\n2|answer=d|\n"},
		{"d.txt", "a text\n", "d.txt||\n"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.name), []byte(c.data), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open([]string{filepath.Join(dir, c.name)}, Options{AllTexts: true, Base: dir})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for doc, err := range r.Documents() {
			if err != nil {
				t.Fatal(err)
			}
			got += string(doc.ID) + "|"
			for i := 0; ; i += 2 {
				name, ok := document.Field(doc.Fields, i)
				if !ok {
					break
				}
				value, _ := document.Field(doc.Fields, i+1)
				got += fmt.Sprintf("%s=%s|", name, value)
			}
			if got += "\n"; len(doc.Fields) == 0 {
				got = got[:len(got)-1] + "|\n"
			}
		}
		if err := r.Close(); err != nil || got != c.want {
			t.Errorf("%s: %v, and\n%s, want\n%s", c.name, err, got, c.want)
		}
	}
}
