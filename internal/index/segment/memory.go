package segment

// LimitMemory sets the budget in bytes for the memory that searches of segments allocate and keep. Each
// segment gets a share in proportion to its documents.
func LimitMemory(segments []*Segment, bytes int64) {
	total := uint64(0)
	for _, s := range segments {
		total += s.Documents()
	}
	for _, s := range segments {
		if t := s.Tables(); t != nil {
			t.SetHeavyBudget(int64(float64(bytes) * float64(s.Documents()) / float64(total)))
		}
	}
}

// SearchMemory returns the number of bytes that searches of segments have allocated and keep.
func SearchMemory(segments []*Segment) (bytes int64) {
	for _, s := range segments {
		if t := s.Tables(); t != nil {
			bytes += t.HeavyBytes()
		}
	}
	return bytes
}
