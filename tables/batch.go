package tables

import (
	"errors"
	"sync"

	"simsearch/hamming"
)

// A batch takes the headers of many queries through each step together (beyond.go). Queries that are to scan share the
// reading of the values: each block is compared with all of them while it is in the cache.
//
// Tried and limited: sorting the headers of every batch. Below 16,384 headers, or where the tables fit the second
// cache, it costs more than it saves. Among ten million fingerprints at k = 10, 4,000 queries take two thirds of the
// time when they are sorted.

const (
	// batchSize is how many headers searches take through each step. Fewer would leave room for more
	// cache misses in flight. With more, what the steps hand on would leave the first cache.
	batchSize = 64

	// sortBits is the number of bits of the header by which many headers are sorted, in one pass.
	sortBits = 11

	// maxChunk is the largest number of queries that are answered at a time.
	maxChunk = 1 << 18
	// scanBlock is how many values are compared with all queries of a batch at a time: they fit the second cache.
	scanBlock = 1 << 13
	// fewQueries is the number of queries below which they do not share the reading of the values.
	fewQueries = 4
	// Queries are answered one at a time if they have manyMatches or more each, or if they scan and one value of manyOf
	// is a match: bringing the matches of many queries in order costs more than reading for each.
	manyMatches, manyOf = 512, 64
)

// NearBatch answers the queries qs as Near does. It calls yield for each query, in their order, with
// its index in qs and its matches, which are valid during the call.
//
// It is several times as fast as Near if the tables do not fit the caches: the cache misses of many queries
// overlap, and large batches look up headers in their order. At most 2^18 queries are answered at a time, in 28 bytes
// per query, 24 bytes for each of 2^19 headers, and 28 bytes per match. At most 2^20 matches are kept, or those of a
// single query if it has more.
//
// The error is ErrWidth, before yield is called, or the first error of yield.
func (t *Tables) NearBatch(qs []uint64, k int, yield func(i int, matches []hamming.Match) error) error {
	return t.NearBatchStats(qs, k, nil, yield)
}

// NearBatchStats is like NearBatch and adds its work to stats, unless stats is nil.
func (t *Tables) NearBatchStats(qs []uint64, k int, stats *Stats, yield func(i int, matches []hamming.Match) error) error {
	for _, q := range qs {
		if err := checkWidth(q, t.design.Width()); err != nil {
			return err
		}
	}
	if k < 0 || len(t.values) == 0 {
		for i := range qs {
			if err := yield(i, nil); err != nil {
				return err
			}
		}
		if stats != nil {
			stats.Queries += int64(len(qs))
		}
		return nil
	}
	b := batches.Get().(*batch)
	defer batches.Put(b)
	b.stats = stats
	return t.nearChunks(b, qs, k, yield)
}

// nearChunks answers the queries chunk by chunk. It estimates from the last chunk how many queries have
// half of the matches that may be kept: that is the size of the next chunk.
func (t *Tables) nearChunks(b *batch, qs []uint64, k int, yield func(i int, matches []hamming.Match) error) error {
	w := t.way(k)
	many, alone := manyMatches, false
	if w.scan || w.scanShared {
		many = max(manyMatches, len(t.values)/manyOf)
	}
	for start, chunk := 0, batchSize; start < len(qs); {
		part := qs[start:min(len(qs), start+chunk)]
		var matches int
		var err error
		if !alone {
			err = t.nearBatch(b, part, k)
		}
		switch {
		case errors.Is(err, errTooMany) && len(part) > 1:
			chunk = max(1, len(part)/8)
			continue
		case alone || errors.Is(err, errTooMany): // a single query may have any number of matches
			part = part[:min(len(part), batchSize)]
			matches, err = t.nearEach(b, start, part, k, yield)
		case err == nil:
			matches = len(b.found)
			if stats := b.stats; stats != nil {
				stats.Queries += int64(len(part))
				stats.Add(b.work)
			}
			err = b.yield(start, len(part), yield)
		}
		if err != nil {
			return err
		}
		start += len(part)
		alone = matches/len(part) >= many
		likely := t.tuning.keepMatches / (2 * (matches/len(part) + 1))
		chunk = max(1, min(maxChunk, 64*len(part), likely))
	}
	return nil
}

// nearEach answers queries one at a time, and returns how many matches they have. The first one is query start.
func (t *Tables) nearEach(b *batch, start int, qs []uint64, k int, yield func(i int, matches []hamming.Match) error) (matches int, err error) {
	for i, q := range qs {
		if b.matches, err = t.NearStats(b.matches[:0], q, k, b.stats); err != nil {
			return matches, err
		}
		matches += len(b.matches)
		if err := yield(start+i, b.matches); err != nil {
			return matches, err
		}
	}
	return matches, nil
}

// yield calls the function for each query of a chunk. The first query of the chunk is query start.
func (b *batch) yield(start, queries int, yield func(i int, matches []hamming.Match) error) error {
	for i := range queries {
		if err := yield(start+i, b.take(i)); err != nil {
			return err
		}
	}
	return nil
}

// errTooMany is returned for a chunk that has more matches than may be kept.
var errTooMany = errors.New("tables: too many matches")

var batches = sync.Pool{New: func() any { return new(batch) }}

// A batch is the memory that NearBatch works in, beside that of a waveSearch.
type batch struct {
	found   []batchMatch
	first   []int32  // where the last match of each query is in found, or -1
	scans   []uint32 // the queries that scan
	matches []hamming.Match
	stats   *Stats // nil if no counts are wanted
	work    Stats  // of the queries that are being answered
}

// A batchMatch is an element of the linked list of the matches of one query.
type batchMatch struct {
	match hamming.Match
	next  int32 // the one found before it, or -1
}

// nearBatch fills b with the matches of qs, of which there are at most maxChunk. The error is
// errTooMany.
func (t *Tables) nearBatch(b *batch, qs []uint64, k int) error {
	if len(b.first) < len(qs) {
		b.first = make([]int32, len(qs))
	}
	b.found, b.scans, b.work = b.found[:0], b.scans[:0], Stats{}
	for i := range qs {
		b.first[i] = -1
	}
	w, price := t.way(k), t.prices
	scan := price.scan
	if len(qs) >= fewQueries {
		scan = price.shared
	}
	scan = int64(scanShare * float64(scan) * float64(len(t.values)))
	if w.scan || w.scanShared && len(qs) >= fewQueries {
		for i := range qs {
			b.scans = append(b.scans, uint32(i))
		}
		return t.scanBatch(b, qs, k)
	}
	ws := waveSearches.Get().(*waveSearch)
	defer waveSearches.Put(ws)
	ws.k, ws.way, ws.price = k, w, price
	lookUps := w.lookUps(t)
	most := max(1, t.tuning.headers/lookUps)
	for from := 0; from < len(qs); from += most {
		ws.qs, ws.left, ws.stats = append(ws.qs[:0], qs[from:min(len(qs), from+most)]...), ws.left[:0], Stats{}
		for range ws.qs {
			ws.left = append(ws.left, scan)
		}
		ws.sorted = len(ws.qs)*lookUps >= t.tuning.sortQueries && len(t.values) >= t.tuning.sortValues
		ws.dst = b.matches[:0]
		err := ws.run(t)
		b.matches, ws.dst = ws.dst, nil
		if err != nil {
			return err
		}
		b.work.Add(ws.stats)
		for i, m := range b.matches {
			of := uint32(0)
			if len(ws.qs) > 1 {
				of = ws.owners[i]
			}
			if ws.left[of] < 0 {
				continue
			}
			if len(b.found) == t.tuning.keepMatches {
				return errTooMany
			}
			b.add(uint32(from)+of, m)
		}
		for of, left := range ws.left {
			if left < 0 { // the values are less uniform than planned for
				b.scans = append(b.scans, uint32(from+of))
			}
		}
	}
	return t.scanBatch(b, qs, k)
}

// scanBatch compares all values with the queries in b.scans.
func (t *Tables) scanBatch(b *batch, qs []uint64, k int) error {
	if len(b.scans) == 0 {
		return nil
	}
	t.tables[0].guards.checkRest(0, len(t.values))
	b.work.Add(Stats{Scans: int64(len(b.scans)), Compared: int64(len(b.scans)) * int64(len(t.values))})
	for from := 0; from < len(t.values); from += scanBlock {
		block := t.values[from:min(len(t.values), from+scanBlock)]
		for _, of := range b.scans {
			b.matches = hamming.Scan(b.matches[:0], block, qs[of], k)
			if len(b.found)+len(b.matches) > t.tuning.keepMatches {
				return errTooMany
			}
			for _, m := range b.matches {
				m.Index += uint32(from)
				b.add(of, m)
			}
		}
	}
	return nil
}

// add adds a match of query of.
func (b *batch) add(of uint32, m hamming.Match) {
	b.found = append(b.found, batchMatch{m, b.first[of]})
	b.first[of] = int32(len(b.found) - 1)
}

// take returns the matches of query i in the order that Near promises.
func (b *batch) take(i int) []hamming.Match {
	b.matches = b.matches[:0]
	for at := b.first[i]; at >= 0; at = b.found[at].next {
		b.matches = append(b.matches, b.found[at].match)
	}
	sortMatches(b.matches)
	return b.matches
}
