package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
)

// WriterOptions are the options of a Writer or a Live. The zero value has useful defaults.
type WriterOptions struct {
	// Search is stored in a new index, and says what is near there if a search does not, and what new segments are
	// made for. Blocks and bands that it names must be those of an index that exists; what it does not name is what
	// is stored.
	//
	// Queries at the similarity Planned, or DefaultThreshold, or at a higher one are answered fast, others by
	// comparing all sets. Recall is the probability of finding a pair at that similarity by the bands of signatures,
	// or lsh.DefaultRecall, which is not stored.
	Search analysis.Search
	// Base is the directory at which paths in the ids of a new index begin. It is stored there, for
	// ReadBase. "" is none.
	Base string
	// Keep is what the index keeps of texts.
	Keep Keep
	// Passages makes a new index that finds passages.
	Passages bool
	// Input is stored in a new index, too.
	Input Input
	// Distance is the distance in bits that the tables of new segments are planned for. It is less
	// than the number of bits of a fingerprint. Searches within other distances are exact, too.
	// 0 is DefaultDistance. A new index of Search.Blocks finds it by equal headers: it is at most
	// Blocks - HeaderBlocks. Such tables do not depend on it otherwise.
	Distance int
	hold     int   // bytes of the codes of sets in memory until Commit, and of texts
	stream   int64 // what writing a stream of fingerprints takes at least; tests lower it
	// TableBytes is the size in bytes that the tables of a new segment may take. It is exceeded if
	// no design is that small. 0 is no limit.
	TableBytes float64
	// Memory is about how many bytes the Writer takes; 0 is half of what the machine has. What Learn and sets take
	// beyond a share of it goes to temporary files in the index. Segments are not merged if that would take more.
	// What Ingest and Commit take depends on how much is added in between, which Pending tells.
	Memory int64
	// OnConflict is what becomes of a document whose id stands for another text in the index.
	OnConflict Conflict
	// Parts says that the documents of all commits are one input: of two with one id, the second is Unchanged or
	// Refused, even if the first was in the index before. This takes 8 bytes of memory a document.
	Parts bool
	// Threads is the number of goroutines that analyse texts and build tables. 0 is one.
	Threads int
	// Explain, if not nil, is called with the tables that a new segment gets and the reason for
	// them.
	Explain func(design, why string)
	// Phase, if not nil, is called with a few words about what Commit begins to do.
	Phase func(what string)
	// Refused, if not nil, is called for each document that is left out: its id stands for another text, or cannot be
	// an id. The id is valid during the call. source is the file that the document is from, or "" if that is not
	// known, or the id says it.
	Refused func(id []byte, source, why string)
	// Aside, if not nil, is called with the name of each file that OpenWriter moves to AsideName.
	Aside func(name string)

	// SyncLate lets a Live acknowledge changes before they are durable: a power cut may lose those since Sync. A
	// process that is killed loses none.
	SyncLate bool
	// FlushBytes is the size in bytes of the log of a Live at which its documents become a segment. 0 is 32 MiB.
	FlushBytes int64
	// FlushDocuments is the number of documents, added or deleted, at which they do so before. It bounds the time that
	// opening the index takes after a crash: about half a second for a million fingerprints. 0 is 2¹⁹.
	FlushDocuments int
}

// leastHeld is how many bytes of features are held, and as many of texts, whatever WriterOptions.Memory is.
const leastHeld = 1 << 16

// withDefaults returns o with defaults in place of zeros. The error says what is out of range.
func (o WriterOptions) withDefaults(s analysis.Settings) (WriterOptions, error) {
	o.Distance, o.Memory = cmp.Or(o.Distance, DefaultDistance), spill.MemoryOr(o.Memory)
	o.FlushBytes, o.FlushDocuments = cmp.Or(o.FlushBytes, 32<<20), cmp.Or(o.FlushDocuments, 1<<19)
	switch {
	case o.Distance < 0 || o.Distance >= s.Bits:
		return o, fmt.Errorf("tables planned for a distance of %d bits: want 1 to %d", o.Distance, s.Bits-1)
	case !(o.TableBytes >= 0) || math.IsInf(o.TableBytes, 0):
		return o, fmt.Errorf("tables of up to %v bytes: want 0, for no limit, or more", o.TableBytes)
	case o.Memory < 0:
		return o, fmt.Errorf("%d bytes of memory: want 0 or more", o.Memory)
	case o.Threads < 0:
		return o, fmt.Errorf("%d threads: want 0 or more", o.Threads)
	}
	o.stream = cmp.Or(o.stream, segment.StreamMemory)
	o.hold = cmp.Or(o.hold, int(min(spill.Holds/8, max(leastHeld, o.Memory/16))))
	var err error
	o.Search, err = store.Choose(o.Search, s)
	return o, errors.Join(err, o.Keep.Validate())
}

// A Writer adds documents to an index. It holds the lock of the index from OpenWriter to Close.
// Added documents are held in memory until Commit: per document 12 bytes, the id and 8 bytes for
// its end, and per distinct set 30 bytes and a signature. The codes of sets and the texts beyond 8 MiB each, or less if
// WriterOptions.Memory requires it, lie in temporary files in the index.
//
// A Writer must not be used by several goroutines at once.
type Writer struct {
	dir      *store.Dir
	o        WriterOptions
	analysis *analysis.Analysis
	idf      *segment.IDF // nil if nothing is learnt, or not yet
	pending  *segment.Builder
	from     []from       // the files of pending
	takes    atomic.Int64 // what pending.Memory was after the last batch
	deletes  [][]byte     // the ids that Delete has named since the last Commit
	refused  int          // documents that Ingest has left out since the last Commit

	before    []segment.IDSet // the ids of each commit (see remember)
	renews    map[string]bool // the ids that Renew has named since the last Commit
	catalogue *Catalogue      // that the next Commit writes, or nil
	partial   bool            // AddCatalogue was called with it

	failed    error // why nothing more can be written
	uncertain bool  // the manifest on disk may differ from this one
	committed bool  // something was committed, so that the index stays, even an empty one
}

// OpenWriter opens the index in dir for adding. It begins an index there if dir is missing or
// empty. The error is ErrSettings if the index has other settings, ErrLocked if another process is
// writing it, ErrNoIndex if dir holds anything else, ErrCorrupt or ErrVersion. Other errors say
// which option is out of range or come from the file system.
//
// The files of an index get no permissions that its directory does not have (see MakePrivate).
//
// OpenWriter removes unfinished files of a writer that was killed. It moves to AsideName the files
// whose names the manifest neither has nor has reserved. Such files show that an older manifest has
// been put in place of the one that named them.
func OpenWriter(dir string, s analysis.Settings, o WriterOptions) (*Writer, error) {
	return openWriter(disk.OSAsDirectory, dir, s, o)
}

// MakePrivate makes the index in dir, which is there, readable by its owner alone, with all that is written later. It
// reports whether others could read it before. It does nothing on systems that have no such permissions.
func MakePrivate(dir string) (changed bool, err error) { return disk.MakePrivate(dir) }

func openWriter(fsys disk.FS, dir string, s analysis.Settings, o WriterOptions) (*Writer, error) {
	w, err := claimWriter(fsys, dir, s, o)
	if err != nil || len(w.dir.Manifest.Logs) == 0 {
		return w, err
	}
	takeLogs := func(j *store.Journal) error { return j.Flush(false) }
	if err := w.changing(context.Background(), takeLogs); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// claimWriter is openWriter, except that logs of a Live stay.
func claimWriter(fsys disk.FS, dir string, s analysis.Settings, o WriterOptions) (*Writer, error) {
	s = s.Canonical()
	a, err := analysis.New(s)
	if err != nil {
		return nil, err
	}
	// Look before touching anything: a directory that is not an index must stay as it is.
	w := &Writer{dir: &store.Dir{FS: fsys, Path: dir}, analysis: a}
	if err := w.dir.Read(s); err != nil {
		_, wrong := o.withDefaults(s) // which is told rather
		return nil, cmp.Or(wrong, err)
	}
	if w.o, err = o.withDefaults(s); err != nil {
		return nil, err
	}
	w.pending = segment.NewBuilder(fsys, dir, segment.Layout{}, 0)
	if err = w.dir.Claim(); err == nil {
		err = w.begin(s)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// begin makes the Writer ready, which has the lock.
func (w *Writer) begin(s analysis.Settings) error {
	if err := w.dir.Read(s); err != nil { // again: another writer may just have finished
		return err
	}
	m := w.dir.Manifest
	if w.New() {
		m.Input = w.o.Input
		if err := m.Begin(w.o.Search, w.o.Distance); err != nil {
			return err
		}
		if w.o.Base != "" {
			m.SetBase(w.dir.Path, w.o.Base)
		}
	}
	var err error
	if w.o.Search, err = m.Agree(w.o.Search); err != nil {
		return err
	}
	if err := w.chooseKeep(); err != nil {
		return err
	}
	err = w.dir.Tidy(true, func(l store.Leftover) {
		if !l.Damaged && w.o.Aside != nil {
			w.o.Aside(l.Name)
		}
	})
	if err != nil {
		return err
	}
	model, err := m.ReadIDF(w.dir.FS, w.dir.Path)
	if model != nil {
		w.setIDF(model)
	}
	return err
}

// newBuilder returns a builder of the next segment.
func (w *Writer) newBuilder() *segment.Builder {
	return w.dir.NewBuilder(w.o.hold, w.o.Memory/2, w.o.stream)
}

// Pending returns about how many bytes of memory Commit takes for what has been added since the last one. It may be
// called while Ingest runs, from any goroutine, and then does not count what is being analysed. Who adds a long input
// commits when this comes to half of the memory that is to be used.
func (w *Writer) Pending() int64 { return w.takes.Load() }

// New reports whether there is no index yet, because nothing has been committed, or none any more, because all
// documents were deleted.
func (w *Writer) New() bool {
	return w.dir.Manifest == nil || w.dir.Manifest.IsEmpty()
}

// Close releases the lock. Documents that have not been committed are dropped, and a directory made
// for them is removed again.
func (w *Writer) Close() error {
	err := w.pending.Close()
	w.failed = errors.New("the writer is closed")
	return errors.Join(err, w.dir.Release(w.New() && !w.uncertain && !w.committed))
}

// NewTemporary begins an index in memory. The error says which option is out of range.
func NewTemporary(s analysis.Settings, o WriterOptions) (*Writer, error) {
	return openWriter(disk.NewMemory(), "temporary index", s, o)
}

// Open opens what has been committed. The errors are those of the function Open.
func (w *Writer) Open() (*Snapshot, error) { return openDir(w.dir.FS, w.dir.Path) }

// A Keep says what an index keeps of texts, so that they can be shown. Searches need none of it. Its String
// is "text", "source" or "nothing".
type Keep = store.Keep

const (
	// KeepDefault is what the index keeps already, and in a new one KeepText if there are sets of
	// features, or else KeepNothing.
	KeepDefault = store.KeepDefault
	// KeepText keeps texts, compressed.
	KeepText = store.KeepText
	// KeepSource keeps where texts were read, and a digest of each. A text without a source, such as one
	// of standard input, is kept itself.
	KeepSource = store.KeepSource
	// KeepNothing keeps nothing.
	KeepNothing = store.KeepNothing
)

// ParseKeep returns the Keep called name, as String returns it.
func ParseKeep(name string) (Keep, error) { return store.ParseKeep(name) }

// chooseKeep sets what the index keeps, which its manifest says if it has documents.
func (w *Writer) chooseKeep() error {
	want := w.o.Keep
	if w.New() {
		switch {
		case want != KeepDefault:
		case w.dir.Manifest.Settings.Sets() || w.o.Passages:
			want = KeepText
		default:
			want = KeepNothing
		}
		w.dir.Manifest.Keep, w.dir.Manifest.Passages = want, w.o.Passages
	}
	if has := w.dir.Manifest.Kept(); want != KeepDefault && want != has {
		return fmt.Errorf("%w: the index keeps %v of its texts, not %v", ErrSettings, has, want)
	}
	if want, has := w.o.Input.KeepFields, w.dir.Manifest.Input.KeepFields; want != "" && want != has {
		return fmt.Errorf("%w: the index keeps %s, not %s", ErrSettings, fieldsKept(has), want)
	}
	if w.o.Passages && !w.dir.Manifest.Passages {
		return fmt.Errorf("%w: the index was made without passages; make another one with them", ErrSettings)
	}
	if w.o.Passages && w.dir.Manifest.Kept() == KeepNothing {
		return fmt.Errorf("%w: passages are verified in the texts, and the index keeps none", ErrSettings)
	}
	w.pending = w.newBuilder()
	return nil
}
