package dedup

import (
	"simsearch/section"
)

// Names of the sections of a part of a journal that are about parts of texts.
const (
	secPartEnds  = "documents.partends"
	secPartKeys  = "parts.keys"
	secPartKinds = "parts.kinds"
	secPartOf    = "sets.parts"
)

// The kinds of parts: those that may be cut, shorter ones, and those without a word.
const (
	longPart byte = iota
	shortPart
	noPart
)

// Unsaved parts are those that no file of a journal has.
type unsavedParts struct {
	keys  []uint64
	kinds []byte
}

// unsavedBytes is how many bytes one of them takes.
const unsavedBytes = 9

func (u *unsavedParts) add(key uint64, short bool) {
	kind := longPart
	switch {
	case key == 0:
		kind = noPart
	case short:
		kind = shortPart
	}
	u.keys, u.kinds = append(u.keys, key), append(u.kinds, kind)
}

// columns returns a function that writes what the next part of the journal has of parts. Others may be added meanwhile.
func (p *divided) columns(h partHeader) func(w *section.Writer) {
	ends, setOf, saved := p.partEnds[h.Start.Documents:h.End.Documents], p.setOf[h.Start.Sets:h.End.Sets], p.unsaved
	p.unsaved = unsavedParts{}
	return func(w *section.Writer) {
		w.Begin(secPartEnds)
		w.Uint32s(ends)
		w.Begin(secPartKeys)
		w.Uint64s(saved.keys)
		w.Begin(secPartKinds)
		_, _ = w.Write(saved.kinds)
		w.Begin(secPartOf)
		w.Uint32s(setOf)
	}
}

// SavedParts are what columns has written.
type savedParts struct {
	ends, setOf []uint32
	unsavedParts
}

// parse checks what columns has written of some documents and sets.
func (p *divided) parse(f *section.File, documents, sets int) (s savedParts, err error) {
	if s.ends, err = f.Uint32s(secPartEnds, uint64(documents)); err != nil {
		return s, err
	}
	first := p.keys.Len()
	end := first
	for i, next := range s.ends {
		if next < end {
			return s, f.Corruptf(secPartEnds, 4*uint64(i), "a document ends at part %d, before it begins", next)
		}
		end = next
	}
	if s.keys, err = f.Uint64s(secPartKeys, uint64(end-first)); err != nil {
		return s, err
	}
	if s.kinds, err = f.Bytes(secPartKinds); err != nil {
		return s, err
	}
	if len(s.kinds) != len(s.keys) {
		return s, f.Corruptf(secPartKinds, 0, "%d kinds of %d parts", len(s.kinds), len(s.keys))
	}
	for i, kind := range s.kinds {
		if kind > noPart || (kind == noPart) != (s.keys[i] == 0) {
			return s, f.Corruptf(secPartKinds, uint64(i), "kind %d of a part with the key %x", kind, s.keys[i])
		}
	}
	if s.setOf, err = f.Uint32s(secPartOf, uint64(sets)); err != nil {
		return s, err
	}
	for i, part := range s.setOf {
		if part < first || part >= end || i > 0 && part <= s.setOf[i-1] || s.kinds[part-first] != longPart {
			return s, f.Corruptf(secPartOf, 4*uint64(i), "a set of part %d", part)
		}
	}
	return s, nil
}

// load takes up parts that parse has checked.
func (p *divided) load(s savedParts) error {
	set := 0
	for i, key := range s.keys {
		n := p.keys.Len()
		p.long, p.short = p.long.grow(n+1), p.short.grow(n+1)
		var err error
		switch s.kinds[i] {
		case noPart:
			err = p.keys.Skip()
		case shortPart:
			p.short.set(n)
			err = p.keys.Add(key)
		default:
			p.long.set(n)
			if set < len(s.setOf) && s.setOf[set] == n {
				p.recent[key%recentKeys] = key
				set++
			}
			err = p.keys.Add(key)
		}
		if err != nil {
			return err
		}
	}
	p.partEnds, p.setOf = append(p.partEnds, s.ends...), append(p.setOf, s.setOf...)
	return nil
}
