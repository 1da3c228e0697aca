package tables

// Stats count the work of searches. The zero value is ready to use.
type Stats struct {
	Queries int64 // queries answered
	LookUps int64 // headers looked up in the directories
	Steps   int64 // of binary searches for headers behind the directories
	// Compared is the number of entries compared with a query, with those of scans. An entry counts once
	// for each table in which it was compared.
	Compared int64
	Scans    int64 // queries that compared all values, at once or after giving up on the tables
}

// Add adds the counts of other.
func (s *Stats) Add(other Stats) {
	s.Queries += other.Queries
	s.LookUps += other.LookUps
	s.Steps += other.Steps
	s.Compared += other.Compared
	s.Scans += other.Scans
}

// A tally counts the work of one search, and bounds it.
type tally struct {
	left  int64 // the time that the search may still take, in picoseconds; below 0 a scan is faster, and the search gives up
	price prices
	stats Stats
}

// prices are what steps cost, in picoseconds.
type prices struct {
	probe, entry, scan int64 // as in stepCosts
	shared             int64 // comparing a value of a scan that is in the cache
	alone              int64 // a run that is compared by itself, beside its entries
	passed, match      int64 // an entry that passes by its lowest 32 bits, and one that is a match
}

// Prices that stepCosts do not have, in nanoseconds.
const (
	passedCost = 8
	foundCost  = 60
	aloneCost  = 40 // a run that is compared by itself
)

// pricesOf returns the prices of a plan for uniform values.
func pricesOf(c stepCosts) prices {
	return prices{
		probe: int64(1000 * c.Probe), entry: int64(1000 * c.Candidate), scan: int64(1000 * c.Scan),
		shared: int64(1000 * searchCosts(0).Scan), alone: aloneCost * 1000, passed: passedCost * 1000, match: foundCost * 1000,
	}
}

// looked counts headers looked up and reports whether the search goes on.
func (c *tally) looked(headers int) bool {
	c.stats.LookUps += int64(headers)
	return c.spend(int64(headers) * c.price.probe)
}

// compared counts entries compared and reports whether the search goes on.
func (c *tally) compared(entries int) bool {
	c.stats.Compared += int64(entries)
	return c.spend(int64(entries) * c.price.entry)
}

// spend lowers the time that is left and reports whether the search goes on.
func (c *tally) spend(time int64) bool {
	c.left -= time
	return c.left >= 0
}
