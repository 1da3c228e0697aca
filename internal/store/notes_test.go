package store

import (
	"fmt"
	"testing"
	"time"

	"simsearch/internal/segment"
)

func note(key string, seconds int64) segment.Note {
	n := segment.Note{Until: time.Now().Unix() + seconds, Data: fmt.Appendf(nil, "of %s for %d", key, seconds)}
	copy(n.Key[:], key)
	return n
}

// Notes are found until they are old, the last one of a key, and the oldest are forgotten if they are too many.
func TestNotes(t *testing.T) {
	n := newNotes(1000)
	data := []byte("changes later")
	n.add([]segment.Note{note("a", 100), note("old", -1), note("b", 100), {Key: segment.NoteKey{9}, Until: time.Now().Unix() + 100, Data: data}})
	data[0] = 'x'
	n.add([]segment.Note{note("a", 100), note("b", 50), note("old", 100)})
	for key, want := range map[string]string{"a": "of a for 100", "b": "of b for 100", "old": "of old for 100", "\x09": "changes later", "c": ""} {
		if got := string(n.find(note(key, 0).Key)); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
	for i := range 100 {
		n.add([]segment.Note{note(fmt.Sprint("new", i), 100)})
		if n.bytes > 1000 || n.find(note(fmt.Sprint("new", i), 0).Key) == nil {
			t.Fatalf("%d bytes of %d notes", n.bytes, len(n.all))
		}
	}
	if n.find(note("a", 0).Key) != nil || len(n.at) != len(n.all) || len(n.all) < 6 {
		t.Errorf("%d notes under %d keys", len(n.all), len(n.at))
	}
	n.add([]segment.Note{note("a", -1)})
	n.all[0].Until = 1
	if before := len(n.all); len(n.living()) != before-1 || n.find(note("a", 0).Key) != nil {
		t.Errorf("of %d notes, %d live", before, len(n.all))
	}
	n = newNotes(1000)
	n.add([]segment.Note{note("a", 100), note("a", 200)})
	n.all[0].Until = 1
	if n.living(); string(n.find(note("a", 0).Key)) != "of a for 200" {
		t.Error("with an old note, the new one of its key is forgotten")
	}
}
