package join

import (
	"slices"

	"simsearch/prefix"
)

// only returns the documents, in ascending order, that Options.Only lets take part, and their fingerprints. Both slices
// are changed.
func (o *Options) only(docs []uint32, fps []uint64) ([]uint32, []uint64) {
	if o.Only == nil {
		return docs, fps
	}
	n := 0
	for i, doc := range docs {
		if o.Only[doc] {
			docs[n], fps[n] = doc, fps[i]
			n++
		}
	}
	return docs[:n], fps[:n]
}

// onlyBoth is only for documents with fingerprints and sets.
func onlyBoth[I comparable](o *Options, of []Fingerprinted[I]) []Fingerprinted[I] {
	if o.Only == nil {
		return of
	}
	return slices.DeleteFunc(slices.Clone(of), func(d Fingerprinted[I]) bool { return !o.Only[d.Document] })
}

// onlySome returns the source of the documents that Options.Only lets take part. The others have no set there.
func (o *Options) onlySome(s Source) Source {
	if o.Only == nil {
		return s
	}
	p := &partOf{Source: s, of: slices.Clone(s.Of())}
	number := make([]uint32, s.Sets()) // in p, or NoSet
	for set := range number {
		number[set] = NoSet
	}
	for doc, set := range p.of {
		if set == NoSet {
			continue
		}
		if !o.Only[doc] {
			p.of[doc] = NoSet
			continue
		}
		if number[set] == NoSet {
			number[set] = uint32(len(p.sets))
			p.sets = append(p.sets, set)
		}
		p.of[doc] = number[set]
	}
	return p
}

// partOf is some of the sets of a source. They are numbered anew, so that every one belongs to some document.
type partOf struct {
	Source
	sets []uint32 // the number of each in the whole source
	of   []uint32
}

func (p *partOf) Of() []uint32 { return p.of }

func (p *partOf) Sets() int { return len(p.sets) }

func (p *partOf) Digest(set uint32) ([2]uint64, error) { return p.Source.Digest(p.sets[set]) }

func (p *partOf) AppendSet(dst []uint64, set uint32) ([]uint64, error) {
	return p.Source.AppendSet(dst, p.sets[set])
}

func (p *partOf) Coded() (*prefix.Sets, bool) { return nil, false }

func (p *partOf) Signature(set uint32) ([]byte, error) { return p.Source.Signature(p.sets[set]) }
