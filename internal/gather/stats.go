package gather

// Stats counts the work of searches.
type Stats struct {
	Queries    int64 // queries that have features
	LookUps    int64 // headers or bands looked up
	Compared   int64 // fingerprints or signatures compared with that of the query
	Candidates int64 // sets found by bands; all sets if bands find too little
	Verified   int64 // sets compared with the set of the query
	Scans      int64 // queries compared with all fingerprints of a segment
}

// Add adds the counts of other.
func (s *Stats) Add(other Stats) {
	s.Queries += other.Queries
	s.LookUps += other.LookUps
	s.Compared += other.Compared
	s.Candidates += other.Candidates
	s.Verified += other.Verified
	s.Scans += other.Scans
}
