package index

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
	"simsearch/section"
	"simsearch/tables"
)

// writeSegment writes documents as a segment file and makes it durable.
func (w *Writer) writeSegment(ctx context.Context, p *pending, name string) (segmentRef, error) {
	file, err := disk.CreateAtomic(w.fs, filepath.Join(w.dir, name))
	if err != nil {
		return segmentRef{}, err
	}
	defer file.Abort()
	ref := segmentRef{Name: name, Documents: uint64(p.len())}

	sw := section.NewWriter(file)
	var groups tables.Groups
	fingerprints := w.manifest.Settings.Fingerprints()
	if fingerprints {
		w.phase("grouping equal fingerprints")
		groups = p.groups()
	}
	sw.Begin(secCounts)
	sw.Uint64s([]uint64{uint64(p.len()), uint64(len(p.empty)), uint64(len(groups.Values))})
	w.phase("writing documents")
	p.writeDocuments(sw, fingerprints)
	if fingerprints {
		if err := w.writeFingerprints(ctx, sw, groups); err != nil {
			return ref, err
		}
	}
	if w.manifest.Settings.Sets() {
		if err := w.writeSets(ctx, p, sw); err != nil {
			return ref, err
		}
	}
	size, digest, err := sw.Close()
	if err != nil {
		return ref, err
	}
	ref.Bytes, ref.Digest = size, fmt.Sprintf("%08x", digest)
	w.phase("making it durable")
	return ref, file.Commit()
}

// writeFingerprints writes the groups of equal fingerprints and their tables.
func (w *Writer) writeFingerprints(ctx context.Context, sw *section.Writer, groups tables.Groups) error {
	sw.Begin(secGroupEnds)
	sw.Uint32s(groups.Ends)
	sw.Begin(secMembers)
	sw.Uint32s(groups.Member)
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	plan := tables.Choose(w.manifest.Settings.Bits, len(groups.Values), w.o.Distance, w.o.TableBytes)
	design := plan.Design
	if w.o.Explain != nil {
		w.o.Explain(design.String(), plan.Why)
	}
	w.phase(fmt.Sprintf("building %d tables", len(design.Tables())))
	return tables.Write(ctx, sw, groups.Values, design, w.o.Threads)
}

// writeSets writes the sections of the sets of features and the bands over them.
func (w *Writer) writeSets(ctx context.Context, p *pending, sw *section.Writer) error {
	bands, err := w.o.bands(w.manifest.Settings.Positions)
	if err != nil {
		return err
	}
	if w.o.Explain != nil {
		w.o.Explain(bands.String(), explainBands(bands, w.o.Threshold))
	}
	w.phase(fmt.Sprintf("writing sets and %d bands", bands.Bands))
	return p.sets.write(ctx, sw, w.manifest.Settings.Positions, bands, w.o.Threads)
}

func (w *Writer) phase(what string) {
	if w.o.Phase != nil {
		w.o.Phase(what)
	}
}

// groups sorts the documents that have a fingerprint by it.
func (p *pending) groups() tables.Groups {
	fps := slices.Clone(p.fingerprints)
	docs := make([]uint32, len(fps))
	for i := range docs {
		docs[i] = uint32(i)
	}
	if len(p.empty) > 0 {
		empty, n := p.emptySet(), 0
		for i, fp := range fps {
			if !empty[i] {
				fps[n], docs[n] = fp, uint32(i)
				n++
			}
		}
		fps, docs = fps[:n], docs[:n]
	}
	return tables.Group(fps, docs)
}

// writeDocuments writes the sections that have an entry a document.
func (p *pending) writeDocuments(sw *section.Writer, fingerprints bool) {
	sw.Begin(secIDEnds)
	sw.Uint64s(p.idEnds)
	sw.Begin(secIDBytes)
	_, _ = sw.Write(p.idBytes) // sw keeps the error
	hashes, order := p.sortedIDs()
	sw.Begin(secIDHashes)
	sw.Uint64s(hashes)
	sw.Begin(secIDOrder)
	sw.Uint32s(order)
	if fingerprints {
		sw.Begin(secFingerprints)
		sw.Uint64s(p.fingerprints)
	}
	sw.Begin(secEmpty)
	sw.Uint32s(p.empty)
}
