package segment

import "context"

// flushEvery is how many documents AddSegment adds before it flushes and looks at the context again.
const flushEvery = 1 << 9

// AddSegment adds the live documents of s, in their order, with all that the layout of b keeps. Merging segments
// is adding them to one Builder. The error is section.ErrCorrupt, that of a temporary file, or the cause of ctx.
func (b *Builder) AddSegment(ctx context.Context, s *Segment) error {
	var texts, fields *Packed
	var err error
	if b.layout.Texts {
		if texts, err = b.texts.take(s, s.texts); err != nil {
			return s.InFile(err)
		}
	}
	if b.layout.Fields {
		if fields, err = b.fields.take(s, s.fields); err != nil {
			return s.InFile(err)
		}
	}
	live := uint32(s.Documents())
	for number := range live {
		if number%flushEvery == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := b.Flush(); err != nil {
				return err
			}
		}
		if err := b.addStored(s, s.deleted.At(number)); err != nil {
			return err
		}
		if b.layout.Texts {
			b.texts.add(texts, int(number))
		}
		if b.layout.Fields {
			b.fields.add(fields, int(number))
		}
	}
	return b.Flush()
}

// addStored adds document doc of the file of s, without its text and fields.
func (b *Builder) addStored(s *Segment, doc uint32) error {
	id, err := s.storedID(doc)
	if err != nil {
		return err
	}
	empty, err := s.emptyStored(doc)
	if err != nil {
		return err
	}
	fp := uint64(0)
	if b.layout.Bits > 0 {
		if fp, err = s.fingerprints.At(uint64(doc)); err != nil {
			return s.InFile(err)
		}
	}
	b.add(id, fp, empty)
	if b.layout.Sets {
		if err := b.sets.addStored(s.sets, doc); err != nil {
			return err
		}
	}
	if b.layout.Sources {
		var source *Source
		if s.sources != nil {
			if from, ok, err := s.sources.of(doc); err != nil {
				return s.InFile(err)
			} else if ok {
				source = &from
			}
		}
		b.sources.add(source)
	}
	return nil
}

// addStored adds the set of document doc of a file.
func (b *setBuilder) addStored(s *Sets, doc uint32) error {
	set, has, err := s.ofStored(doc)
	if err != nil {
		return err
	}
	if !has {
		b.add(nil, Digest{}, nil)
		return nil
	}
	digest, err := s.Digest(set)
	if err != nil {
		return err
	}
	if known, ok := b.known[digest]; ok {
		b.of = append(b.of, known)
		return nil
	}
	features, err := s.AppendSet(nil, set)
	if err != nil {
		return err
	}
	var signature []byte
	if s.positions > 0 {
		if signature, err = s.Signature(set); err != nil {
			return err
		}
	}
	b.add(features, digest, signature)
	return nil
}

// smallBlock is the size in bytes, compressed, below which a block is made anew with others.
const smallBlock = blockBytes / 16

// take adds the blocks of from that have texts of live documents of s, and returns the texts by the numbers of these
// documents. Small blocks, and blocks that have lost half of their texts, are made anew from the texts that are left. A nil from has no texts,
// and the result is nil.
func (b *textBuilder) take(s *Segment, from *texts) (*Packed, error) {
	if from == nil {
		return nil, nil
	}
	n := int(s.Documents())
	stored, live := make([]int, from.ends.Len()), make([]int, from.ends.Len()) // texts of each block
	for doc := range uint32(s.documents) {
		at, err := from.places.At(uint64(doc))
		if err != nil {
			return nil, err
		}
		if block := at >> 32; at != noText {
			if block >= uint64(len(stored)) {
				return nil, from.places.Corruptf(uint64(doc), "the text of document %d is in block %d of %d", doc, block, len(stored))
			}
			stored[block]++
			if !s.deleted.Has(doc) {
				live[block]++
			}
		}
	}
	p := &Packed{places: make([]uint64, n)}
	numbers := make([]int, len(stored)) // of the blocks that are copied, in p
	for block := range stored {
		if numbers[block] = -1; live[block] == 0 || 2*live[block] < stored[block] {
			continue
		}
		compressed, err := from.compressed(uint32(block))
		if err != nil {
			return nil, err
		}
		if len(compressed) < smallBlock {
			continue
		}
		numbers[block] = len(p.blocks)
		p.blocks = append(p.blocks, compressed)
	}
	e, _ := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.raw = e.raw[:0]
	for number := range p.places {
		doc := s.deleted.At(uint32(number))
		at, err := from.places.At(uint64(doc))
		if err != nil {
			return nil, err
		}
		if p.places[number] = at; at == noText {
			continue
		}
		if block := numbers[at>>32]; block >= 0 {
			p.places[number] = place(block, int(uint32(at)))
			continue
		}
		text, _, err := from.of(doc)
		if err != nil {
			return nil, err
		}
		p.set(e, number, text)
	}
	if len(e.raw) > 0 {
		p.end(e)
	}
	b.addBlocks(p)
	return p, nil
}
