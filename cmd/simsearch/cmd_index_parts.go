package main

import (
	"fmt"
	"iter"

	"simsearch/document"
	"simsearch/index"
	"simsearch/internal/filesync"
	"simsearch/internal/intake"
	"simsearch/internal/options"
	"simsearch/internal/terminal"
)

// A large input is committed in parts, so that a run of hours that is interrupted keeps most of its work, and so that
// writing a part takes no more than half of the memory: the rest is for reading, and for garbage. A part of this size
// takes some minutes. Its segment is so large that it is not merged with others soon: merging parts as they come would
// make the run half as long again (parts of 64 MiB: 11.7 s of processor time in place of 7.7 s for 250 MB of texts).
const (
	partBytes     = 4 << 30 // of texts
	partDocuments = 1 << 26
	leastMemory   = 16 << 20
)

// A feeder feeds documents to a writer, and commits them in parts.
type feeder struct {
	w      *index.Writer
	in     *intake.Intake
	sync   *filesync.Sync   // nil without --sync
	record *filesync.Record // nil with it, and if documents are of no file
	whole  bool             // all documents are one part
	most   partSize
	total  index.Result // of all commits
	parts  int          // that have been committed

	committed func() // is called after each commit
}

// A partSize is the size of a part of the input.
type partSize struct {
	documents int
	bytes     int64
	memory    int64 // that writing it takes
}

// add counts a document of a part.
func (s *partSize) add(doc *document.Document) {
	s.documents++
	s.bytes += int64(len(doc.Text))
}

func (f *feeder) full(s partSize) bool {
	return !f.whole && (s.documents >= f.most.documents || s.bytes >= f.most.bytes || f.w.Pending() >= f.most.memory)
}

// feed adds all documents. A second range over them has to go on where the first one ended, unless all are one part.
func (f *feeder) feed(c *options.Flags, documents iter.Seq2[*document.Document, error]) error {
	for more := true; more; {
		part := f.part
		if f.sync != nil {
			part = f.synced
		}
		if err := f.w.Ingest(c.Context, part(documents, &more)); err != nil {
			return err
		}
		if f.sync != nil {
			if !more && f.sync.Done() {
				f.in.Reader.Rewind()
				more = true
			}
			changed, err := f.sync.Hand()
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
		}
		if f.record != nil {
			f.record.Hand()
		}
		r, err := f.w.Commit(c.Context)
		if err != nil {
			return err
		}
		f.count(r)
		f.in.Meter.Phase("")
		f.committed()
	}
	return nil
}

func (f *feeder) count(r index.Result) {
	f.total.Add(r)
	f.parts++
}

// part yields the documents of the next part, and sets more if others may follow.
func (f *feeder) part(documents iter.Seq2[*document.Document, error], more *bool) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		*more = false
		size := partSize{}
		for doc, err := range documents {
			if err == nil {
				size.add(doc)
			}
			if !yield(doc, err) {
				return
			}
			if f.full(size) {
				*more = true
				return
			}
		}
	}
}

// synced is part for files that are compared with the catalogue. A part ends with a file.
func (f *feeder) synced(documents iter.Seq2[*document.Document, error], more *bool) iter.Seq2[*document.Document, error] {
	size := partSize{}
	return f.sync.Part(documents, func(doc *document.Document) bool {
		size.add(doc)
		return f.full(size)
	}, more)
}

// kept says what the index has already of a run that has not come to its end. It is "" if that is nothing.
func (f *feeder) kept() string {
	if f.parts == 0 || f.total.Added+f.total.Replaced+f.total.Unchanged+f.total.Deleted == 0 {
		return ""
	}
	return fmt.Sprintf("the index has %s, %s of them from this run; the same command goes on from there",
		terminal.Plural(f.w.Len(), "document"), terminal.Thousands(f.total.Added+f.total.Replaced))
}

// newFeeder returns what feeds documents to w. s is nil without --sync.
func newFeeder(env *environment, c *options.Flags, w *index.Writer, in *intake.Intake, s *filesync.Sync) *feeder {
	f := &feeder{w: w, in: in, sync: s, whole: options.Gathers(c), most: env.part, committed: env.committed}
	if f.most == (partSize{}) {
		f.most = partSize{partDocuments, partBytes, max(leastMemory, c.Common.Memory/2)}
	}
	return f
}
