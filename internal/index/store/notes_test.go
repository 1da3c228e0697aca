package store

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/wal"
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

// A log of notes has all of them, however many there are, and is no log if it cannot be made durable.
func TestLogOfNotes(t *testing.T) {
	for _, fails := range []bool{false, true} {
		syncs := 0
		fsys := &disktest.FS{Base: disk.NewMemory(), Before: func(op disktest.Op) (int, error) {
			if op.Kind == "sync" {
				if syncs++; fails && syncs > 1 { // the first one is of the header
					return 0, os.ErrPermission
				}
			}
			return 0, nil
		}}
		j := &Journal{dir: &Dir{FS: fsys, Path: "."}, State: NewState(segment.Layout{}, segment.WriteOptions{}, nil)}
		var all, got []segment.Note
		for i := range 40 {
			n := note(fmt.Sprint(i), 100)
			n.Data = make([]byte, notesTogether/10)
			all = append(all, n)
		}
		ref := LogRef{Name: "notes", Identity: 7}
		if err := j.writeNotes(ref, all); (err != nil) != fails {
			t.Errorf("%v; the disk fails: %v", err, fails)
		}
		_, err := wal.Read(fsys, ref.Name, ref.Identity, func(payload []byte) error {
			b, err := segment.DecodeBatch(ref.Name, bytes.Clone(payload), segment.Layout{})
			got = append(got, b.Notes...)
			return err
		})
		if !fails && (err != nil || !reflect.DeepEqual(got, all)) {
			t.Errorf("%d notes of %d: %v", len(got), len(all), err)
		}
	}
}
