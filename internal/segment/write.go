package segment

import (
	"context"
	"fmt"
	"path/filepath"

	"simsearch/internal/disk"
	"simsearch/lsh"
	"simsearch/section"
	"simsearch/tables"
)

// WriteOptions say how the tables and bands of a segment are made.
type WriteOptions struct {
	Design     tables.Design // of the tables; one without bits is planned
	Distance   int           // in bits, that tables are planned for
	TableBytes float64       // limit on the size of the tables if a design is that small; 0 is none
	Threshold  float64       // the Jaccard similarity that the postings of sets are planned for
	SetMemory  int64         // about how many bytes counting the features of sets takes; 0 is a default
	Bands      lsh.Bands
	WhyBands   string // what Bands are good for
	Threads    int
	Explain    func(design, why string) // called, if not nil, with the tables and bands that are made
	Phase      func(what string)        // called, if not nil, with a few words about the next step

	spool    disk.FS // for temporary files
	spoolDir string
}

func (o *WriteOptions) explain(design, why string) {
	if o.Explain != nil {
		o.Explain(design, why)
	}
}

func (o *WriteOptions) phase(what string) {
	if o.Phase != nil {
		o.Phase(what)
	}
}

// Write writes the documents as the segment file dir/name and makes it durable.
func (b *Builder) Write(ctx context.Context, fsys disk.FS, dir, name string, o WriteOptions) (Ref, error) {
	file, err := disk.CreateAtomic(fsys, filepath.Join(dir, name))
	if err != nil {
		return Ref{}, err
	}
	defer file.Abort()
	w := section.NewWriter(file)
	o.spool, o.spoolDir = fsys, dir
	if err := b.writeSections(ctx, w, &o); err != nil {
		return Ref{}, err
	}
	size, digest, err := w.Close()
	if err != nil {
		return Ref{}, err
	}
	o.phase("making it durable")
	return Ref{Name: name, Documents: uint64(b.Len()), Bytes: size, Digest: fmt.Sprintf("%08x", digest)}, file.Commit()
}

// writeSections writes all sections. w keeps the errors of the file.
func (b *Builder) writeSections(ctx context.Context, w *section.Writer, o *WriteOptions) error {
	var groups tables.Groups
	if b.layout.Bits > 0 {
		o.phase("grouping equal fingerprints")
		groups = b.groups()
	}
	w.Begin(secCounts)
	w.Uint64s([]uint64{uint64(b.Len()), uint64(len(b.empty)), uint64(len(groups.Values))})
	o.phase("writing documents")
	b.writeIDs(w)
	if b.layout.Bits > 0 {
		w.Begin(secFingerprints)
		w.Uint64s(b.fingerprints)
	}
	w.Begin(secEmpty)
	w.Uint32s(b.empty)
	if b.layout.Bits > 0 {
		if err := writeFingerprints(ctx, w, groups, b.layout.Bits, o); err != nil {
			return err
		}
	}
	if b.layout.Sets {
		o.phase("writing sets")
		if err := b.sets.write(ctx, w, b.layout.Positions, o); err != nil {
			return err
		}
	}
	if err := b.texts.write(w); err != nil {
		return err
	}
	if err := b.fields.write(w); err != nil {
		return err
	}
	if b.layout.Sources {
		b.sources.write(w)
	}
	return nil
}
