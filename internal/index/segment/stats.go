package segment

// Stats counts the work of searches.
type Stats struct {
	Queries    int64 // queries that have features
	LookUps    int64 // headers, features or bands looked up
	Steps      int64 // of binary searches for headers, behind the directories of tables
	Compared   int64 // fingerprints or signatures compared with that of the query, and postings read
	Candidates int64 // sets that a look-up or a comparison of signatures suggests; all sets if all are compared
	Verified   int64 // sets compared with the set of the query
	Scans      int64 // queries compared with all fingerprints of a segment
}

// Add adds the counts of other. A nil s counts nothing.
func (s *Stats) Add(other Stats) {
	if s == nil {
		return
	}
	s.Queries += other.Queries
	s.LookUps += other.LookUps
	s.Steps += other.Steps
	s.Compared += other.Compared
	s.Candidates += other.Candidates
	s.Verified += other.Verified
	s.Scans += other.Scans
}
