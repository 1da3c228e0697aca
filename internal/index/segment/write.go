package segment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/bulk"
	"simsearch/internal/match/lsh"
	"simsearch/tables"
)

// WriteOptions say how the tables and bands of a segment are made.
type WriteOptions struct {
	Design     tables.Design // of the tables; one without bits is planned
	Distance   int           // in bits, that tables are planned for
	TableBytes float64       // limit on the size of the tables if a design is that small; 0 is none
	Threshold  float64       // the Jaccard similarity that the postings of sets are planned for
	SetMemory  int64         // about how many bytes counting the features of sets takes, or sorting seeds; 0 is a default
	Bands      lsh.Bands
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

// grouping is the phase of fingerprints before their tables.
const grouping = "grouping equal fingerprints"

func (o *WriteOptions) phase(what string) {
	if o.Phase != nil {
		o.Phase(what)
	}
}

// Write writes the documents as the segment file dir/name and makes it durable.
func (b *Builder) Write(ctx context.Context, fsys disk.FS, dir, name string, o WriteOptions) (Ref, error) {
	o.spool, o.spoolDir = fsys, dir
	size, digest, err := section.WriteKnown(fsys, filepath.Join(dir, name), func(w *section.Writer) {
		w.Fail(b.writeSections(ctx, w, &o))
		if rows := b.rows(); rows != nil {
			writeRows(w, secIDRowsAgain, rows)
		}
		o.phase("making it durable")
	})
	return Ref{Name: name, Documents: uint64(b.Len()), Bytes: size, Digest: digest}, err
}

// writeSections writes all sections. w keeps the errors of the file.
func (b *Builder) writeSections(ctx context.Context, w *section.Writer, o *WriteOptions) error {
	o.phase("writing documents")
	if rows := b.rows(); rows != nil {
		writeRows(w, secIDRows, rows)
	} else {
		b.writeIDs(w)
	}
	if b.layout.Bits > 0 {
		if err := b.writeFingerprints(ctx, w, o); err != nil {
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
	if err := b.fields.write(w); err != nil || !b.layout.Passages {
		return err
	}
	o.phase("writing passages")
	return b.passages.write(w, b.Len(), o.SetMemory)
}

// writeFingerprints writes the groups of equal fingerprints and their tables.
func (b *Builder) writeFingerprints(ctx context.Context, w *section.Writer, o *WriteOptions) error {
	o.phase(grouping)
	all, err := b.prints.All()
	if err != nil {
		return err
	}
	if b.layout.isWide() {
		return b.writeWide(ctx, w, all, o)
	}
	how := bulk.Options{Threads: max(1, o.Threads), Memory: b.tableMemory()}
	streamed := o.Design.Width() == 0 && b.isStreamed()
	if streamed {
		how.Progress = o.parts(grouping)
	}
	distinct := b.prints.Another()
	err = bulk.WriteSorted(ctx, w, fingerprintGroups, all, b.layout.Bits, b.isEmpty, how, &distinct, func(values []uint64) error {
		design, why := o.Design, fmt.Sprintf("chosen by hand, for %d fingerprints", len(values))
		if design.Width() == 0 {
			plan := tables.Choose(b.layout.Bits, len(values), o.Distance, o.TableBytes)
			if streamed && len(values) >= leastTables {
				plan = tables.Dense(len(values), o.Distance)
			}
			design, why = plan.Design, plan.Why
		}
		o.explain(fmt.Sprintf("%v, %s", design, design.Expected(len(values))), why)
		return b.writeTables(ctx, w, values, design, o)
	})
	return errors.Join(err, distinct.Close())
}
