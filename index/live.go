package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"sync"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/segment"
	"simsearch/internal/store"
	"simsearch/internal/wal"
)

// A Live is an index that is searched while it is written, for documents that come one after the other. What is added
// or deleted goes to a log, which is synced before the call returns, and is visible to the next Snapshot. In the
// background, the documents of the log become segments, and segments are merged by size tiers. Concurrent calls share
// syncs. If documents come faster than segments are written, calls wait.
//
// A Live is safe for concurrent use. It holds the lock of the index from OpenLive to Close, and about
// WriterOptions.FlushBytes of documents in memory, or FlushDocuments, and four times as much at most.
type Live struct {
	w       *Writer
	keeping keeping
	ctx     context.Context // of what is done in the background
	cancel  context.CancelFunc

	manifesting sync.Mutex // guards w, and is locked before mu
	work        sync.WaitGroup

	mu       sync.Mutex      // guards all below
	eased    sync.Cond       // a flush has ended
	manifest *store.Manifest // that of w, which does not change
	input    Input           // what the documents are, for the next manifest
	state    *store.State
	log      *wal.Writer // nil before the first change
	logEnd   int64
	logged   int   // documents that the log adds or deletes
	older    int64 // bytes of the logs before, which are in no segment yet
	olderHas int   // documents that these add or delete
	flushing bool
	merging  bool
	closed   bool
	closing  sync.Once
	failed   error // why nothing more can be written
	trouble  error // why the last flush failed, which is tried again
}

const (
	mostFlushes = 4 // of the sizes at which a log becomes a segment may be in the logs before calls wait
	mostLogs    = 4 // may be there when an index is opened; more become a segment
)

// OpenLive opens the index in dir, which is begun if it is missing, with the rules and errors of OpenWriter. It reads
// the logs that an earlier writer has left: all changes that were acknowledged. Weights tfidf that have not been
// learnt are an error.
func OpenLive(dir string, s analysis.Settings, o WriterOptions) (*Live, error) {
	return openLive(disk.OSAsDirectory, dir, s, o)
}

// NewMemory returns an index in memory, which is gone when it is closed.
func NewMemory(s analysis.Settings, o WriterOptions) (*Live, error) {
	return openLive(disk.NewMemory(), "index", s, o)
}

func openLive(fsys disk.FS, dir string, s analysis.Settings, o WriterOptions) (*Live, error) {
	o.Explain, o.Phase = nil, nil
	w, err := claimWriter(fsys, dir, s, o)
	if err != nil {
		return nil, err
	}
	if w.Learns() {
		return nil, errors.Join(errors.New("index: weights tfidf have to be learnt before documents are added"), w.Close())
	}
	l, err := newLive(context.Background(), w)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.manifest.Logs) >= mostLogs || l.full(1) {
		l.startFlush()
	}
	return l, nil
}

// newLive returns a Live that writes by w. It reads the logs. A Writer has one for as long as it changes the index, and
// nothing happens in the background then.
func newLive(ctx context.Context, w *Writer) (*Live, error) {
	m := w.dir.Manifest
	options, err := w.segmentOptions()
	if err != nil {
		return nil, err
	}
	parts, err := store.OpenParts(w.dir.FS, w.dir.Path, m, verifyAtOpen)
	if err != nil {
		return nil, err
	}
	l := &Live{w: w, keeping: w.keeping(), manifest: m, input: m.Input, state: store.NewState(m.Layout(), options, parts)}
	l.eased.L = &l.mu
	l.ctx, l.cancel = context.WithCancel(ctx)
	err = l.state.Replay(l.ctx, w.dir.FS, w.dir.Path, m.Logs)
	l.olderHas = l.state.Read
	for _, ref := range m.Logs {
		if err == nil {
			err = l.keep(filepath.Join(w.dir.Path, ref.Name))
		}
	}
	if err != nil {
		return nil, errors.Join(err, l.state.Release())
	}
	return l, nil
}

// keep makes durable what a process that was killed has left in a log. What has been read from it is acknowledged, and
// deleted from segments, without being written again.
func (l *Live) keep(log string) error {
	if err := l.w.dir.FS.SyncFile(log); err != nil {
		return fmt.Errorf("%w: %w", disk.ErrUncertain, err)
	}
	info, err := l.w.dir.FS.Stat(log)
	if err == nil {
		l.older += info.Size()
	}
	return err
}

// Add adds documents in the order of the iterator, as Writer.Ingest does, and returns when they are durable. A batch
// of up to 512 documents is one change: after a crash all of it is there, or nothing. What becomes of a document
// whose id stands for another text is what OnConflict says; by default, it takes the place of the other. The documents
// of one call are one input, whose ids are remembered as a OneInput does: of two with one id and other texts, the
// second is Refused.
//
// After an error the changes before it stay. The error is disk.ErrUncertain if a sync has failed: then it is unknown
// which of the last changes are durable, and nothing more is written. If the disk is full, the error says so, and Add
// can be called again.
func (l *Live) Add(ctx context.Context, documents iter.Seq2[*document.Document, error]) (r Result, err error) {
	last, in := change{}, &OneInput{}
	err = l.analyse(ctx, documents, func(offered []offer) error {
		c, err := l.put(ctx, nil, offered, in, &r)
		if err == nil {
			last = c
		}
		return err
	})
	return r, errors.Join(err, l.durable(last))
}

// Update deletes the documents called ids, and then adds documents, all as one change, which is held in memory. It is
// otherwise as Add and Delete are.
func (l *Live) Update(ctx context.Context, ids [][]byte, documents iter.Seq2[*document.Document, error]) (r Result, err error) {
	var all []offer
	err = l.analyse(ctx, documents, func(offered []offer) error {
		for _, o := range offered {
			o.Document = o.Clone()
			all = append(all, o)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	c, err := l.put(ctx, ids, all, &OneInput{}, &r)
	return r, errors.Join(err, l.durable(c))
}

// AddOne adds one document of an input that has been analysed by the settings of the index, as Add does. A document
// that replaces those before it, as one of a feed does, is of an input of its own, &OneInput{}.
func (l *Live) AddOne(ctx context.Context, d *analysis.Result, in *OneInput) (r Result, err error) {
	k := l.keeping.packed(1, func(int) analysis.Result { return *d })
	c, err := l.put(ctx, nil, []offer{{l.keeping.document(d, k, 0), d.Given}}, in, &r)
	return r, errors.Join(err, l.durable(c))
}

// Delete takes documents out of the index, as one change, and returns how many of the ids the index had. The errors
// are those of Add.
func (l *Live) Delete(ctx context.Context, ids ...[]byte) (deleted int, err error) {
	var r Result
	c, err := l.put(ctx, ids, nil, nil, &r)
	return r.Deleted, errors.Join(err, l.durable(c))
}

// An offer is a document that may come to the index. given says that it is a ready-made fingerprint.
type offer struct {
	segment.Document
	given bool
}

// analyse calls take with the documents in batches. Their slices are valid until take returns.
func (l *Live) analyse(ctx context.Context, documents iter.Seq2[*document.Document, error], take func([]offer) error) error {
	return analysis.Each(ctx, l.w.analysis, documents, l.w.o.Threads, func() int { return ingestTogether }, l.keeping.pack, func(b *analysis.Batch, k kept) error {
		offered := make([]offer, b.Len())
		for i := range offered {
			r := b.Result(i)
			offered[i] = offer{l.keeping.document(&r, k, i), r.Given}
		}
		return take(offered)
	})
}

// Settings returns the settings of the index.
func (l *Live) Settings() analysis.Settings { return l.w.analysis.Settings() }

// Base returns the absolute path of the directory at which paths in ids begin, or "" if the index has none.
func (l *Live) Base() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.manifest.BaseFor(l.w.dir.Path)
}

// Sync makes durable what SyncEvery has left.
func (l *Live) Sync() error {
	l.mu.Lock()
	log := l.log
	l.mu.Unlock()
	if log == nil {
		return nil
	}
	return l.fail(log.Sync())
}

// Snapshot returns the index as it is now. The caller closes it.
func (l *Live) Snapshot() (*Snapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	parts, err := l.state.Show(l.ctx)
	if err != nil {
		return nil, err
	}
	m := *l.manifest
	m.Input = l.input
	return newSnapshot(l.w.dir.FS, l.w.dir.Path, &store.Open{Manifest: &m, Analysis: l.w.analysis, IDF: l.w.idf, Parts: parts})
}

// A change is where a change lies.
type change struct {
	log *wal.Writer // nil if nothing has been written
	end int64
}

// durable waits until a change is durable, with all changes before it: a log is durable when the next one begins.
func (l *Live) durable(c change) error {
	if c.log == nil {
		return nil
	}
	if err := c.log.Durable(c.end); err != nil {
		return l.fail(err)
	}
	// Another process that has taken the lock before this may have missed the change.
	if err := l.w.dir.Held(); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.end(err)
		return err
	}
	return nil
}

// fail returns err. After a failed sync it ends the Live.
func (l *Live) fail(err error) error {
	if !errors.Is(err, disk.ErrUncertain) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(err)
	return err
}

// put deletes documents and adds documents of an input, as one change, and counts them in r.
func (l *Live) put(ctx context.Context, ids [][]byte, offered []offer, in *OneInput, r *Result) (change, error) {
	var t taken
	c, err := l.change(ctx, func() (*segment.Batch, *store.Places, error) {
		in.forget(t.noted)
		t = taken{in: in, at: map[string]int{}, gone: map[string]bool{}}
		for _, id := range ids {
			if at, err := l.state.Find(id); err != nil {
				return nil, nil, err
			} else if at.There && !t.gone[string(id)] {
				t.gone[string(id)] = true
				t.Deleted++
				t.batch.Deletes, t.places.Deletes = append(t.batch.Deletes, id), append(t.places.Deletes, at)
			}
		}
		for i := range offered {
			if err := l.take(&t, &offered[i]); err != nil {
				return nil, nil, err
			}
		}
		return &t.batch, &t.places, nil
	})
	if err != nil {
		in.forget(t.noted)
		return c, err
	}
	r.Add(t.Result)
	for _, refused := range t.refused {
		if l.w.o.Refused != nil {
			l.w.o.Refused(refused.id, refused.why)
		}
	}
	return c, nil
}

// A taken is a change, and what becomes of the documents that are offered for it.
type taken struct {
	Result
	in      *OneInput
	noted   [][]byte // ids that are new in in
	batch   segment.Batch
	places  store.Places
	at      map[string]int  // the number in batch of each document
	gone    map[string]bool // the ids that batch deletes
	refused []refusal
}

type refusal struct {
	id  []byte
	why string
}

// take adds a document to t, unless the index has it.
func (l *Live) take(t *taken, d *offer) error {
	if why := segment.BadID(d.ID); why != "" {
		t.Refused++
		t.refused = append(t.refused, refusal{d.ID, why})
		return nil
	}
	first := l.log == nil && l.manifest.IsEmpty()
	if err := checkDocument(l.manifest.Settings, &d.Document, d.given, &l.input, first); err != nil {
		return err
	}
	has, at, ok, err := l.identity(t, d.ID)
	if err != nil {
		return err
	}
	earlier := t.in.has(d.ID)
	if t.in.note(d.ID) {
		t.noted = append(t.noted, d.ID)
	}
	if ok {
		replaces, refused := t.decide(l.w.o.OnConflict, has == d.Identity(l.manifest.Layout()), earlier)
		if refused {
			t.refused = append(t.refused, refusal{d.ID, otherText})
		}
		if !replaces {
			return nil
		}
	} else {
		t.Added++
	}
	if !d.HasFingerprint && len(d.Set) == 0 {
		t.Empty++
	}
	t.at[string(d.ID)] = len(t.batch.Documents)
	t.batch.Documents, t.places.Documents = append(t.batch.Documents, d.Document), append(t.places.Documents, at)
	return nil
}

// identity returns the identity of the document called id, of t or else of the index, and its place there.
func (l *Live) identity(t *taken, id []byte) (of segment.Identity, at store.Place, ok bool, err error) {
	if earlier, ok := t.at[string(id)]; ok {
		return t.batch.Documents[earlier].Identity(l.manifest.Layout()), at, true, nil
	}
	if t.gone[string(id)] {
		return of, at, false, nil
	}
	if at, err = l.state.Find(id); err == nil && at.There {
		of, err = l.state.Identity(at)
	}
	return of, at, at.There, err
}

// change makes a change to the index: a batch goes to the log, and then to the state. A batch with nothing in it
// changes nothing. Then the result is the changes before, since the index has from these what the caller asks for.
// batch is called with l.mu held, and perhaps several times. It says where the documents lie that are deleted or replaced.
func (l *Live) change(ctx context.Context, batch func() (*segment.Batch, *store.Places, error)) (change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b *segment.Batch
	var at *store.Places
	for {
		if err := l.ease(ctx); err != nil {
			return change{}, err
		}
		input := l.input
		err := mmap.Guarded(func() (err error) {
			b, at, err = batch()
			return err
		})
		if err != nil {
			l.input = input
			return change{}, err
		}
		if len(b.Deletes)+len(b.Documents) == 0 {
			return change{l.log, l.logEnd}, nil
		}
		if l.log != nil && l.input == l.manifest.Input {
			break
		}
		wanted := l.input
		l.input = input // until the manifest has what is wanted
		l.mu.Unlock()
		err = l.prepare(input, wanted)
		l.mu.Lock()
		if err != nil {
			return change{}, err
		}
	}
	if err := l.w.dir.Held(); err != nil {
		l.end(err)
		return change{}, err
	}
	end, err := l.log.Append(b.Append(nil, l.manifest.Layout()))
	if err == nil {
		l.logEnd, l.logged = end, l.logged+len(b.Deletes)+len(b.Documents)
		err = l.state.Apply(l.ctx, b, at)
	} else if !errors.Is(err, disk.ErrUncertain) {
		return change{}, err // as if nothing had been asked for
	}
	if err != nil {
		l.end(err) // the log may have the change, and the state has not, or in part
		return change{}, err
	}
	if end >= l.w.o.FlushBytes || l.logged >= l.w.o.FlushDocuments || l.full(1) && l.trouble == nil {
		l.startFlush()
	}
	return change{l.log, l.logEnd}, nil
}

// end ends the Live for writing. The caller holds l.mu.
func (l *Live) end(err error) {
	if l.failed == nil {
		l.failed = fmt.Errorf("nothing more can be written to this index before it is opened again: %w", err)
		l.eased.Broadcast()
	}
}

// full reports whether the logs have as much as makes so many segments. The caller holds l.mu.
func (l *Live) full(flushes int) bool {
	return l.older+l.logEnd >= int64(flushes)*l.w.o.FlushBytes || l.olderHas+l.logged >= flushes*l.w.o.FlushDocuments
}

// ease waits while the log is too long, and returns why nothing can be written. The caller holds l.mu.
func (l *Live) ease(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.eased.Broadcast()
	})
	defer stop()
	tried := false
	for {
		switch {
		case l.closed:
			return ErrClosed
		case l.failed != nil:
			return l.failed
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !l.full(mostFlushes):
			return nil
		case !l.flushing && l.trouble != nil && tried:
			return fmt.Errorf("the log is too long, and its documents cannot be made a segment: %w", l.trouble)
		case !l.flushing:
			l.startFlush() // a call tries it, even if the last one has failed: by now there may be space
			tried = true
		}
		l.eased.Wait()
	}
}
