package corpus

import (
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/files/document"
)

// Fields of the headers of messages are kept, of a mailbox and of a file of one message.
func TestKeepFieldsOfMail(t *testing.T) {
	const message = "From: Ann <ann@example.org>\nDate: Fri, 2 Jan 26 10:00 -0500 (Eastern)\nSubject: Bridge\n\nThe bridge is closed.\n"
	for name, text := range map[string]string{"a.eml": message, "a.mbox": "From ann Fri Jan  2 10:00:00 2026\n" + message} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open([]string{path}, Options{KeepFields: []string{"date", "Subject", "x-none"}})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for doc, err := range r.Documents() {
			if err != nil {
				t.Fatal(err)
			}
			n++
			for i, want := range []string{"2026-01-02T10:00:00-05:00", "Bridge", ""} {
				if value, ok := document.Field(doc.Fields, i); string(value) != want || ok != (want != "") {
					t.Errorf("%s: field %d is %q, %v, want %q", name, i, value, ok, want)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: %d messages", name, n)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
