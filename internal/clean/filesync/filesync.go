// Package filesync makes an index what some files are. It compares the files with the catalogue of the index, so that
// only those are read that are new or have changed, and deletes the documents of those that are gone, or are not
// among the files any more.
//
// # When has a file changed?
//
// A file is unchanged if it has the size and the time of the last change that the catalogue says. The time is that of
// the inode where there is one (see disk.Changed): a file that takes the place of another one has a new one,
// whatever the time of its contents is. If the time is another one, the digest of the contents decides. A new mode or
// a copy of the whole directory is found to be no change in this way. Two changes within one step of the clock leave
// the same time: a file that was changed shortly before the run began is compared by its digest the next time, as git
// compares files that are not older than its index ("racy git", Documentation/technical/racy-git.txt). The digest is
// taken before the file is read, so that a change in between is found the next time.
//
// # Which document has an id?
//
// Documents of several files may have one id. Then the first file in the order of the inputs has it, as in an index
// that is made anew. The catalogue says which ids a file claims. If the file that had an id gives it up, the next
// file that claims it is read again.
//
// # Which files does a run stand for?
//
// A run is given all files that runs like it have made the index of: it leaves out those that it is not given any
// more. A file that was added by a run without a Sync (Record) may be of another collection. It counts as one of this
// run only if it is one of its files, or in a directory of its inputs, or if it is gone and was in the directory of
// one of its files: a pattern such as news/*.txt names it no more. Otherwise its documents stay, and so do those
// whose ids it claims.
package filesync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/objects"
	"simsearch/internal/index"
	"simsearch/internal/index/store"
)

// granularity is the longest step in which file systems in use count the time of changes, that of FAT.
const granularity = 2 * time.Second

// Counts says what became of files.
type Counts struct {
	Files     int // that there are now
	New       int
	Changed   int // their documents have been read
	Renamed   int // of New, those with the contents of a file that is gone
	Gone      int
	LeftOut   int   // are there, and not among the files of this run
	Touched   int   // the time is another one, and the contents are the same
	Failed    int   // could not be read; their documents stay as they are
	Meanwhile int   // changed while they were read; the next run reads them again
	Repeated  int   // documents that are left out since an earlier file has their ids
	Unread    int64 // bytes of the files that were not read
	Elsewhere int   // documents of the index that came from none of the files, and stay
}

// Files know which files documents are of that a Writer takes part by part.
type Files interface {
	// Part yields those of the documents that the index is to have, until full reports of one that they are enough. It
	// sets more if others may follow, which the next Part yields.
	Part(documents document.Seq, full func(*document.Document) bool, more *bool) document.Seq
	// Done is called when there are no more. It reports whether the files are to be read again.
	Done() (again bool)
	// Hand gives the Writer what the next Commit is to delete and to store of files. It reports whether there is
	// anything to commit.
	Hand() (changed bool, err error)
}

// A Sync is one run. It must not be used by several goroutines at once.
type Sync struct {
	Counts
	w       *index.Writer
	ctx     context.Context
	r       *corpus.Reader
	how     uint64
	racy    int64 // files that were changed since this time may change again unnoticed, in nanoseconds
	files   []*file
	byName  map[string]*file
	gone    []*file         // of the catalogue, and not among the files
	others  []*file         // of the catalogue, added without a Sync, and outside of the inputs
	taken   map[string]bool // the ids that others claim; nil if they have not been asked for
	blocked []string        // directories that cannot be read, with a slash at the end
	claims  claims
	claimed bool               // whether claims has the ids of files that are not read
	held    *document.Document // that has been read, and begins the next part
	now     *file              // that is being read
	dirty   bool               // the catalogue is to be written
	deletes []string           // ids that the next commit deletes
	renews  []string           // ids of files that are one document and have changed, if only in what is no feature
	dropped map[string]bool    // ids that this run has deleted

	distinct uint64 // ids that files claim, or store.UnknownDistinct
}

// A file is one of those that are there, or were.
type file struct {
	index.CatalogueFile        // as the catalogue has it, or is going to have it
	at                  int    // its place in the order of the files; behind all others if it is not there
	path                string // by which it is opened
	known               bool   // it is in the catalogue
	found               bool   // it is there
	pending             bool   // it is to be looked at
	added               bool   // it is new in this run

	next   index.CatalogueFile // while it is read
	seen   map[string]bool     // ids of next
	bad    bool                // some of its documents are bad
	broken bool                // it cannot be read, or not to its end
}

// New returns a Sync of the index that w writes. Call Use with the Reader of the files, whose options have Opening.
// Then hand the documents of Part to Writer.Ingest, call Done when there are no more, then Hand, and Commit; and so
// on, while there are more or Done says so. how is a digest of the options by which files are read: if it is another
// one than the last time, all files are read again.
func New(ctx context.Context, w *index.Writer, how uint64) (*Sync, error) {
	c, stale, err := w.Catalogue()
	if err != nil {
		return nil, err
	}
	s := &Sync{w: w, ctx: ctx, how: how, racy: time.Now().Add(-granularity).UnixNano(), byName: map[string]*file{}, dropped: map[string]bool{}}
	if c == nil {
		s.dirty, s.distinct = true, store.UnknownDistinct
		return s, nil
	}
	s.distinct = c.Distinct
	all := make([]file, len(c.Files))
	for i, f := range c.Files {
		if c.How != how || stale {
			f.Read, s.dirty = false, true
		}
		all[i] = file{CatalogueFile: f, known: true}
		s.byName[f.Path] = &all[i]
	}
	return s, nil
}

// Use takes the files of r. The error names an input that is no file.
func (s *Sync) Use(r *corpus.Reader) error {
	s.r = r
	if name, ok := r.Once(); ok {
		return fmt.Errorf("--sync compares files, and %s can be read only once", name)
	}
	for _, found := range r.Files() {
		name := r.Name(found.Path)
		f := s.byName[name]
		switch {
		case f == nil:
			f = &file{CatalogueFile: index.CatalogueFile{Path: name}}
			s.byName[name] = f
		case f.found:
			continue // named twice
		}
		f.found, f.at, f.path = true, len(s.files), found.Path
		f.pending = !f.known || !f.Read || f.Again || f.Size != found.Size || f.Changed != nanoseconds(found.Changed)
		s.files = append(s.files, f)
	}
	s.Files = len(s.files)
	dirs := map[string]bool{}
	for _, f := range s.files {
		dirs[path.Dir(f.Path)] = true
	}
	for _, f := range s.byName {
		if f.found {
			continue
		}
		f.at = len(s.files)
		if f.Added && !slices.ContainsFunc(r.Dirs(), func(dir string) bool { return r.IsBelow(f.Path, dir) }) && (!dirs[path.Dir(f.Path)] || !s.isGone(f)) {
			s.others = append(s.others, f)
		} else {
			s.gone = append(s.gone, f)
		}
	}
	slices.SortFunc(s.gone, func(a, b *file) int { return cmp.Compare(a.Path, b.Path) })
	return s.guard()
}

// isGone reports whether there is nothing where a file was.
func (s *Sync) isGone(f *file) bool {
	path := s.r.Path(f.Path)
	if objects.Is(path) {
		_, err := objects.Stat(s.ctx, path)
		return errors.Is(err, fs.ErrNotExist)
	}
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// guard returns an error if there is no file at all, or none in a directory of the inputs, and there were some that
// have documents: a disk may not be there.
func (s *Sync) guard() error {
	switch {
	case s.w.Len() == 0: // which cannot lose any
		return nil
	case len(s.files) == 0 && len(s.gone) > 0:
		return errors.New("--sync has found no file at all, and leaves the index as it is: is the right directory there? delete takes documents out")
	}
	for _, dir := range s.r.Empty() {
		for _, f := range s.gone {
			if len(f.ids()) > 0 && s.r.IsBelow(f.Path, dir) {
				return fmt.Errorf("--sync has found no file in %s, of which the index has documents, and leaves the index as it is: is "+
					"the right directory there? --sync with the other inputs alone takes these documents out", dir)
			}
		}
	}
	return nil
}

// clockStep is the step in which times of changes are seen. 0 is that of the file system; a test sets a longer one.
var clockStep time.Duration

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return -1
	}
	return t.Truncate(clockStep).UnixNano()
}

// Done ends the reading of all files, and takes out the documents of those that are gone or left out. It reports
// whether files are to be read again, since they claim ids that others have given up: then the Reader is to be
// rewound, and Part called again.
func (s *Sync) Done() (again bool) {
	s.finish()
	gone, added := s.gone, s.added()
	s.gone = nil
	for _, f := range gone {
		if slices.ContainsFunc(s.blocked, func(dir string) bool { return strings.HasPrefix(f.Path, dir) }) {
			s.readLater(f)
			s.gone = append(s.gone, f)
			continue
		}
		s.claimAll()
		if info, err := objects.Stat(s.ctx, s.r.Path(f.Path)); err == nil && info.Mode().IsRegular() {
			s.LeftOut++
		} else {
			if added[f.Digest] > 0 {
				added[f.Digest]--
				s.Renamed++
			}
			s.Gone++
		}
		s.dirty = true
		delete(s.byName, f.Path)
		s.giveUp(f.ids(), -1)
	}
	return slices.ContainsFunc(s.files, func(f *file) bool { return f.pending })
}

// added returns how many new files have a digest.
func (s *Sync) added() map[store.FileDigest]int {
	n := map[store.FileDigest]int{}
	if len(s.gone) == 0 {
		return n
	}
	for _, f := range s.files {
		if f.added {
			n[f.Digest]++
		}
	}
	return n
}

// ids returns the ids that a file claims.
func (f *file) ids() []string {
	if f.Whole {
		return []string{f.Path}
	}
	return slices.Collect(f.IDs.All())
}

// losing reports whether a file claims one of the ids that have been dropped.
func (f *file) losing(dropped map[string]bool) bool {
	return len(dropped) > 0 && slices.ContainsFunc(f.ids(), func(id string) bool { return dropped[id] })
}

// isOthers reports whether a file outside of the inputs claims an id.
func (s *Sync) isOthers(id string) bool {
	if s.taken == nil {
		s.taken = map[string]bool{}
		for _, f := range s.others {
			for _, id := range f.ids() {
				s.taken[id] = true
			}
		}
	}
	return s.taken[id]
}

// giveUp takes documents out of the index that the file at a place has no longer. If another file behind it claims the
// id, that file is read again, and if one before it does, the document is of that file.
func (s *Sync) giveUp(ids []string, at int) {
	for _, id := range ids {
		next, ok := s.first(id)
		switch {
		case !ok && s.isOthers(id):
		case !ok:
			s.deletes = append(s.deletes, id)
			s.dropped[id] = true
		case next > at:
			s.readLater(s.files[next])
			s.files[next].pending = true
		}
	}
}

// Hand gives the Writer what the next Commit is to delete and to store. It reports whether there is anything.
func (s *Sync) Hand() (changed bool, err error) {
	changed = len(s.deletes) > 0 || s.dirty
	for _, id := range s.deletes {
		err = errors.Join(err, s.w.Delete([]byte(id)))
	}
	for _, id := range s.renews {
		err = errors.Join(err, s.w.Renew([]byte(id)))
	}
	if err != nil {
		return changed, err
	}
	s.deletes, s.renews = nil, nil
	if s.dirty {
		s.w.SetCatalogue(s.catalogue())
		s.dirty = false
	}
	return changed, nil
}

// catalogue returns the files as they are known now.
func (s *Sync) catalogue() *index.Catalogue {
	c := &index.Catalogue{How: s.how, Distinct: store.UnknownDistinct}
	if s.now == nil && len(s.others) == 0 && !slices.ContainsFunc(s.files, func(f *file) bool { return f.pending }) {
		if s.claimed {
			s.distinct = s.countDistinct()
		}
		c.Distinct = s.distinct
	}
	for _, f := range s.byName {
		if !f.known {
			continue
		}
		known := f.CatalogueFile
		if f.pending && f.losing(s.dropped) { // if this run ends before it comes to the file, the next one reads it
			known.Read = false
		}
		c.Files = append(c.Files, known)
	}
	c.Sort()
	return c
}

// CountElsewhere sets Elsewhere for an index that has the given number of documents.
func (s *Sync) CountElsewhere(documents int) {
	if s.distinct == store.UnknownDistinct {
		s.distinct = s.countDistinct()
	}
	s.Elsewhere = max(0, documents-int(s.distinct))
}
