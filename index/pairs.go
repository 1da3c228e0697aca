package index

import (
	"context"

	"simsearch/hamming"
	"simsearch/internal/join"
	"simsearch/internal/memory"
)

// A Pair is two near documents, A and B, and their Measures. A comes before B in the collection.
type Pair = join.Pair

// PairOptions say how Pairs and Groups work. Only Groups, Chain and Where change their answers.
type PairOptions struct {
	Threads int // at least one
	// Groups makes a group of the documents that share a fingerprint, by distance. By similarity, it makes
	// one of those whose sets are equal, or differ only in a few features that no other set has. With a
	// recall below 1, those that share a signature are one. Each document is paired only with the first
	// document of its group. All other pairs are pairs of first documents. So a million equal documents
	// make a million pairs, not half a trillion.
	//
	// By distance, all other pairs follow from these. By similarity nearly all do: a set that is nearly
	// equal to the first one may be near others, or not, where the first one is not, or is.
	Groups bool
	// Chain makes groups of whatever near pairs connect: A and C are in one group if both are near
	// B. Otherwise a group is its representative with documents that are near it.
	Chain bool
	// PairsInMemory is about how many pairs of fingerprints or sets are held in memory, at 88 bytes each at most.
	// Further pairs go to temporary files. 0 is what half of the machine's memory holds.
	PairsInMemory int
	// Many, if not nil, is called first if there are more than 10,000 pairs.
	Many func(Many)
	// Explain, if not nil, is called with a text that says how pairs are found.
	Explain func(how string)
	// Progress, if not nil, is called with the number of finished parts of the work and the number
	// of all parts.
	Progress func(done, parts int)
	// Where are conditions on kept fields. Documents that do not meet all of them are as if they were not there.
	Where []Where
	// Sources reads texts again that a search by the cosine compares, if the index keeps sources. nil makes
	// estimates of them.
	Sources SourceReader
}

// Pairs calls yield with every pair of documents that are near by p. Each pair comes once, ordered
// by A, then by B. Empty documents are near nothing.
//
// By distance, Pairs joins the distinct fingerprints as tables.Pairs does. Where the blocks of tables were
// chosen by hand, it joins by these, if they find the distance by equal headers. It takes 4 bytes per
// document, 36 more if there are several segments or conditions, and 40 bytes per pair of distinct near
// fingerprints. If the distance is so large that comparing all fingerprints is cheaper, it holds no pairs at all.
//
// By similarity, Pairs joins the distinct sets by their first features (setjoin.Pairs), and misses
// none. It takes 36 bytes per document and 16 more for a pair of distinct sets. The sets of several
// segments are coded anew, in memory. With a recall below 1, or if sets are not compared, it verifies the
// pairs that lsh.Pairs finds by bands that it chooses itself, whatever bands the index has stored. It
// takes 36 bytes per document and 16 more per thread.
//
// Pairs verifies the segments first. At the end it makes sure that none was changed in the meantime
// (see Unchanged). The error is ErrNoSearch, ErrCorrupt, ErrClosed, lsh.ErrRecall, the error of ctx
// or of the file system, or the first error of yield.
func (ix *Snapshot) Pairs(ctx context.Context, p Predicate, o PairOptions, yield func(Pair) error) error {
	search, err := ix.criterion(p, o.Sources)
	if err != nil {
		return err
	}
	incomplete := p.BySets() && ix.Settings().Fingerprints()
	return ix.joining(o, func(how join.Options) error {
		return search.join(ctx, how, func(p Pair) (err error) {
			if incomplete {
				if p.Distance, err = ix.distance(p.A, p.B); err != nil {
					return err
				}
			}
			return yield(p)
		})
	})
}

// Many is what Pairs knows before it yields very many pairs.
type Many = join.Many

// PairsInMemory returns PairOptions.PairsInMemory for an amount of memory in bytes, of which the given number of documents
// take their share.
func PairsInMemory(bytes int64, documents int) int {
	const (
		perDocument = 48
		perPair     = 88 // sorted, 32; listed, 16; what a join takes to find them, 40
		least       = 1 << 16
	)
	return int(max(least, (bytes-perDocument*int64(documents))/perPair))
}

// joining calls do with verified segments, and makes sure afterwards that none was changed in the meantime.
func (ix *Snapshot) joining(o PairOptions, do func(join.Options) error) error {
	if o.PairsInMemory == 0 {
		o.PairsInMemory = PairsInMemory(memory.Default(), ix.Len())
	}
	how := join.Options{
		Threads: o.Threads, Groups: o.Groups, PairsInMemory: o.PairsInMemory, Disk: ix.fs,
		Many: o.Many, Explain: o.Explain, Progress: o.Progress,
	}
	return ix.reading(func() error {
		if err := ix.verify(o.Threads); err != nil {
			return err
		}
		var err error
		if how.Only, err = ix.only(o.Where); err != nil {
			return err
		}
		if err := do(how); err != nil {
			return err
		}
		return ix.Unchanged()
	})
}

// distance returns the distance of two documents of an index with fingerprints, or NoDistance.
func (ix *Snapshot) distance(a, b uint32) (int, error) {
	x, okX, err := ix.fingerprint(a)
	if err != nil {
		return 0, err
	}
	y, okY, err := ix.fingerprint(b)
	if err != nil || !okX || !okY {
		return NoDistance, err
	}
	return hamming.Distance(x, y), nil
}
