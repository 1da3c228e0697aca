package store

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
)

// What is kept is read as it was written. A manifest without it keeps nothing.
func TestKeep(t *testing.T) {
	for keep, want := range map[Keep]Keep{KeepDefault: KeepNothing, KeepText: KeepText, KeepSource: KeepSource, KeepNothing: KeepNothing} {
		b := encoded(t, keep)
		if has := bytes.Contains(b, []byte(`"keep"`)); has != (keep != KeepDefault) {
			t.Errorf("%v: %s", keep, b)
		}
		m, err := DecodeManifest("MANIFEST", b)
		if err != nil || m.Keep != keep || m.Kept() != want {
			t.Errorf("%v: %v, %v is kept, want %v", keep, err, m.Kept(), want)
		}
	}
}

// A name that is not one of what can be kept is refused.
func TestKeepIsChecked(t *testing.T) {
	b, _, _ := bytes.Cut(encoded(t, KeepText), []byte(checksumLabel))
	for name, good := range map[string]bool{"text": true, "default": false, "all": false} {
		forged := bytes.Replace(b, []byte(`"text"`), fmt.Appendf(nil, "%q", name), 1)
		forged = fmt.Appendf(forged, "%s%08x\n", checksumLabel, section.Checksum(forged))
		if _, err := DecodeManifest("MANIFEST", forged); (err == nil) != good || !good && (!errors.Is(err, section.ErrCorrupt) || !strings.Contains(err.Error(), "want one of text, source, nothing")) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func encoded(t *testing.T, keep Keep) []byte {
	t.Helper()
	b, err := (&Manifest{Settings: analysis.Classic(), Next: 1, Segments: []segment.Ref{}, Keep: keep}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
