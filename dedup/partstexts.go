package dedup

import (
	"cmp"
	"slices"
	"sync"
	"unicode/utf8"

	"simsearch/internal/parts"
)

// PartTexts are the texts of some parts, which are caught while files are read. They are safe for concurrent use. A nil
// one wants no texts.
type partTexts struct {
	pairs []int    // of partDecisions.nearOf: those at the edge of what is near
	parts []uint32 // that are wanted, ascending

	mu sync.Mutex
	of map[uint32]caught // guarded by mu
}

// newTexts returns the texts that a report shows, which are still empty.
func (p *divided) newTexts() *partTexts {
	t := &partTexts{pairs: p.borderline(), of: map[uint32]caught{}}
	for _, r := range p.repeated {
		t.parts = append(t.parts, r.part)
	}
	for _, i := range t.pairs {
		t.parts = append(t.parts, p.nearOf[i], p.nearTo[i])
	}
	slices.Sort(t.parts)
	t.parts = slices.Compact(t.parts)
	return t
}

// borderline returns which of p.nearOf are least near the ones kept for them, up to mostPairs, the least near first.
func (p *divided) borderline() (pairs []int) {
	less := func(a, b int) int { return cmp.Or(cmp.Compare(p.nearBy[a], p.nearBy[b]), cmp.Compare(a, b)) }
	for i := range p.nearOf {
		if !p.cut.has(p.nearOf[i]) {
			continue // of the reference
		}
		if pairs = append(pairs, i); len(pairs) == 64*mostPairs {
			slices.SortFunc(pairs, less)
			pairs = pairs[:mostPairs]
		}
	}
	slices.SortFunc(pairs, less)
	return pairs[:min(len(pairs), mostPairs)]
}

// first returns the first place of t.parts with a part from part on.
func (t *partTexts) first(part uint32) int {
	i, _ := slices.BinarySearch(t.parts, part)
	return i
}

// wanted reports whether texts of parts of [from, to) are wanted.
func (t *partTexts) wanted(from, to uint32) bool { return t.first(from) < t.first(to) }

// see takes what is wanted of a text, which has the parts from number first on.
func (t *partTexts) see(text []byte, first uint32, list []parts.Part) {
	if t == nil {
		return
	}
	last := first + uint32(len(list))
	for i := t.first(first); i < len(t.parts) && t.parts[i] < last; i++ {
		part := list[t.parts[i]-first]
		shown := text[part.Start:part.End]
		cut := len(shown) > mostText
		if cut {
			shown = shown[:mostText]
			for len(shown) > 0 && !utf8.RuneStart(text[part.Start+len(shown)]) {
				shown = shown[:len(shown)-1]
			}
		}
		t.mu.Lock()
		t.of[t.parts[i]] = caught{text: string(shown), cut: cut}
		t.mu.Unlock()
	}
}
