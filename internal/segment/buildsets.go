package segment

import (
	"context"
	"errors"
	"io"

	"simsearch/lsh"
	"simsearch/section"
)

// A Digest identifies a set of features. Sets with equal digests count as equal.
type Digest = [2]uint64

// NoSet stands for the set of a document that has no features.
const NoSet = ^uint32(0)

// A setBuilder gathers the distinct sets of documents, each once, in the order in which the
// documents have them first.
type setBuilder struct {
	of         []uint32 // the set of each document, or NoSet
	known      map[Digest]uint32
	digests    []uint64 // two per set
	ends       []uint64 // where the features of each set end
	signatures []byte
	features   spool
}

// add adds the set of the next document. The document has no set if features is empty.
func (b *setBuilder) add(features []uint64, d Digest, signature []byte) {
	if len(features) == 0 {
		b.of = append(b.of, NoSet)
		return
	}
	if b.known == nil {
		b.known = map[Digest]uint32{}
	}
	set, ok := b.known[d]
	if !ok {
		set = uint32(len(b.ends))
		b.known[d] = set
		b.digests = append(b.digests, d[0], d[1])
		b.ends = append(b.ends, b.end(set)+uint64(len(features)))
		b.signatures = append(b.signatures, signature...)
		b.features.add(features)
	}
	b.of = append(b.of, set)
}

// end returns where the features of the previous set end.
func (b *setBuilder) end(set uint32) uint64 {
	if set == 0 {
		return 0
	}
	return b.ends[set-1]
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
	if b.of == nil {
		return b
	}
	kept := make([]uint32, 0, len(b.of))
	for doc, set := range b.of {
		if !drop[doc] {
			kept = append(kept, set)
		}
	}
	b.of = kept
	return b
}

// renumber numbers the sets that have documents. It returns the new number of each set and how many
// sets are left. The number of a set without documents is NoSet.
func (b *setBuilder) renumber() (numbers []uint32, left uint32) {
	numbers = make([]uint32, len(b.ends))
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

// write writes the sections of the sets and the bands over their signatures.
func (b *setBuilder) write(ctx context.Context, w *section.Writer, positions int, bands lsh.Bands, threads int) error {
	numbers, n := b.renumber()
	of := make([]uint32, len(b.of))
	var ends, digests []uint64
	signatures := make([]byte, 0, int(n)*positions)
	for set, number := range numbers {
		if number == NoSet {
			continue
		}
		last := uint64(0)
		if number > 0 {
			last = ends[number-1]
		}
		ends = append(ends, last+b.ends[set]-b.end(uint32(set)))
		digests = append(digests, b.digests[2*set:2*set+2]...)
		signatures = append(signatures, b.signatures[set*positions:(set+1)*positions]...)
	}
	for doc, set := range b.of {
		of[doc] = NoSet
		if set != NoSet {
			of[doc] = numbers[set]
		}
	}
	groups := GroupSets(of, int(n))
	w.Begin(secSets)
	w.Uint32s(of)
	w.Begin(secSetGroupEnds)
	w.Uint32s(groups.Ends)
	w.Begin(secSetMembers)
	w.Uint32s(groups.Member)
	w.Begin(secDigests)
	w.Uint64s(digests)
	w.Begin(secFeatureEnds)
	w.Uint64s(ends)
	w.Begin(secFeatures)
	if err := b.writeFeatures(ctx, w, numbers); err != nil {
		return err
	}
	w.Begin(secSignatures)
	_, _ = w.Write(signatures) // w keeps the error
	s := lsh.NewSignatures(positions, int(n))
	s.Add(signatures)
	return lsh.Write(ctx, w, s, bands, threads)
}

// writeFeatures copies the features of the sets that stay.
func (b *setBuilder) writeFeatures(ctx context.Context, w io.Writer, numbers []uint32) error {
	r := b.features.reader()
	// Adjacent sets that stay are copied together.
	for from := 0; from < len(numbers); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		to := from + 1
		for to < len(numbers) && to-from < 1<<16 && (numbers[to] == NoSet) == (numbers[from] == NoSet) {
			to++
		}
		into := w
		if numbers[from] == NoSet {
			into = io.Discard
		}
		bytes := 8 * (b.ends[to-1] - b.end(uint32(from)))
		if _, err := io.CopyN(into, r, int64(bytes)); errors.Is(err, io.EOF) {
			return errors.New("the temporary file of features has been cut short")
		} else if err != nil {
			return err
		}
		from = to
	}
	return nil
}
