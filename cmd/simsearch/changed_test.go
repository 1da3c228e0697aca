//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// A meddling does something when it is read to its end or written to.
type meddling struct {
	from io.Reader
	do   func()
}

func (m *meddling) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if err != nil {
		m.do()
	}
	return n, err
}

func (m *meddling) Write(p []byte) (int, error) {
	m.do()
	return len(p), nil
}

// If a segment is changed while a command runs, the command ends with status 2 and a line that
// names the file. This holds if the command has found something, has found nothing, or has met the
// change itself.
func TestChangedWhileACommandRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	const segment = "idx/000001.seg"
	var lines strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&lines, "document number %d, word%d word%d\n", i, i*i, i*i*i)
	}
	again := func() {
		if err := os.RemoveAll("idx"); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := command(t, t.Context(), strings.NewReader(lines.String()), "index", "--index", "idx", "--format", "lines", "-"); status != 0 {
			t.Fatal(stderr)
		}
		past := time.Now().Add(-time.Hour)
		if err := os.Chtimes(segment, past, past); err != nil {
			t.Fatal(err)
		}
	}
	try := func(do func() error) func() {
		return func() {
			if err := do(); err != nil {
				t.Error(err)
			}
		}
	}
	written := try(func() error { return os.Chtimes(segment, time.Now(), time.Now()) })
	// Change the segment after the only query has been answered.
	writtenLater := func() {
		time.Sleep(200 * time.Millisecond)
		written()
	}
	cut := try(func() error { return os.Truncate(segment, 100) })
	for _, tt := range []struct {
		what, query string
		do          func()
		args        []string
	}{
		{"written, found", "document number 7, word49 word343\n", written, []string{"near", "--index", "idx", "--format", "lines", "-"}},
		{"written, found, at the end", "document number 7, word49 word343\n", writtenLater, []string{"near", "--index", "idx", "--format", "lines", "-"}},
		{"written, nothing found, at the end", "xylophone zebra quagga\n", writtenLater, []string{"near", "--index", "idx", "--k", "0", "--format", "lines", "-"}},
		{"cut, printing", "", cut, []string{"near", "--index", "idx", "--k", "64", "--text", "document number 7"}},
		{"cut, exporting", "", cut, []string{"export", "--index", "idx", "--as", "fingerprints"}},
		{"cut, exporting SQL", "", cut, []string{"export", "--index", "idx", "--as", "sql"}},
		{"cut, pairing", "", cut, []string{"pairs", "--index", "idx", "--k", "30"}},
	} {
		again()
		in, out := &meddling{strings.NewReader(tt.query), func() {}}, &meddling{nil, func() {}}
		if tt.query != "" {
			in.do = tt.do
		} else {
			out.do = tt.do
		}
		var errs bytes.Buffer
		status := runProgram(t.Context(), append([]string{"simsearch"}, tt.args...), in, out, &errs)
		if stderr := errs.String(); status != statusError || !strings.Contains(stderr, segment) || strings.Count(stderr[strings.Index(stderr, "simsearch: "):], segment) != 1 {
			t.Errorf("%s: status %d, %s", tt.what, status, stderr)
		}
	}
}
