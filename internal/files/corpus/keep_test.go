package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/files/document"
)

// Every format with records has its fields; others have none.
func TestKeepFields(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ content, want string }{
		"a.jsonl": {`{"text": "t", "d": "x\ny", "n": {"m": 12}}` + "\n" + `{"text": "t", "d": null, "n": {"m": [1]}}` + "\n", "x\ny|12;-|[1];"},
		"a.json":  {`[{"text": "t", "d": ""}, {"text": "t", "n.m": true}]`, "|-;-|true;"},
		"a.csv":   {"text,d\nt,\"a \"\"b\"\"\"\nt,\n", `a "b"|-;-|-;`},
		"a.tsv":   {"n.m\ttext\n7\tt\n", "-|7;"},
		"a.txt":   {"a text", "-|-;"},
		"a.warc":  {"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:a>\r\nd: today\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ntext\r\n\r\n", "today|-;"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open([]string{path}, Options{KeepFields: []string{"d", "n.m"}})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for doc, err := range r.Documents() {
			if err != nil {
				t.Fatal(err)
			}
			for i, end := range []string{"|", ";"} {
				value, ok := document.Field(doc.Fields, i)
				if !ok {
					value = []byte("-")
				}
				got.WriteString(string(value) + end)
			}
		}
		if got.String() != tt.want {
			t.Errorf("%s: fields %q, want %q", name, got.String(), tt.want)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
