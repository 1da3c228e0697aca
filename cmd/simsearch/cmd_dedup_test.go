package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// Standard input may be compressed, and what is written is not.
func TestDedupCompressedStdin(t *testing.T) {
	t.Parallel()
	const first, again = `{"id":"a","text":"one two three four five"}` + "\n", `{"id":"b","text":"one two three four five"}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(first + again)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--by", "line", "--min-words", "1"}} {
		status, stdout, stderr := command(t, t.Context(), bytes.NewReader(packed.Bytes()), append([]string{"dedup", "--quiet", "-"}, flags...)...)
		if status != statusDone || stdout != first || stderr != "" {
			t.Errorf("%v: status %d, %q, %q", flags, status, stdout, stderr)
		}
	}
	status, stdout, stderr := command(t, t.Context(), bytes.NewReader(packed.Bytes()[:packed.Len()-10]), "dedup", "-")
	if status != statusError || stdout != "" || !strings.HasPrefix(stderr, "simsearch: standard input: ") || !strings.Contains(stderr, "unexpected EOF") {
		t.Errorf("cut off: status %d, %q, %q", status, stdout, stderr)
	}
}
