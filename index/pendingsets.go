package index

import (
	"context"
	"errors"
	"io"

	"simsearch/analysis"
	"simsearch/lsh"
	"simsearch/section"
)

// noSet stands for the set of a document that has none.
const noSet = ^uint32(0)

// pendingSets are the sets of the documents that are pending, each distinct one once, in the order
// of the documents that have them first.
type pendingSets struct {
	of         []uint32 // the set of each document, or noSet
	known      map[analysis.Digest]uint32
	digests    []uint64 // two a set
	ends       []uint64 // set i's features end there
	signatures []byte
	features   spool
}

// add adds the set of the next document, which is empty if features is.
func (p *pendingSets) add(features []uint64, d analysis.Digest, signature []byte) {
	if len(features) == 0 {
		p.of = append(p.of, noSet)
		return
	}
	if p.known == nil {
		p.known = map[analysis.Digest]uint32{}
	}
	set, ok := p.known[d]
	if !ok {
		set = uint32(len(p.ends))
		p.known[d] = set
		p.digests = append(p.digests, d[0], d[1])
		p.ends = append(p.ends, p.end(set)+uint64(len(features)))
		p.signatures = append(p.signatures, signature...)
		p.features.add(features)
	}
	p.of = append(p.of, set)
}

// end returns where the features of the set before end.
func (p *pendingSets) end(set uint32) uint64 {
	if set == 0 {
		return 0
	}
	return p.ends[set-1]
}

// digest returns the digest of a document's set, zero if it has none.
func (p *pendingSets) digest(doc uint32) (d analysis.Digest) {
	if len(p.of) > 0 && p.of[doc] != noSet {
		set := p.of[doc]
		d = analysis.Digest{p.digests[2*set], p.digests[2*set+1]}
	}
	return d
}

// without returns p without the documents that are marked. Sets that no document is left of stay
// until the rest is written.
func (p pendingSets) without(drop []bool) pendingSets {
	if p.of == nil {
		return p
	}
	kept := make([]uint32, 0, len(p.of))
	for doc, set := range p.of {
		if !drop[doc] {
			kept = append(kept, set)
		}
	}
	p.of = kept
	return p
}

// renumber returns the new number of each set when those without documents are left out, noSet
// for these, and how many are left.
func (p *pendingSets) renumber() (numbers []uint32, left uint32) {
	numbers = make([]uint32, len(p.ends))
	for i := range numbers {
		numbers[i] = noSet
	}
	for _, set := range p.of {
		if set != noSet {
			numbers[set] = 0
		}
	}
	for i := range numbers {
		if numbers[i] != noSet {
			numbers[i] = left
			left++
		}
	}
	return numbers, left
}

// write writes the sections of the sets, and the bands over their signatures.
func (p *pendingSets) write(ctx context.Context, sw *section.Writer, positions int, bands lsh.Bands, threads int) error {
	numbers, n := p.renumber()
	of := make([]uint32, len(p.of))
	var ends, digests []uint64
	signatures := make([]byte, 0, int(n)*positions)
	for set, number := range numbers {
		if number == noSet {
			continue
		}
		last := uint64(0)
		if number > 0 {
			last = ends[number-1]
		}
		ends = append(ends, last+p.ends[set]-p.end(uint32(set)))
		digests = append(digests, p.digests[2*set:2*set+2]...)
		signatures = append(signatures, p.signatures[set*positions:(set+1)*positions]...)
	}
	for doc, set := range p.of {
		of[doc] = noSet
		if set != noSet {
			of[doc] = numbers[set]
		}
	}
	groups := groupSets(of, int(n))
	sw.Begin(secSets)
	sw.Uint32s(of)
	sw.Begin(secSetGroupEnds)
	sw.Uint32s(groups.Ends)
	sw.Begin(secSetMembers)
	sw.Uint32s(groups.Member)
	sw.Begin(secDigests)
	sw.Uint64s(digests)
	sw.Begin(secFeatureEnds)
	sw.Uint64s(ends)
	sw.Begin(secFeatures)
	if err := p.writeFeatures(ctx, sw, numbers); err != nil {
		return err
	}
	sw.Begin(secSignatures)
	_, _ = sw.Write(signatures) // sw keeps the error
	s := lsh.NewSignatures(positions, int(n))
	s.Add(signatures)
	return lsh.Write(ctx, sw, s, bands, threads)
}

// writeFeatures copies the features of the sets that stay.
func (p *pendingSets) writeFeatures(ctx context.Context, w io.Writer, numbers []uint32) error {
	r := p.features.reader()
	// Runs of sets that stay, or go, are copied together.
	for from := 0; from < len(numbers); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		to := from + 1
		for to < len(numbers) && to-from < 1<<16 && (numbers[to] == noSet) == (numbers[from] == noSet) {
			to++
		}
		into := w
		if numbers[from] == noSet {
			into = io.Discard
		}
		bytes := 8 * (p.ends[to-1] - p.end(uint32(from)))
		if _, err := io.CopyN(into, r, int64(bytes)); errors.Is(err, io.EOF) {
			return errors.New("the temporary file of features has been cut short")
		} else if err != nil {
			return err
		}
		from = to
	}
	return nil
}
