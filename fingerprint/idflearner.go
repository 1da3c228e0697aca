package fingerprint

import (
	"cmp"
	"context"
	"math/bits"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// WeightOne is the weight 1.0. Weights are fixed-point numbers with 16 fractional bits.
const WeightOne = 1 << 16

// idfLimit is the largest number of features of a model, which takes 200 MB then.
const idfLimit = 1 << 24

// IDFFeaturesInMemory is the default of IDFLearner.FeaturesInMemory. They take 256 MB.
const IDFFeaturesInMemory = 1 << 24

// Rarity is learnt in a pass of its own, before the first document is weighed, and never changes
// afterwards. Otherwise a fingerprint would depend on the documents that came before it.

// An IDFLearner counts in how many documents each feature occurs. It sorts the features of all
// documents, by way of temporary files if there are many, and counts equal ones. The zero value is ready
// to use. Close removes the files.
//
// If there are more than 1<<24 features, the learner identifies them by the first bits of their hashes,
// as many bits as keep their number within that. Features that share these bits count as one, so that
// a rare feature may seem less rare. The number of bits depends on the set of features, and not on the
// order in which they are added.
type IDFLearner struct {
	FeaturesInMemory int    // features that are held in memory, in 16 bytes each; 0 is IDFFeaturesInMemory
	Dir              string // the directory of temporary files; "" is that of the system
	// Disk makes the temporary files. nil is the operating system. Tests make it fail.
	Disk disk.FS

	limit     int // idfLimit if it is 0; tests set another one
	documents uint64
	features  *spill.Sorter
}

// Add counts a document. features are the distinct hashes of its features, which Add does not keep. The
// error is of the file system. After an error, only Close may be called.
func (l *IDFLearner) Add(features []uint64) error {
	l.documents++
	return l.sorter().Add(features)
}

func (l *IDFLearner) sorter() *spill.Sorter {
	if l.features == nil {
		if l.Disk == nil {
			l.Disk = disk.OS
		}
		l.features = spill.NewSorter(l.Disk, l.Dir, cmp.Or(l.FeaturesInMemory, IDFFeaturesInMemory))
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

// IDF returns the model of the documents that were added. It may be called once. The error is that of
// ctx or of the file system.
func (l *IDFLearner) IDF(ctx context.Context) (*IDF, error) {
	c := documentCounts{limit: cmp.Or(l.limit, idfLimit), bits: 64}
	for feature, err := range l.sorter().Sorted(ctx) {
		if err != nil {
			return nil, err
		}
		c.add(feature)
	}
	m := &IDF{documents: l.documents, bits: c.bits}
	for i, n := range c.of { // the weights replace the counts
		c.of[i] = m.weigh(uint64(n))
	}
	m.keys, m.weights = section.Checked(c.keys), section.Checked(c.of)
	m.finish()
	return m, nil
}

// documentCounts counts the documents of each feature. Features are added in ascending order.
type documentCounts struct {
	limit int
	bits  int // of a key, the first bits of a hash
	keys  []uint64
	of    []uint32 // the number of documents of each key
}

// add counts one document of a feature, which is no less than the one before.
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

// more returns n + m, or the largest number if that overflows.
func more(n, m uint32) uint32 { return max(n, n+m) }

// shortenKeys sets bits to the largest number of bits, at least one, by which there are at most limit
// different keys. It adds up the counts of keys that become equal.
func (c *documentCounts) shortenKeys() {
	var apart [65]int // the number of neighbouring keys that first differ at each bit, from the highest
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
