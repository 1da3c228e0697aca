package section

import (
	"errors"
	"testing"
)

func TestCorruptError(t *testing.T) {
	f, err := Parse("", sample(t))
	if err != nil {
		t.Fatal(err)
	}
	wide := Integers[uint64](f, "wide", 3)
	start := int64(f.named["wide"].offset)
	inMemory := Checked([]uint32{1})
	for _, tt := range []struct {
		err     error
		section string
		offset  int64
		message string
	}{
		{wide.Corruptf(1, "%d documents", 7), "wide", start + 8, "corrupt: section wide at offset 72: 7 documents"},
		{wide.Guard.Corruptf(3, "odd"), "wide", start + 3, "corrupt: section wide at offset 67: odd"},
		{f.Corruptf("wide", 8, "odd"), "wide", start + 8, "corrupt: section wide at offset 72: odd"},
		{f.Corruptf("absent", 8, "odd"), "absent", -1, "corrupt: section absent: odd"},
		{inMemory.Corruptf(0, "odd"), "", -1, "corrupt: odd"},
	} {
		var c *CorruptError
		if !errors.Is(tt.err, ErrCorrupt) || !errors.As(tt.err, &c) || c.Section != tt.section || c.Offset != tt.offset || tt.err.Error() != tt.message {
			t.Errorf("got %v, want %q of section %q at %d", tt.err, tt.message, tt.section, tt.offset)
		}
	}
}
