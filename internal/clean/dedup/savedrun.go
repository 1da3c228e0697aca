package dedup

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/section"
	"simsearch/internal/index"
)

// stateVersion is that of parts and states. What another version has left is of no use.
const stateVersion = 14

// A savedRun says what a run reads and by what it decides, so that another run can tell whether it would do the same.
// It is saved as gob, which leaves out functions, and keeps names of files that are not UTF-8.
type savedRun struct {
	Directory    string // the working directory, at which relative paths begin
	Refs, Inputs []string
	Options      Options
	Ignored      analysis.Digest // of the file of Options.Ignore
	Files        []savedFile
	Began        int64  // when, in nanoseconds since 1970
	Earlier      uint32 // the checksum of the run whose result it goes on from, or 0
}

// A savedFile is a file as it was before it was read. Of an index, it is its manifest.
type savedFile struct {
	Path    string
	Ref     bool
	Index   bool
	Size    int64
	ModTime int64  // in nanoseconds
	Version string // of an object
}

// deciding returns the options without those that change nothing of what is read and decided.
func (o Options) deciding() Options {
	o.Threads, o.Memory, o.State, o.From, o.Command, o.Temp, o.FS, o.PartBytes, o.LeastRows, o.Began = 0, 0, "", "", "", "", nil, 0, 0, 0
	o.Corpus.Context, o.Corpus.Stdin, o.Corpus.Threads = nil, nil, 0
	return o
}

// describe returns what a run with the given digest of Options.Ignore is going to do. All files are known.
func (c *sources) describe(ignored analysis.Digest) (run savedRun, err error) {
	run = savedRun{Refs: c.refInputs, Inputs: c.inputs, Options: c.Options.deciding(), Ignored: ignored, Began: c.Options.Began}
	if run.Began == 0 {
		run.Began = time.Now().UnixNano()
	}
	if run.Directory, err = os.Getwd(); err != nil {
		return run, err
	}
	for i, f := range c.Files {
		is, path := savedFile{Path: f.Path, Ref: i < c.Refs, Index: c.isIndex(i)}, f.Path
		if is.Index {
			path = filepath.Join(path, index.ManifestName)
		}
		stat := c.Options.FS.Stat
		if objects.Is(path) { // which has been listed
			stat = func(path string) (fs.FileInfo, error) { return objects.Stat(context.Background(), path) }
		}
		info, err := stat(path)
		if err != nil {
			return run, err
		}
		is.Version = objects.Version(info)
		is.Size, is.ModTime = info.Size(), info.ModTime().UnixNano()
		run.Files = append(run.Files, is)
	}
	return run, nil
}

// encoded returns the bytes of the run.
func (r *savedRun) encoded() []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(r); err != nil {
		panic(fmt.Sprintf("dedup: %v", err))
	}
	return b.Bytes()
}

// decode sets r to what encoded has returned, which a section of f has.
func (r *savedRun) decode(f *section.File, data []byte) error {
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(r); err != nil {
		return f.Corruptf(section.About, 0, "%v", err)
	}
	return nil
}

// differs says why a run cannot go on with what another one, of which was is known, has done. It returns "" if it can.
func (r *savedRun) differs(was *savedRun) string {
	before := *was
	before.Files, before.Ignored, before.Began = r.Files, r.Ignored, r.Began
	if !bytes.Equal(before.encoded(), r.encoded()) {
		return "it had other inputs or options"
	}
	if changed := changedFile(was.Files, r.Files); changed != "" {
		return changed
	}
	if r.Ignored != was.Ignored {
		return r.Options.Ignore + " has changed"
	}
	return ""
}

// changedFile says what has become of a file that was read, or "" if all are as they were.
func changedFile(was, are []savedFile) string {
	for i, f := range are {
		if i >= len(was) || f.Path != was[i].Path {
			if slices.ContainsFunc(was, func(other savedFile) bool { return other.Path == f.Path }) {
				return was[i].Path + " is gone"
			}
			return f.Path + " is new"
		}
		if f != was[i] {
			return f.Path + " has changed"
		}
	}
	if len(are) < len(was) {
		return was[len(are)].Path + " is gone"
	}
	return ""
}
