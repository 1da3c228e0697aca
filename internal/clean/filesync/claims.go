package filesync

import "slices"

// A claims says which files claim an id, by their places in the order of the files, ascending. Files that are one
// document with their path as the id are left to the Sync.
type claims map[string][]int32

// add takes note that the file at a place claims id.
func (c claims) add(id string, at int) {
	if i, ok := slices.BinarySearch(c[id], int32(at)); !ok {
		c[id] = slices.Insert(c[id], i, int32(at))
	}
}

// remove takes note that it claims id no longer.
func (c claims) remove(id string, at int) {
	if i, ok := slices.BinarySearch(c[id], int32(at)); ok {
		if c[id] = slices.Delete(c[id], i, i+1); len(c[id]) == 0 {
			delete(c, id)
		}
	}
}

// countDistinct returns how many ids the files of this run claim, each counted once.
func (s *Sync) countDistinct() uint64 {
	s.claimAll()
	n := len(s.claims)
	for _, files := range [][]*file{s.files, s.gone} { // gone are those in a directory that cannot be read
		for _, f := range files {
			switch _, claimed := s.claims[f.Path]; {
			case f.known && f.Whole && !claimed:
				n++
			case f.known && !f.found:
				n += f.IDs.Len()
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
	s.claims = claims{}
	for _, f := range s.files {
		if !f.pending && f != s.now {
			s.claimAgain(f)
		}
	}
}

// claimAgain claims the ids of a file that was to be looked at, and has not changed or cannot be read.
func (s *Sync) claimAgain(f *file) {
	if !s.claimed || !f.known {
		return
	}
	for id := range f.IDs.All() {
		s.claims.add(id, f.at)
	}
}

// first returns the place of the first file that claims id, if there is one.
func (s *Sync) first(id string) (at int, ok bool) {
	if places := s.claims[id]; len(places) > 0 {
		at, ok = int(places[0]), true
	}
	if f := s.byName[id]; f != nil && f.found && f.Whole && !f.pending && f != s.now && (!ok || f.at < at) {
		return f.at, true
	}
	return at, ok
}
