package lsh

// Stats count the work of searches. The zero value has counted nothing.
type Stats struct {
	Queries    int64 // answered
	LookUps    int64 // bands looked up
	Entries    int64 // sets that the bands led to; a set counts once for each band that shows it
	Candidates int64 // sets that some band led to
}

// Add adds the counts of other.
func (s *Stats) Add(other Stats) {
	s.Queries += other.Queries
	s.LookUps += other.LookUps
	s.Entries += other.Entries
	s.Candidates += other.Candidates
}

// PairStats count the work of Pairs.
type PairStats struct {
	Buckets    int64 // pairs of sets that share a bucket; a pair counts once for each
	Candidates int64 // pairs that accept was called with, each once
}
