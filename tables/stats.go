package tables

// Stats count the work of searches. The zero value is ready to use.
type Stats struct {
	Queries int64 // queries answered
	LookUps int64 // headers looked up in the directories
	// Compared is the number of entries compared with a query, with those of scans. An entry counts once
	// for each table in which it was compared.
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

// A tally counts the work of one search, and bounds it.
type tally struct {
	// left is the number of values that may still be compared. A match counts as matchPrice values. Below
	// 0 a scan is faster, and the search gives up.
	left  int
	stats Stats
}

// looked counts headers looked up and reports whether the search goes on.
func (c *tally) looked(headers int) bool {
	c.stats.LookUps += int64(headers)
	return c.left >= 0
}

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

// counts returns the Stats to which the tables of a heavy run add their work. It is nil if c is nil.
func (c *tally) counts() *Stats {
	if c == nil {
		return nil
	}
	return &c.stats
}
