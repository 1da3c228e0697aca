package fingerprint

import (
	"context"
	"math/bits"

	"simsearch/internal/disk"
	"simsearch/internal/spill"
	"simsearch/section"
)

// WeightOne is the weight 1.0: weights have 16 bits behind the point.
const WeightOne = 1 << 16

// IDFLimit is how many features an IDFLearner tells apart if it is not told otherwise: they
// take 200 MB.
const IDFLimit = 1 << 24

// IDFFeaturesInMemory is how many features an IDFLearner holds in memory if it is not told otherwise: they
// take 256 MB.
const IDFFeaturesInMemory = 1 << 24

// An IDFLearner counts in how many documents each feature occurs: it sorts the features of all
// documents, by way of temporary files where they are many, and counts those that are equal.
// The zero value is ready. Close removes its files.
//
// Where there are more features than Limit, it tells them apart by the first bits of their hashes
// alone, as many bits as keep the number within the limit, and counts those that agree together: a
// rare feature that meets another is taken for a little less rare. How many bits depends on
// the features that there are, not on the order in which they come.
type IDFLearner struct {
	Limit            int    // features that are told apart; 0 is IDFLimit
	FeaturesInMemory int    // features, of 16 bytes, that are held in memory; 0 is IDFFeaturesInMemory
	Dir              string // of temporary files; "" is the system's
	// Disk is where these are made; nil is the operating system's. Tests make it fail.
	Disk disk.FS

	documents uint64
	features  *spill.Sorter
}

// Add counts a document by its features, each hash once; features is not kept. The error is of
// the file system; after it only Close is of use.
func (l *IDFLearner) Add(features []uint64) error {
	l.documents++
	return l.sorter().Add(features)
}

func (l *IDFLearner) sorter() *spill.Sorter {
	if l.features == nil {
		if l.FeaturesInMemory == 0 {
			l.FeaturesInMemory = IDFFeaturesInMemory
		}
		if l.Disk == nil {
			l.Disk = disk.OS
		}
		l.features = spill.New(l.Disk, l.Dir, l.FeaturesInMemory)
	}
	return l.features
}

// Close removes the temporary files. The error is of the file system.
func (l *IDFLearner) Close() error {
	if l.features == nil {
		return nil
	}
	return l.features.Close()
}

// IDF returns the weights of what has been counted. It may be called once. The error is of ctx
// or of the file system.
func (l *IDFLearner) IDF(ctx context.Context) (*IDF, error) {
	c := documentCounts{limit: l.Limit, bits: 64}
	if c.limit == 0 {
		c.limit = IDFLimit
	}
	for feature, err := range l.sorter().Sorted(ctx) {
		if err != nil {
			return nil, err
		}
		c.add(feature)
	}
	m := &IDF{documents: l.documents, bits: c.bits}
	for i, n := range c.of { // the same memory serves
		c.of[i] = m.weigh(uint64(n))
	}
	m.keys, m.weights = section.Checked(c.keys), section.Checked(c.of)
	m.finish()
	return m, nil
}

// documentCounts are the numbers of documents of features that come in ascending order.
type documentCounts struct {
	limit int
	bits  int // features are told apart by so many first bits
	keys  []uint64
	of    []uint32 // of each key
}

// add counts a feature, which is no less than the one before.
func (c *documentCounts) add(feature uint64) {
	key := feature & c.mask()
	if last := len(c.keys) - 1; last >= 0 && c.keys[last] == key {
		c.of[last] = more(c.of[last], 1)
		return
	}
	c.keys, c.of = append(c.keys, key), append(c.of, 1)
	if len(c.keys) > c.limit {
		c.shortenKeys()
	}
}

func (c *documentCounts) mask() uint64 { return ^uint64(0) << (64 - c.bits) }

// more returns n + m, or the largest number.
func more(n, m uint32) uint32 { return max(n, n+m) }

// shortenKeys takes the most bits by which at most limit features differ, at least one.
func (c *documentCounts) shortenKeys() {
	var apart [65]int // how many neighbours first differ at each bit, counted from the top
	for i := 1; i < len(c.keys); i++ {
		apart[bits.LeadingZeros64(c.keys[i]^c.keys[i-1])]++
	}
	c.bits = 0
	for different := 1 + apart[0]; different <= c.limit && c.bits < 64; {
		c.bits++
		different += apart[c.bits]
	}
	c.bits = max(c.bits, 1)
	n := 0
	for i, key := range c.keys {
		key &= c.mask()
		if n > 0 && c.keys[n-1] == key {
			c.of[n-1] = more(c.of[n-1], c.of[i])
			continue
		}
		c.keys[n], c.of[n] = key, c.of[i]
		n++
	}
	c.keys, c.of = c.keys[:n], c.of[:n]
}
