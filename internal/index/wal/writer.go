package wal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync"

	"simsearch/internal/ground/disk"
)

// A Writer appends records to a log. It is safe for concurrent use: the records lie in the order of the
// calls of Append, which a caller with work of its own makes under a lock of its own, and Durable is called
// outside of that lock.
type Writer struct {
	f    disk.File
	path string
	seed uint64
	late bool
	cell int // which cell is written next; the goroutine that syncs has it

	mu      sync.Mutex // guards all below
	ended   sync.Cond  // a sync has ended
	end     int64      // of the last record
	chain   uint32     // its checksum
	durable int64      // how many bytes are certainly on the disk
	syncing bool
	closed  bool
	failed  error // after which nothing more is acknowledged
	buf     []byte
	sums    summer
}

// Create makes a log at path, which no file may have. identity is what the reader has to know it by. When
// Create returns, the file and its name are durable. After an error there is no file, or one that is
// errUnbegun.
//
// If late is set, records are acknowledged before they are durable, which Sync makes them.
func Create(fsys disk.FS, path string, identity uint64, late bool) (*Writer, error) {
	return create(fsys, path, identity, rand.Uint64(), late)
}

func create(fsys disk.FS, path string, identity, seed uint64, late bool) (*Writer, error) {
	f, err := fsys.Create(path)
	if err != nil {
		return nil, err
	}
	header := newHeader(identity, seed)
	if err := begin(fsys, f, path, header); err != nil {
		_, _ = f.Close(), fsys.Remove(path) // a file that stays is errUnbegun, or has no records
		return nil, err
	}
	w := &Writer{f: f, path: path, seed: seed, late: late, cell: 1, end: recordsAt, durable: recordsAt, chain: headerChain(header)}
	w.ended.L = &w.mu
	return w, nil
}

func begin(fsys disk.FS, f disk.File, path string, header []byte) error {
	if _, err := f.Write(header); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return disk.Uncertain(err)
	}
	return disk.Uncertain(fsys.SyncDir(filepath.Dir(path)))
}

// Append writes a record behind all others, and returns its end, which is what Durable waits for. The payload
// has from 1 to maxPayload bytes and is not kept.
//
// If there is no space for it (disk.Full), the record is refused, and the log is as it was: Append can be
// called again. After any other error of the disk the Writer refuses everything, and the error wraps
// disk.ErrUncertain: the record may be read again, or not.
func (w *Writer) Append(payload []byte) (end int64, err error) {
	if len(payload) == 0 || len(payload) > maxPayload {
		return 0, fmt.Errorf("a record of %d bytes; it may have from 1 to %d", len(payload), maxPayload)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, &fs.PathError{Op: "append", Path: w.path, Err: fs.ErrClosed}
	}
	if w.failed != nil {
		return 0, w.failed
	}
	h := head{length: uint32(len(payload)), back: uint32(min(w.end-w.durable, farBack))}
	h.checksum = w.sums.sum(h, w.chain, payload)
	w.buf = append(appendHead(w.buf[:0], h, w.sums.mark(h, w.seed, w.end)), payload...)
	n, err := w.f.WriteAt(w.buf, w.end)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return 0, w.refuse(n, err)
	}
	w.end += int64(len(w.buf))
	w.chain = h.checksum
	if cap(w.buf) > 1<<20 {
		w.buf = nil
	}
	return w.end, nil
}

// refuse returns the error of a record of which n bytes have been written. The next record is written over
// them. Until then the header is removed, since bytes of an earlier refused record may complete this one.
func (w *Writer) refuse(n int, err error) error {
	full := noSpace(err)
	if full && n > 0 {
		_, spoilt := w.f.WriteAt(make([]byte, min(n, recordHeader)), w.end)
		full = spoilt == nil || n < len(w.buf)
	}
	if !full {
		err = disk.Uncertain(err)
		w.failed = err
	}
	return err
}

func noSpace(err error) bool { return disk.Full(err) || errors.Is(err, io.ErrShortWrite) }

// Durable waits until the record that ends at end is durable, so that it can be acknowledged. Callers that
// wait at the same time share a sync. If records are made durable late, Durable does not wait.
//
// The error wraps disk.ErrUncertain: the record may be read again, or not.
func (w *Writer) Durable(end int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if end > w.end {
		return fmt.Errorf("no record of %s ends at %d", w.path, end)
	}
	if w.late && w.failed == nil {
		return nil
	}
	return w.await(end)
}

// Sync makes all records durable that have been appended.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.await(w.end)
}

// await waits until the first bytes of the file up to end are durable, and syncs if no other goroutine does.
// The caller holds w.mu.
func (w *Writer) await(end int64) error {
	for w.durable < end {
		switch {
		case w.syncing:
			w.ended.Wait()
		case w.failed != nil:
			return w.failed
		default:
			w.sync()
		}
	}
	return nil
}

// sync makes durable what has been appended, and notes that in a cell. The caller holds w.mu, which is free
// meanwhile: more records are appended.
func (w *Writer) sync() {
	w.syncing = true
	w.mu.Unlock()
	runtime.Gosched() // Those that the last sync has woken append before this one begins: syncs are halved.
	w.mu.Lock()
	end := w.end
	w.mu.Unlock()
	err := w.f.Sync()
	synced := err == nil
	if synced {
		err = w.note(end)
	}
	w.mu.Lock()
	w.syncing = false
	if synced {
		w.durable = end
	}
	if err != nil && w.failed == nil {
		w.failed = disk.Uncertain(err)
	}
	w.ended.Broadcast()
}

// note writes the length that is durable to the cell that does not have the last one. The cell is durable
// with the next sync. For want of space it stays as it was, or becomes unreadable.
func (w *Writer) note(durable int64) error {
	_, err := w.f.WriteAt(newCell(w.seed, w.cell, durable), cellAt+int64(w.cell)*cellStep)
	if noSpace(err) {
		return nil
	}
	if err == nil {
		w.cell = 1 - w.cell
	}
	return err
}

// Close makes all records durable, with the note of that, and closes the file. Calls of Durable return as if
// the log was open. A second Close does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	for w.syncing {
		w.ended.Wait()
	}
	err := w.failed
	if err == nil && w.end > recordsAt {
		if err = w.await(w.end); err == nil {
			err = w.failed // of the note
		}
		if err == nil {
			err = disk.Uncertain(w.f.Sync())
		}
	}
	return errors.Join(err, w.f.Close())
}
