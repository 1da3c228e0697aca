package segment

import (
	"context"
	"fmt"
	"slices"

	"simsearch/internal/ground/section"
	"simsearch/internal/index/bulk"
	"simsearch/internal/match/join"
	"simsearch/internal/match/lsh"
	"simsearch/internal/match/prefix"
)

// A Digest identifies a set of features. Sets with equal digests count as equal.
type Digest = [2]uint64

// A setBuilder gathers the distinct sets of documents, each once, in the order in which the
// documents have them first.
type setBuilder struct {
	of         []uint32 // the set of each document, or NoSet
	slots      []uint32 // a hash table of the sets, by their digests, with open addressing; NoSet is none
	digests    []Digest // of each set
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
	set, ok := b.find(d.Digest)
	if !ok {
		set = b.take(d.Digest)
		b.digests = append(b.digests, d.Digest)
		b.signatures = append(b.signatures, d.Signature...)
		b.drafts.Add(d.Set, d.Coded)
		b.shared.add(d.Set)
	}
	b.of = append(b.of, set)
}

// find returns the set of a digest. ok is false if there is none.
func (b *setBuilder) find(d Digest) (set uint32, ok bool) {
	if len(b.slots) == 0 {
		return NoSet, false
	}
	set = b.slots[b.slot(d)]
	return set, set != NoSet
}

// slot returns the slot of a digest, or that which it can have.
func (b *setBuilder) slot(d Digest) uint64 {
	most := uint64(len(b.slots) - 1)
	for i := d[0] & most; ; i = (i + 1) & most {
		if set := b.slots[i]; set == NoSet || d == b.digests[set] {
			return i
		}
	}
}

// take returns the number of the next set, which has a digest.
func (b *setBuilder) take(d Digest) (set uint32) {
	set = uint32(len(b.digests))
	if 3*len(b.slots) < 4*int(set+1) { // at most three quarters of the slots are taken
		b.slots = slices.Repeat([]uint32{NoSet}, max(1<<8, 2*len(b.slots)))
		for before := range set {
			b.slots[b.slot(b.digests[before])] = before
		}
	}
	b.slots[b.slot(d)] = set
	return set
}

// digest returns the digest of a document's set. It is zero if the document has none.
func (b *setBuilder) digest(doc uint32) (d Digest) {
	if len(b.of) > 0 && b.of[doc] != NoSet {
		d = b.digests[b.of[doc]]
	}
	return d
}

// renumber numbers the sets that have documents. It returns the new number of each set and how many
// sets are left. The number of a set without documents is NoSet.
func (b *setBuilder) renumber() (numbers []uint32, left uint32) {
	numbers = slices.Repeat([]uint32{NoSet}, b.drafts.Len())
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
	of := slices.Clone(b.of)
	var digests []uint64
	signatures := lsh.NewSignatures(positions, int(n))
	for set, number := range numbers {
		if number == NoSet {
			continue
		}
		digests = append(digests, b.digests[set][:]...)
		if positions > 0 {
			signatures.Add(b.signatures[set*positions : (set+1)*positions])
		}
	}
	for doc, set := range of {
		if set != NoSet {
			of[doc] = numbers[set]
		}
	}
	bulk.WriteGroups(w, setGroups, join.GroupMembers(of, int(n)), len(of))
	w.Begin(secDigests).Uint64s(digests)
	kept := b.drafts.Kept(int(n), func(set int) bool { return numbers[set] != NoSet })
	if err := kept.Write(ctx, w, o.Threshold, prefix.Options{Threads: o.Threads, Memory: o.SetMemory, Disk: o.spool, Dir: o.spoolDir}); err != nil {
		return err
	}
	if positions == 0 {
		return nil
	}
	o.explain(o.Bands.String(), o.Bands.Explain(o.Threshold))
	o.phase(fmt.Sprintf("writing %d bands", o.Bands.Bands))
	return lsh.Write(ctx, w, signatures, o.Bands, o.Threads)
}
