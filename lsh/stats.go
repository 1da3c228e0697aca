package lsh

// Stats count the work of searches. The zero value is ready to use.
type Stats struct {
	Queries    int64 // queries answered
	LookUps    int64 // bands looked up
	Entries    int64 // sets that agree on a band; a set counts once for each such band
	Candidates int64 // sets that agree on some band
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
