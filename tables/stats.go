package tables

// Stats count the work of searches. The zero value has counted nothing.
type Stats struct {
	Queries int64 // answered
	LookUps int64 // headers looked up in a directory
	// Compared is how many entries were compared with a query, those of scans included. An entry
	// counts once for each table in which it was compared.
	Compared int64
	Scans    int64 // queries that compared all values, at once or after giving up on the tables
}

// Add adds the counts of other.
func (s *Stats) Add(other Stats) {
	s.Queries += other.Queries
	s.LookUps += other.LookUps
	s.Compared += other.Compared
	s.Scans += other.Scans
}

// A tally counts the work of a search that is bounded, or whose counts are wanted.
type tally struct {
	// left is how many more values may be compared, a match counting as matchPrice. Below 0 a scan is
	// faster, and the search gives up.
	left  int
	stats Stats
}

// looked counts headers looked up.
func (c *tally) looked(headers int) { c.stats.LookUps += int64(headers) }

// compared counts entries compared and reports whether the search goes on.
func (c *tally) compared(entries int) bool {
	c.stats.Compared += int64(entries)
	return c.spend(entries)
}

// spend lowers what is left and reports whether the search goes on.
func (c *tally) spend(values int) bool {
	c.left -= values
	return c.left >= 0
}

// counts returns where the tables of a heavy run add their work, or nil.
func (c *tally) counts() *Stats {
	if c == nil {
		return nil
	}
	return &c.stats
}
