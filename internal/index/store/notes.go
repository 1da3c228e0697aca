package store

import (
	"bytes"
	"cmp"
	"path/filepath"
	"time"

	"simsearch/internal/index/segment"
	"simsearch/internal/index/wal"
)

// notes are the notes of an index, in the order in which they came, as far as they are not old. Each is in a log: in
// that of its change, or, when the documents of that have become a segment, in a log of notes alone.
type notes struct {
	most  int64 // bytes that notes may take; of more, the oldest are forgotten
	bytes int64
	all   []segment.Note // is only appended to and cut, so that parts of it can be read at any time
	first int            // how many were forgotten: all[0] has this number
	at    map[segment.NoteKey]int
}

// noteBytes is about how much memory a note takes beside its bytes.
const noteBytes = 120

func newNotes(most int64) *notes { return &notes{most: most, at: map[segment.NoteKey]int{}} }

// add adds notes, whose slices it does not keep. One that is there already, as in two logs, is passed over.
func (n *notes) add(some []segment.Note) {
	for _, note := range some {
		if at, ok := n.at[note.Key]; ok && n.all[at-n.first].Until >= note.Until {
			continue
		}
		note.Data = bytes.Clone(note.Data)
		n.at[note.Key] = n.first + len(n.all)
		n.all = append(n.all, note)
		n.bytes += noteBytes + int64(len(note.Data))
	}
	n.living()
}

// living forgets what is old, and returns the rest.
func (n *notes) living() []segment.Note {
	now := time.Now().Unix()
	for len(n.all) > 0 && (n.all[0].Until < now || n.bytes > n.most) {
		old := n.all[0]
		if n.at[old.Key] == n.first {
			delete(n.at, old.Key)
		}
		n.bytes -= noteBytes + int64(len(old.Data))
		n.all, n.first = n.all[1:], n.first+1
	}
	return n.all[:len(n.all):len(n.all)]
}

// find returns what is noted under a key, or nil.
func (n *notes) find(key segment.NoteKey) []byte {
	if at, ok := n.at[key]; ok && n.all[at-n.first].Until >= time.Now().Unix() {
		return n.all[at-n.first].Data
	}
	return nil
}

// notesTogether is about how many bytes of notes are one record.
const notesTogether = 1 << 20

// writeNotes writes a log of notes, which is durable when it returns.
func (j *Journal) writeNotes(ref LogRef, all []segment.Note) error {
	log, err := wal.Create(j.dir.FS, filepath.Join(j.dir.Path, ref.Name), ref.Identity, false)
	if err != nil {
		return err
	}
	var record []byte
	for from, to := 0, 0; from < len(all) && err == nil; from = to {
		for size := 0; to < len(all) && size < notesTogether; to++ {
			size += noteBytes + len(all[to].Data)
		}
		b := segment.Batch{Notes: all[from:to]}
		record = b.Append(record[:0], j.State.layout)
		_, err = log.Append(record)
	}
	return cmp.Or(err, log.Close())
}

// Noted returns what is noted under a key, or nil. It is for the function that Change calls: what it returns is
// durable when the change is.
func (j *Journal) Noted(key segment.NoteKey) []byte { return j.State.notes.find(key) }
