package commandline

import "testing"

func TestTyped(t *testing.T) {
	got := Typed([]string{"simsearch", "dedup", "--out", "a b", "it's", "", "x/y.jsonl", "*"})
	if want := `simsearch dedup --out 'a b' 'it'\''s' '' x/y.jsonl '*'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
