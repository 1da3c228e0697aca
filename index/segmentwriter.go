package index

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"simsearch/hamming"
	"simsearch/internal/atomicfile"
	"simsearch/internal/section"
	"simsearch/tables"
)

// writeSegment writes the pending documents as a segment file and makes it durable.
func (w *Writer) writeSegment(ctx context.Context, name string) (segmentRef, error) {
	file, err := atomicfile.Create(filepath.Join(w.dir, name))
	if err != nil {
		return segmentRef{}, err
	}
	defer file.Abort()
	p := &w.pending
	ref := segmentRef{Name: name, Documents: uint64(p.len())}

	w.phase("grouping equal fingerprints")
	groups := p.groups()
	sw := section.NewWriter(file)
	sw.Begin(secCounts)
	sw.Uint64s([]uint64{uint64(p.len()), uint64(len(p.empty)), uint64(len(groups.Values))})
	w.phase("writing documents")
	p.writeDocuments(sw)
	sw.Begin(secGroupEnds)
	sw.Uint32s(groups.Ends)
	sw.Begin(secMembers)
	sw.Uint32s(groups.Member)
	if err := ctx.Err(); err != nil {
		return ref, context.Cause(ctx)
	}
	k := w.o.Distance
	if k == 0 {
		k = DefaultDistance
	}
	plan := hamming.Choose(w.manifest.Settings.Bits, len(groups.Values), k, w.o.TableBytes)
	design := plan.Design
	if w.o.Explain != nil {
		w.o.Explain(design.String(), plan.Why)
	}
	w.phase(fmt.Sprintf("building %d tables", len(design.Tables())))
	if err := tables.Write(ctx, sw, groups.Values, design, w.o.Threads); err != nil {
		return ref, err
	}
	size, digest, err := sw.Close()
	if err != nil {
		return ref, err
	}
	ref.Bytes, ref.Digest = size, fmt.Sprintf("%08x", digest)
	w.phase("making it durable")
	return ref, file.Commit()
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
func (p *pending) writeDocuments(sw *section.Writer) {
	sw.Begin(secIDEnds)
	sw.Uint64s(p.idEnds)
	sw.Begin(secIDBytes)
	_, _ = sw.Write(p.idBytes) // sw keeps the error
	hashes, order := p.sortedIDs()
	sw.Begin(secIDHashes)
	sw.Uint64s(hashes)
	sw.Begin(secIDOrder)
	sw.Uint32s(order)
	sw.Begin(secFingerprints)
	sw.Uint64s(p.fingerprints)
	sw.Begin(secEmpty)
	sw.Uint32s(p.empty)
}
