package index

import (
	"context"
	"errors"
	"iter"
	"sync"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
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
	keeping store.Keeping
	j       *store.Journal
	closing sync.Once
}

// OpenLive opens the index in dir, which is begun if it is missing, with the rules and errors of OpenWriter. It reads
// the logs that an earlier writer has left: all changes that were acknowledged. Weights tfidf that have not been
// learnt are an error.
func OpenLive(dir string, s analysis.Settings, o WriterOptions) (*Live, error) {
	return OpenLiveOn(disk.OSAsDirectory, dir, s, o)
}

// NewMemory returns an index in memory, which is gone when it is closed.
func NewMemory(s analysis.Settings, o WriterOptions) (*Live, error) {
	return OpenLiveOn(disk.NewMemory(), "index", s, o)
}

// OpenLiveOn is OpenLive on another file system than that of the operating system.
func OpenLiveOn(fsys disk.FS, dir string, s analysis.Settings, o WriterOptions) (*Live, error) {
	o.Explain, o.Phase = nil, nil
	w, err := claimWriter(fsys, dir, s, o)
	if err != nil {
		return nil, err
	}
	if w.Learns() {
		return nil, errors.Join(errors.New("index: weights have to be learnt before documents are added"), w.Close())
	}
	j, err := w.journal(context.Background())
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	l := &Live{w: w, keeping: w.dir.Manifest.Keeping(), j: j}
	j.Begin() // from here on, the journal changes the manifest
	return l, nil
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
	last, in := store.Change{}, &OneInput{}
	pack := func(_ context.Context, b *analysis.Batch) (store.Packed, error) {
		return l.keeping.Pack(b.Len(), b.Result), nil
	}
	together := func() int { return ingestTogether }
	err = analysis.Each(ctx, l.w.analysis, documents, l.w.o.Threads, together, pack, func(b *analysis.Batch, k store.Packed) error {
		offered := make([]Prepared, b.Len())
		for i := range offered {
			r := b.Result(i)
			offered[i] = Prepared{l.keeping.Document(&r, k, i), sourceOf(&r), r.Given, false}
		}
		c, err := l.put(ctx, these(Wanted{Add: offered}), in, &r)
		if err == nil {
			last = c
		}
		return err
	})
	return r, errors.Join(err, l.j.Durable(last))
}

// AddOne adds one document of an input that has been analysed by the settings of the index, as Add does. A document
// that replaces those before it, as one of a feed does, is of an input of its own, &OneInput{}.
func (l *Live) AddOne(ctx context.Context, d *analysis.Result, in *OneInput) (r Result, err error) {
	one := l.Prepare([]*analysis.Result{d})
	one[0].renew = false // if the index has it, it is known
	c, err := l.put(ctx, these(Wanted{Add: one}), in, &r)
	return r, errors.Join(err, l.j.Durable(c))
}

// Delete takes documents out of the index, as one change, and returns how many of the ids the index had. The errors
// are those of Add.
func (l *Live) Delete(ctx context.Context, ids ...[]byte) (deleted int, err error) {
	var r Result
	c, err := l.put(ctx, these(Wanted{Deletes: ids}), nil, &r)
	return r.Deleted, errors.Join(err, l.j.Durable(c))
}

// A Prepared is a document that may come to the index: what has been analysed and packed of it.
type Prepared struct {
	segment.Document
	source string // as sourceOf has it
	given  bool   // it is a ready-made fingerprint
	renew  bool   // it takes the place of a document with the same features, too
}

// Prepare packs documents that have been analysed by the settings of the index, for Change. It keeps their slices.
func (l *Live) Prepare(documents []*analysis.Result) []Prepared {
	k := l.keeping.Pack(len(documents), func(i int) analysis.Result { return *documents[i] })
	all := make([]Prepared, len(documents))
	for i, d := range documents {
		all[i] = Prepared{l.keeping.Document(d, k, i), sourceOf(d), d.Given, true}
	}
	return all
}

// A Wanted is a change that is wanted: it deletes documents, and then adds documents, which take the places of those
// with their ids, even if they are equal. The index remembers Notes. After a crash all of it is there, or nothing.
type Wanted struct {
	Deletes [][]byte
	Add     []Prepared
	Notes   []Note
}

// A Note is what an index remembers under a key until a time, for whoever makes a change.
type Note = segment.Note

// A NoteKey is a hash of what a Note is known by.
type NoteKey = segment.NoteKey

// Change makes a change that decide decides on. Nothing else changes while decide is called, which may happen several
// times. The change is visible when Change returns, and durable when Durable does. If nothing is wanted, the result
// is the changes before.
func (l *Live) Change(ctx context.Context, decide func() (Wanted, error)) (store.Change, error) {
	return l.put(ctx, decide, &OneInput{}, &Result{})
}

// Noted returns what is noted under a key, or nil. It is for the function that Change calls; what it returns is
// durable when the change is.
func (l *Live) Noted(key NoteKey) []byte { return l.j.Noted(key) }

// Durable waits until a change is durable, with all changes before it.
func (l *Live) Durable(c store.Change) error { return l.j.Durable(c) }

// OnChange calls told with each change of documents from now on, in their order, before the next Snapshot has it.
// Slices are valid until it returns.
func (l *Live) OnChange(told func(*segment.Batch)) { l.j.OnChange(told) }

// Found makes the index durable even if it has no documents yet, so that its settings stay.
func (l *Live) Found() error { return l.j.Found() }

// Len returns the number of documents.
func (l *Live) Len() int { return l.j.Len() }

// Analysis returns the analysis that the fingerprints are made by.
func (l *Live) Analysis() *analysis.Analysis { return l.w.analysis }

// these returns what decides on a change that is known.
func these(w Wanted) func() (Wanted, error) { return func() (Wanted, error) { return w, nil } }

// Settings returns the settings of the index.
func (l *Live) Settings() analysis.Settings { return l.w.analysis.Settings() }

// Base returns the absolute path of the directory at which paths in ids begin, or "" if the index has none.
func (l *Live) Base() (string, error) { return l.j.Base() }

// Sync makes durable what SyncLate has left.
func (l *Live) Sync() error { return l.j.Sync() }

// Snapshot returns the index as it is now. The caller closes it.
func (l *Live) Snapshot() (*Snapshot, error) {
	parts, m, err := l.j.Show()
	if err != nil {
		return nil, err
	}
	return newSnapshot(l.w.dir.FS, l.w.dir.Path, &store.Open{Manifest: &m, Analysis: l.w.analysis, IDF: l.w.idf, Parts: parts})
}

// Close waits for what is written in the background to stop, makes all changes durable, and releases the lock of the
// index. Snapshots stay open. What the log has then, the next OpenLive or OpenWriter reads.
func (l *Live) Close() (err error) {
	l.closing.Do(func() {
		var begun bool
		begun, err = l.j.Close()
		l.w.committed = l.w.committed || begun
		err = errors.Join(err, l.w.Close())
	})
	return err
}

// put makes a change that decide decides on, of documents of an input, and counts them in r.
func (l *Live) put(ctx context.Context, decide func() (Wanted, error), in *OneInput, r *Result) (store.Change, error) {
	var t taken
	c, err := l.j.Change(ctx, func() (*segment.Batch, *store.Places, error) {
		in.forget(t.noted)
		t = taken{in: in, at: map[string]int{}, gone: map[string]bool{}}
		want, err := decide()
		if err != nil {
			return nil, nil, err
		}
		t.batch.Notes = want.Notes
		for _, id := range want.Deletes {
			if at := l.j.State.Find(id); at.There && !t.gone[string(id)] {
				t.gone[string(id)] = true
				t.Deleted++
				t.batch.Deletes, t.places.Deletes = append(t.batch.Deletes, id), append(t.places.Deletes, at)
			}
		}
		for i := range want.Add {
			if err := l.take(&t, &want.Add[i]); err != nil {
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
			l.w.o.Refused(refused.id, refused.source, refused.why)
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
	id          []byte
	source, why string
}

// take adds a document to t, unless the index has it.
func (l *Live) take(t *taken, d *Prepared) error {
	if why := segment.BadID(d.ID); why != "" {
		t.Refused++
		t.refused = append(t.refused, refusal{d.ID, d.source, why})
		return nil
	}
	if err := checkDocument(l.j.Manifest.Settings, &d.Document, d.given, &l.j.Input, l.j.IsUnborn()); err != nil {
		return err
	}
	has, at, ok := l.identity(t, d.ID)
	first := t.in.note(d.ID)
	if first {
		t.noted = append(t.noted, d.ID)
	}
	if ok && d.renew && first {
		t.Replaced++
	} else if ok {
		replaces, refused := t.decide(l.w.o.OnConflict, has == d.Identity(l.j.Manifest.Layout()), !first)
		if refused {
			t.refused = append(t.refused, refusal{d.ID, d.source, otherText})
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
func (l *Live) identity(t *taken, id []byte) (of segment.Identity, at store.Place, ok bool) {
	if earlier, ok := t.at[string(id)]; ok {
		return t.batch.Documents[earlier].Identity(l.j.Manifest.Layout()), at, true
	}
	if t.gone[string(id)] {
		return of, at, false
	}
	if at = l.j.State.Find(id); at.There {
		of = l.j.State.Identity(at)
	}
	return of, at, at.There
}
