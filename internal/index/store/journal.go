package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/wal"
)

// A Journal is an index that this process writes: its directory, and its state, which is what segments and logs have.
// Changes go to a log, and then to the state. In the background, the documents of logs become segments, and segments
// are merged by size tiers. If changes come faster than segments are written, calls wait.
//
// It is safe for concurrent use. A Writer has one for as long as it commits, and uses it alone: then nothing happens
// in the background.
type Journal struct {
	dir    *Dir
	o      JournalOptions
	ctx    context.Context // of what is done in the background
	cancel context.CancelFunc

	manifesting sync.Mutex // guards dir and begun, and is locked before mu
	begun       bool       // a log was begun
	work        sync.WaitGroup

	mu    sync.Mutex // guards all below
	eased sync.Cond  // a flush has ended
	// Manifest is that of dir, which does not change, Input what the documents are, for the next manifest, and State
	// what the index is now. The function that Change calls may use them, and a Writer.
	Manifest *Manifest
	Input    Input
	State    *State
	applied  func(*segment.Batch) // if not nil, is called with each change when the state has it
	log      *wal.Writer          // nil before the first change
	logEnd   int64
	logged   int   // documents that the log adds or deletes
	older    int64 // bytes of the logs before, as far as they are changes that are in no segment yet
	olderHas int   // documents that these add or delete
	flushing bool
	merging  bool
	closed   bool
	failed   error // why nothing more can be written
	trouble  error // why the last flush failed, which is tried again
}

// JournalOptions are the options of a Journal.
type JournalOptions struct {
	Write          segment.WriteOptions // of new segments
	Hold           int                  // bytes of the features of sets in memory
	Merging        int64                // bytes of memory that merging segments may take
	SyncLate       bool                 // changes are acknowledged before they are durable
	FlushBytes     int64                // size of a log, in bytes, at which its documents become a segment; notes take four times this in memory
	FlushDocuments int                  // number of documents at which they do so before
}

const (
	// MostFlushes is how many times the sizes in JournalOptions may be in the logs before calls wait.
	MostFlushes = 4
	// mostLogs is how many logs may be there when an index is opened. More become a segment.
	mostLogs = 4
)

// ErrClosed is returned by what has been closed.
var ErrClosed = errors.New("the index has been closed")

// OpenJournal opens the segments that the manifest of d names, and verifies those of up to verifyTo bytes. It reads
// the logs. The lock must be held.
func OpenJournal(ctx context.Context, d *Dir, verifyTo int, o JournalOptions) (*Journal, error) {
	m := d.Manifest
	parts, err := openParts(d.FS, d.Path, m, verifyTo)
	if err != nil {
		return nil, err
	}
	j := &Journal{dir: d, o: o, Manifest: m, Input: m.Input, State: NewState(m.Layout(), o.Write, parts)}
	j.eased.L = &j.mu
	j.State.notes = newNotes(4 * o.FlushBytes)
	j.ctx, j.cancel = context.WithCancel(ctx)
	err = j.State.Replay(j.ctx, d.FS, d.Path, m.Logs)
	j.older, j.olderHas = j.State.bytes, j.State.Read
	// What a process that was killed has left in logs becomes durable. What has been read from them is acknowledged,
	// and deleted from segments, without being written again.
	for i := 0; i < len(m.Logs) && err == nil; i++ {
		err = disk.Uncertain(d.FS.SyncFile(filepath.Join(d.Path, m.Logs[i].Name)))
	}
	if err != nil {
		return nil, errors.Join(err, j.State.Release())
	}
	return j, nil
}

// Begin begins to make a segment in the background of what earlier writers have left in logs, if that is much.
func (j *Journal) Begin() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.Manifest.Logs) >= mostLogs || j.full(1) {
		j.startFlush()
	}
}

// IsUnborn reports whether the index has had no documents, as far as this process knows. It is for the function that
// Change calls.
func (j *Journal) IsUnborn() bool { return j.log == nil && j.Manifest.IsEmpty() }

// Show returns the index as it is now: its parts, which the caller releases, and its manifest.
func (j *Journal) Show() (parts []*Part, m Manifest, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, m, ErrClosed
	}
	m = *j.Manifest
	m.Input = j.Input
	parts, err = j.State.Show(j.ctx)
	return parts, m, err
}

// OnChange calls told with each change of documents from now on, when the state has it, and while nothing else changes.
func (j *Journal) OnChange(told func(*segment.Batch)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.applied = told
}

// Len returns the number of documents.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.State.Len()
}

// Found begins a log if there is none, and nothing else: then the manifest has the settings of an index without
// documents.
func (j *Journal) Found() error {
	j.mu.Lock()
	input, has := j.Input, !j.IsUnborn()
	j.mu.Unlock()
	if has {
		return nil
	}
	return j.prepare(input, input)
}

// Base returns the absolute path of the base of the index, or "" if it has none.
func (j *Journal) Base() (string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Manifest.BaseFor(j.dir.Path)
}

// A Change is where a change lies.
type Change struct {
	log *wal.Writer // nil if nothing has been written
	end int64
}

// Durable waits until a change is durable, with all changes before it: a log is durable when the next one begins.
func (j *Journal) Durable(c Change) error {
	if c.log == nil {
		return nil
	}
	if err := c.log.Durable(c.end); err != nil {
		return j.fail(err)
	}
	// Another process that has taken the lock before this may have missed the change.
	if err := j.dir.Held(); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.end(err)
		return err
	}
	return nil
}

// fail returns err. After a failed sync it ends the Journal.
func (j *Journal) fail(err error) error {
	if !errors.Is(err, disk.ErrUncertain) {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.end(err)
	return err
}

// Change makes a change to the index: a batch goes to the log, and then to the state. A batch with nothing in it
// changes nothing. Then the result is the changes before, since the index has from these what the caller asks for.
// batch is called while nothing else changes, and perhaps several times. It may set Input, and says where the
// documents lie that are deleted or replaced.
func (j *Journal) Change(ctx context.Context, batch func() (*segment.Batch, *Places, error)) (Change, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var b *segment.Batch
	var at *Places
	for {
		if err := j.ease(ctx); err != nil {
			return Change{}, err
		}
		input := j.Input
		err := disk.Guarded(func() (err error) {
			b, at, err = batch()
			return err
		})
		if err != nil {
			j.Input = input
			return Change{}, err
		}
		if len(b.Deletes)+len(b.Documents)+len(b.Notes) == 0 {
			return Change{j.log, j.logEnd}, nil
		}
		if j.log != nil && j.Input == j.Manifest.Input {
			break
		}
		wanted := j.Input
		j.Input = input // until the manifest has what is wanted
		j.mu.Unlock()
		err = j.prepare(input, wanted)
		j.mu.Lock()
		if err != nil {
			return Change{}, err
		}
	}
	if err := j.dir.Held(); err != nil {
		j.end(err)
		return Change{}, err
	}
	end, err := j.log.Append(b.Append(nil, j.Manifest.Layout()))
	if err == nil {
		j.logEnd, j.logged = end, j.logged+len(b.Deletes)+len(b.Documents)
		err = j.State.Apply(j.ctx, b, at)
	} else if !errors.Is(err, disk.ErrUncertain) {
		return Change{}, err // as if nothing had been asked for
	}
	if err != nil {
		j.end(err) // the log may have the change, and the state has not, or in part
		return Change{}, err
	}
	if j.applied != nil && len(b.Deletes)+len(b.Documents) > 0 {
		j.applied(b)
	}
	if end >= j.o.FlushBytes || j.logged >= j.o.FlushDocuments || j.full(1) && j.trouble == nil {
		j.startFlush()
	}
	return Change{j.log, j.logEnd}, nil
}

// end ends the Journal for writing. The caller holds j.mu.
func (j *Journal) end(err error) {
	if j.failed == nil {
		j.failed = fmt.Errorf("nothing more can be written to this index before it is opened again: %w", err)
		j.eased.Broadcast()
	}
}

// full reports whether the logs have as much as makes so many segments. The caller holds j.mu.
func (j *Journal) full(flushes int) bool {
	return j.older+j.logEnd >= int64(flushes)*j.o.FlushBytes || j.olderHas+j.logged >= flushes*j.o.FlushDocuments
}

// ease waits while the log is too long, and returns why nothing can be written. The caller holds j.mu.
func (j *Journal) ease(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.eased.Broadcast()
	})
	defer stop()
	tried := false
	for {
		switch {
		case j.closed:
			return ErrClosed
		case j.failed != nil:
			return j.failed
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !j.full(MostFlushes):
			return nil
		case !j.flushing && j.trouble != nil && tried:
			return fmt.Errorf("the log is too long, and its documents cannot be made a segment: %w", j.trouble)
		case !j.flushing:
			j.startFlush() // a call tries it, even if the last one has failed: by now there may be space
			tried = true
		}
		j.eased.Wait()
	}
}

// Sync makes durable what JournalOptions.SyncLate has left.
func (j *Journal) Sync() error {
	j.mu.Lock()
	log := j.log
	j.mu.Unlock()
	if log == nil {
		return nil
	}
	return j.fail(log.Sync())
}

// Wait waits until nothing is done in the background.
func (j *Journal) Wait() { j.work.Wait() }

// Close waits for what is done in the background to stop, makes all changes durable, and releases the state. It reports
// whether a log was begun. The directory stays claimed.
func (j *Journal) Close() (begun bool, err error) {
	j.mu.Lock()
	j.closed = true
	j.eased.Broadcast()
	j.mu.Unlock()
	j.cancel()
	j.Wait()
	j.manifesting.Lock() // a change may be beginning a log
	defer j.manifesting.Unlock()
	if j.log != nil {
		err = j.log.Close()
	}
	return j.begun, errors.Join(err, j.State.Release())
}
