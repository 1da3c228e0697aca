package intake

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/objects"
)

// Folders are looked at again and again for files that are new or have changed.
type Folders struct {
	Names []string
	How   corpus.Options // its FilesFrom name folders, too; Context is set
	Every time.Duration  // between two looks
	Gone  func(error)    // is told of a folder that has gone away
	// Private is a file that not everybody can read, or "".
	Private string

	looked bool
	away   map[string]bool // folders that were not there at the last look
	files  map[string]*fileState
}

// A fileState tells whether a file has changed.
type fileState struct {
	size  int64
	time  time.Time
	still bool // it was so at the look before, too
	read  bool // Look has returned it
}

// Look looks at the folders once, and returns files that are new or have changed. A file is returned when it has been
// the same at two looks: what is still being written is left alone. The first look returns all files that were last
// changed some time before. What is known of files stays while a folder is away, so that they are not returned again
// when it is back.
func (f *Folders) Look() (ready []corpus.File, err error) {
	if !f.looked {
		f.away, f.files = map[string]bool{}, map[string]*fileState{}
	}
	found, err := f.find()
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, file := range found {
		if objects.Is(file.Path) {
			return nil, fmt.Errorf("%s: watch looks at folders of this machine; index adds what has come to a store", file.Path)
		}
		there[file.Path] = true
		info, err := os.Stat(file.Path)
		if err != nil { // it has just gone, or its folder has: the next look tells
			continue
		}
		was := f.files[file.Path]
		if was != nil && was.size == info.Size() && was.time.Equal(info.ModTime()) {
			was.still = true
		} else {
			was = &fileState{size: info.Size(), time: info.ModTime(), still: !f.looked && time.Since(info.ModTime()) > f.Every}
			f.files[file.Path] = was
		}
		if was.still && !was.read {
			was.read = true
			ready = append(ready, file)
		}
	}
	if !slices.Contains(slices.Collect(maps.Values(f.away)), true) {
		maps.DeleteFunc(f.files, func(path string, _ *fileState) bool { return !there[path] })
	}
	f.looked = true
	return ready, nil
}

// Forget forgets a file, so that it is new if it is there at a later look.
func (f *Folders) Forget(file corpus.File) { delete(f.files, file.Path) }

// find returns the files that are there. A folder that has gone away is told of once, and is looked for again. It
// must be there at the first look.
func (f *Folders) find() (found []corpus.File, err error) {
	how := f.How
	add := func(names ...string) error {
		r, err := corpus.Open(names, how)
		if err != nil {
			return err
		}
		found = append(found, r.Files()...)
		f.Private = cmp.Or(f.Private, r.Private())
		return r.Close()
	}
	if len(how.FilesFrom) > 0 {
		if err := add(); err != nil {
			return nil, err
		}
		how.FilesFrom = nil
	}
	for _, name := range f.Names {
		err := add(name)
		if interrupted := context.Cause(how.Context); interrupted != nil {
			return nil, interrupted
		}
		if err != nil && !f.looked {
			return nil, err
		}
		if err != nil && !f.away[name] {
			f.Gone(err)
		}
		f.away[name] = err != nil
	}
	return found, nil
}
