package repeats

import (
	"bytes"
	"encoding/binary"

	"github.com/spaolacci/murmur3"

	"simsearch/fingerprint"
)

// A run is sequences that begin at one word after the other, count of them from at on, and have first occurred from source on.
type run struct {
	seed       uint32 // by which it was found
	count      uint32
	at, source position
}

// A resolver finds where sequences around equal seeds have first occurred. It must not be used by several goroutines at once.
type resolver struct {
	*engine
	places []byte
	// first has where the sequences of a group first occur, by their hashes, and contexts the first place of equal words around a seed. Two
	// different ones of equal hashes are kept by following numbers.
	first    map[uint64]position
	contexts map[uint64]uint32
	all      []around
	runs     []run // of all of them
	words    []uint64
	grams    []uint64
	hashes   []uint64 // of seeds
	out      []run
}

// An around is a place of a seed with the words around it, as far as they matter.
type around struct {
	at         position // of the first word
	length     uint32
	back       uint32 // how many of them are before the seed
	start, end int    // of its runs
}

// mostSequences is about how many sequences of a group are in memory at a time.
const mostSequences = 1 << 20

func newResolver(e *engine, places []byte) *resolver {
	return &resolver{engine: e, places: places, first: map[uint64]position{}, contexts: map[uint64]uint32{}}
}

// resolve returns the runs of groups that have occurred before, and do not overlap what they repeat.
func (r *resolver) resolve(g groups) []run {
	r.out = nil
	start := 0
	for _, end := range g.ends {
		seeds := g.seeds[start:end]
		start = end
		// Equal sequences have the seed at the same place, so that those before which it begins by as many words are a matter of their own.
		all := r.n - r.seedWords() + 1
		step := max(1, min(all, mostSequences/len(seeds)))
		for from := 0; from < all; from += step {
			r.round(seeds, from, min(all, from+step))
		}
	}
	return r.out
}

// round looks at the sequences that begin from and more, and less than to words before a seed.
func (r *resolver) round(seeds []uint32, from, to int) {
	if len(r.first) > 1<<12 {
		r.first, r.contexts = map[uint64]position{}, map[uint64]uint32{}
	} else {
		clear(r.first)
		clear(r.contexts)
	}
	r.all, r.runs = r.all[:0], r.runs[:0]
	for _, seed := range seeds {
		at := binary.LittleEndian.Uint64(r.places[8*uint64(seed):])
		if c, ok := r.context(at, from, to); ok {
			r.see(seed, c)
		}
	}
}

// context returns the words around a seed that the sequences of a round have, if there are any.
func (r *resolver) context(at position, from, to int) (c around, ok bool) {
	p, word := r.parts[partOf(at)], wordOf(at)
	back := 0 // how far the document goes back, as far as it matters
	for back < to-1 && word > uint64(back) && p.wordAt(word-uint64(back)-1) != 0 {
		back++
	}
	end := r.seedWords() // how far it goes on
	for most := r.n - from; end < most && p.wordAt(word+uint64(end)) != 0; {
		end++
	}
	if back < from || back+end < r.n {
		return c, false
	}
	return around{at: at - uint64(back), length: uint32(back + end), back: uint32(back)}, true
}

func (r *resolver) bytesOf(at position, n uint32) []byte {
	return r.parts[partOf(at)].bytesAt(wordOf(at), wordOf(at)+uint64(n))
}

// see finds the runs of a place of a seed.
func (r *resolver) see(seed uint32, c around) {
	is := r.bytesOf(c.at, c.length)
	hash := murmur3.Sum64WithSeed(is, c.back)
	for {
		i, ok := r.contexts[hash]
		if !ok {
			break
		}
		if was := &r.all[i]; was.back == c.back && was.length == c.length && bytes.Equal(is, r.bytesOf(was.at, was.length)) {
			for _, x := range r.runs[was.start:was.end] {
				r.emit(seed, x.at-was.at+c.at, x.source, x.count)
			}
			return
		}
		hash++
	}
	r.contexts[hash] = uint32(len(r.all))
	c.start = len(r.runs)
	r.sequences(c)
	c.end = len(r.runs)
	r.all = append(r.all, c)
	for _, x := range r.runs[c.start:c.end] {
		r.emit(seed, x.at, x.source, x.count)
	}
}

// emit adds a run, unless it is where its sequences first occur, or overlaps that.
func (r *resolver) emit(seed uint32, at, source position, count uint32) {
	if at >= source && at < source+uint64(r.n) {
		return
	}
	r.out = append(r.out, run{seed, count, at, source})
}

// sequences adds the runs of the sequences of a place that are listed by its seed: where each has first occurred. Others that have it are
// listed by another seed, wherever they occur.
func (r *resolver) sequences(c around) {
	p := r.parts[partOf(c.at)]
	r.words = p.appendWords(r.words[:0], wordOf(c.at), wordOf(c.at)+uint64(c.length))
	r.grams = fingerprint.AppendWordGrams(r.grams[:0], r.words, r.n)
	r.hashes = fingerprint.AppendWordGrams(r.hashes[:0], r.words, r.seedWords())
	first, end := r.listed(int(c.back))
	from := len(r.runs)
	for i := first; i < end; i++ {
		hash, at := r.grams[i], c.at+uint64(i)
		source := at
		for {
			was, ok := r.first[hash]
			if !ok {
				r.first[hash] = at
				break
			}
			if r.equal(at, was) {
				source = was
				break
			}
			hash++
		}
		if n := len(r.runs); n > from {
			if last := &r.runs[n-1]; last.source+uint64(last.count) == source {
				last.count++
				continue
			}
		}
		r.runs = append(r.runs, run{count: 1, at: at, source: source})
	}
}

// listed returns which sequences, from the first to before the end, are listed by the seed at a place: it has the least hash of theirs, and is
// the first of equal ones. wordhash.AppendLeast says the same.
func (r *resolver) listed(at int) (first, end int) {
	least := uint32(r.hashes[at])
	for first = at; first > 0 && uint32(r.hashes[first-1]) > least; {
		first--
	}
	behind := at + 1 // the seeds that are not less
	for behind < len(r.hashes) && uint32(r.hashes[behind]) >= least {
		behind++
	}
	window := r.n - r.seedWords() + 1
	return first, min(behind-window+1, at+1, len(r.grams))
}

// equal reports whether two sequences are equal, word by word.
func (r *resolver) equal(a, b position) bool {
	return bytes.Equal(r.bytesOf(a, uint32(r.n)), r.bytesOf(b, uint32(r.n)))
}
