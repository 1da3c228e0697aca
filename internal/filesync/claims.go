package filesync

import "slices"

// A claims says which files claim an id, by their places in the order of the files. Files that are one document with
// their path as the id are left to the Sync.
type claims struct {
	first map[string]int32
	more  map[string][]int32 // the others, ascending, of ids that several files claim
}

// add takes note that the file at a place claims id.
func (c *claims) add(id string, at int) {
	place := int32(at)
	first, ok := c.first[id]
	switch {
	case !ok:
		c.first[id] = place
		return
	case first == place:
		return
	case place < first:
		c.first[id], place = place, first
	}
	i, ok := slices.BinarySearch(c.more[id], place)
	if !ok {
		c.more[id] = slices.Insert(c.more[id], i, place)
	}
}

// remove takes note that it claims id no longer.
func (c *claims) remove(id string, at int) {
	place, more := int32(at), c.more[id]
	if first, ok := c.first[id]; ok && first == place {
		if len(more) == 0 {
			delete(c.first, id)
			return
		}
		c.first[id], place = more[0], more[0]
	}
	if i, ok := slices.BinarySearch(more, place); ok {
		if more = slices.Delete(more, i, i+1); len(more) == 0 {
			delete(c.more, id)
			return
		}
		c.more[id] = more
	}
}

// countDistinct returns how many ids the files of this run claim, each counted once.
func (s *Sync) countDistinct() uint64 {
	s.claimAll()
	n := len(s.claims.first)
	for _, files := range [][]*file{s.files, s.gone} { // gone are those in a directory that cannot be read
		for _, f := range files {
			switch _, claimed := s.claims.first[f.Path]; {
			case f.known && f.Whole && !claimed:
				n++
			case f.known && !f.found:
				n += len(f.IDs)
			}
		}
	}
	return uint64(n)
}

// claimAll fills claims with the ids of the files that have been read already: those that have not changed.
func (s *Sync) claimAll() {
	if s.claimed {
		return
	}
	s.claimed = true
	s.claims = claims{map[string]int32{}, map[string][]int32{}}
	for _, f := range s.files {
		if f.known && !f.pending && f != s.now {
			for _, id := range f.IDs {
				s.claims.add(id, f.at)
			}
		}
	}
}

// claimAgain claims the ids of a file that was to be looked at, and has not changed or cannot be read.
func (s *Sync) claimAgain(f *file) {
	if !s.claimed || !f.known {
		return
	}
	for _, id := range f.IDs {
		s.claims.add(id, f.at)
	}
}

// first returns the place of the first file that claims id, if there is one.
func (s *Sync) first(id string) (at int, ok bool) {
	first, ok := s.claims.first[id]
	if f := s.byName[id]; f != nil && f.found && f.Whole && !f.pending && f != s.now && (!ok || f.at < int(first)) {
		return f.at, true
	}
	return int(first), ok
}
