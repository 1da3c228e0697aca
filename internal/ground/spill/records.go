package spill

// Records are parts of Bytes of any lengths, which are read in any order when all have been added. In memory are 8 bytes of each.
type Records struct {
	Bytes
	ends []uint64
	all  []byte
}

// Add appends a copy of a record, in memory.
func (s *Records) Add(data []byte) {
	s.Append(data)
	s.ends = append(s.ends, s.end(len(s.ends))+uint64(len(data)))
}

// end returns where the records before one end.
func (s *Records) end(i int) uint64 {
	if i == 0 {
		return 0
	}
	return s.ends[i-1]
}

// Len returns how many there are.
func (s *Records) Len() int { return len(s.ends) }

// Map makes them ready to be read. Nothing may be added afterwards.
func (s *Records) Map() (err error) {
	s.all, err = s.Bytes.Map()
	return err
}

// At returns a record, which is valid until Close.
func (s *Records) At(i int) []byte { return s.all[s.end(i):s.ends[i]] }
