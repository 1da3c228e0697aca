package results

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// What is exported are the fingerprints in their order, and how many documents have none is told.
func TestExportedFingerprints(t *testing.T) {
	live, err := index.NewMemory(analysis.Classic(), index.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var documents iter.Seq2[*document.Document, error] = func(yield func(*document.Document, error) bool) {
		for i, fp := range []uint64{1 << 40, 0, 99, 0} { // pictures, two of which are of one colour
			picture := document.Picture{Bytes: 1, Flat: fp == 0}
			if !yield(&document.Document{ID: fmt.Append(nil, "d", i), Fingerprint: fp, HasFingerprint: fp != 0, Picture: picture}, nil) {
				return
			}
		}
	}
	if _, err := live.Add(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	ix, err := live.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var want, list []byte
	for doc := range uint32(4) {
		long, ok, err := ix.Long(doc)
		fp := long[0]
		if err != nil {
			t.Fatal(err)
		}
		if id, err := ix.ID(doc); err != nil || ok != (string(id) == "d0" || string(id) == "d2") {
			t.Fatalf("%s has a fingerprint: %v, %v", id, ok, err)
		} else if ok {
			want = binary.LittleEndian.AppendUint64(want, fp)
			list = fmt.Appendf(list, "%s\t%016x\n", id, fp)
		}
	}
	for extension, want := range map[string][]byte{".u64": want, prints.Array: append(prints.NPYHeader(2, prints.ArrayLayout(64)), want...)} {
		var got bytes.Buffer
		without, err := PrintBinary(t.Context(), ix, &got, extension)
		if err != nil || without != 2 || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: %d without, %x, want %x: %v", extension, without, got.Bytes(), want, err)
		}
	}
	var got strings.Builder
	w := bufio.NewWriter(&got)
	without, err := PrintList(t.Context(), ix, terminal.NewList(w, false, false), false)
	if err != nil || w.Flush() != nil || without != 2 || got.String() != string(list) {
		t.Errorf("%d without, %q, want %q: %v", without, got.String(), list, err)
	}
	if err := ix.Close(); err != nil {
		t.Error(err)
	}
	if err := live.Close(); err != nil {
		t.Error(err)
	}
}
