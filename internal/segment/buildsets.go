package segment

import (
	"context"
	"fmt"

	"simsearch/internal/join"
	"simsearch/internal/lsh"
	"simsearch/internal/prefix"
	"simsearch/internal/section"
)

// A Digest identifies a set of features. Sets with equal digests count as equal.
type Digest = [2]uint64

// A setBuilder gathers the distinct sets of documents, each once, in the order in which the
// documents have them first.
type setBuilder struct {
	of         []uint32 // the set of each document, or NoSet
	known      map[Digest]uint32
	digests    []uint64 // two per set
	signatures []byte
	drafts     *prefix.Drafts
	shared     sharedCounter
}

// add adds the set of the next document, which may have none. One that is known needs its digest alone.
func (b *setBuilder) add(d *Document) {
	if !d.hasSet() {
		b.of = append(b.of, NoSet)
		return
	}
	set, ok := b.known[d.Digest]
	if !ok {
		set = uint32(b.drafts.Len())
		b.known[d.Digest] = set
		b.digests = append(b.digests, d.Digest[0], d.Digest[1])
		b.signatures = append(b.signatures, d.Signature...)
		b.drafts.Add(d.Set, d.Coded)
		b.shared.add(d.Set)
	}
	b.of = append(b.of, set)
}

// digest returns the digest of a document's set. It is zero if the document has none.
func (b *setBuilder) digest(doc uint32) (d Digest) {
	if len(b.of) > 0 && b.of[doc] != NoSet {
		set := b.of[doc]
		d = Digest{b.digests[2*set], b.digests[2*set+1]}
	}
	return d
}

// without returns b without the documents that are marked in drop. Sets without documents stay
// until the sections are written.
func (b setBuilder) without(drop []bool) setBuilder {
	b.of = keep(b.of, drop)
	return b
}

// renumber numbers the sets that have documents. It returns the new number of each set and how many
// sets are left. The number of a set without documents is NoSet.
func (b *setBuilder) renumber() (numbers []uint32, left uint32) {
	numbers = make([]uint32, b.drafts.Len())
	for i := range numbers {
		numbers[i] = NoSet
	}
	for _, set := range b.of {
		if set != NoSet {
			numbers[set] = 0
		}
	}
	for i := range numbers {
		if numbers[i] != NoSet {
			numbers[i] = left
			left++
		}
	}
	return numbers, left
}

// write writes the sections of the sets, and the bands over their signatures if there are any.
func (b *setBuilder) write(ctx context.Context, w *section.Writer, positions int, o *WriteOptions) error {
	numbers, n := b.renumber()
	of := make([]uint32, len(b.of))
	var digests []uint64
	signatures := lsh.NewSignatures(positions, int(n))
	for set, number := range numbers {
		if number == NoSet {
			continue
		}
		digests = append(digests, b.digests[2*set:2*set+2]...)
		if positions > 0 {
			signatures.Add(b.signatures[set*positions : (set+1)*positions])
		}
	}
	for doc, set := range b.of {
		of[doc] = NoSet
		if set != NoSet {
			of[doc] = numbers[set]
		}
	}
	setGroups.write(w, join.GroupMembers(of, int(n)), len(of))
	w.Begin(secDigests)
	w.Uint64s(digests)
	kept := b.drafts.Kept(int(n), func(set int) bool { return numbers[set] != NoSet })
	if err := kept.Write(ctx, w, o.Threshold, prefix.Options{Threads: o.Threads, Memory: o.SetMemory, Disk: o.spool, Dir: o.spoolDir}); err != nil {
		return err
	}
	if positions == 0 {
		return nil
	}
	o.explain(o.Bands.String(), o.WhyBands)
	o.phase(fmt.Sprintf("writing %d bands", o.Bands.Bands))
	return lsh.Write(ctx, w, signatures, o.Bands, o.Threads)
}
