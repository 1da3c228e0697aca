package dedup

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
)

// The texts of a reference are shown of files that are compressed, too.
func TestReferenceInBzip2(t *testing.T) {
	t.Parallel()
	const packed = "QlpoOTFBWSZTWQWa1DAAAJFZgAAQUAR/8AYklMogAGhjTT9RP9VB6h6mjEElTfqoJozSGmmaXTQnoa7b8NMMgACQEQAEkkusPru8GeVa1orQgtG4gqyCqqqqqqit5xxyBDS/m7oCFAIWTqSBaz2LuSKcKEgCzWoYAA==" // a document "old" of the words word0 to word39
	data, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		t.Fatal(err)
	}
	ref := t.TempDir()
	if err := os.WriteFile(filepath.Join(ref, "old.jsonl.bz2"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	var words []string
	for i := range 40 {
		words = append(words, fmt.Sprint("word", i))
	}
	words[39] = "other"
	dir := writeFiles(t, map[string]string{"a.jsonl": fmt.Sprintf("{\"id\":\"new\",\"text\":%q}\n", strings.Join(words, " "))})
	got, _ := ran(t, []string{ref}, []string{dir}, options())
	o := options()
	o.By, o.MinWords = Lines, DefaultMinWords
	cut, r := cutTo(t, []string{ref}, dir, o)
	if r.Near != 1 {
		t.Errorf("%d lines are cut since they are near one", r.Near)
	}
	for _, report := range []string{got[run.ReportName], cut[run.ReportName]} {
		if !strings.Contains(report, "word38 word39") {
			t.Errorf("the text of the reference is not shown: %s", report)
		}
	}
}
