package spill

import "encoding/binary"

// Records are parts of Bytes of any lengths, which are read in any order when all have been added. In memory are 8
// bytes of each.
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

// AddWords is Add of a record of numbers.
func (s *Records) AddWords(words ...uint64) {
	data, _ := binary.Append(nil, binary.LittleEndian, words) // numbers have a size
	s.Add(data)
}

// Words returns a record of numbers.
func (s *Records) Words(i int) []uint64 {
	data := s.At(i)
	words := make([]uint64, len(data)/8)
	_, _ = binary.Decode(data, binary.LittleEndian, words) // which has as many bytes
	return words
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
