package repeats

import (
	"bytes"
	"encoding/binary"

	"github.com/spaolacci/murmur3"

	"simsearch/fingerprint"
)

// A stretch is sequences that begin at one word after the other, count of them from at on, and have first occurred
// from source on.
type stretch struct {
	seed       uint32 // by which it was found
	count      uint32
	at, source position
}

// A resolver finds where sequences around equal seeds have first occurred. It must not be used by several goroutines
// at once.
type resolver struct {
	*engine
	places []byte
	// first has where the sequences of a group first occur, by their hashes, and contexts the first place of equal
	// words around a seed. Two different ones of equal hashes are kept by following numbers.
	first    map[uint64]position
	contexts map[uint64]uint32
	all      []around
	runs     []stretch // of all of them
	words    []uint64
	grams    []uint64
	hashes   []uint64 // of seeds
	out      []stretch
	list     func([]stretch) error // takes runs
	last     repeated
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

// manyRuns is about how many runs are listed at once.
const manyRuns = 1 << 13

// resolve lists the runs of groups that have occurred before, and do not overlap what they repeat.
func (r *resolver) resolve(g groups) error {
	r.out = r.out[:0]
	start := 0
	for _, end := range g.ends {
		seeds := g.seeds[start:end]
		start = end
		// Equal sequences have the seed at the same place, so that those before which it begins by as many words are
		// a matter of their own.
		all, distinct := r.n-r.seedWords()+1, len(seeds)
		if distinct > mostSequences/all {
			distinct = r.distinct(seeds, all)
		}
		step := max(1, min(all, mostSequences/distinct))
		for from := 0; from < all; from += step {
			if err := r.round(seeds, from, min(all, from+step)); err != nil {
				return err
			}
		}
	}
	return r.list(r.out)
}

// distinct returns how many different words there are around seeds, as far as it matters, or mostSequences if there
// are more.
func (r *resolver) distinct(seeds []uint32, all int) int {
	different := map[uint64]bool{}
	r.last = repeated{}
	for _, seed := range seeds {
		at := r.placeOf(seed)
		if r.last.goesOn(r.engine, at) {
			continue
		}
		if c, ok := r.context(at, 0, all); ok {
			hash := murmur3.Sum64WithSeed(r.bytesOf(c.at, c.length), c.back)
			different[hash] = true
			if r.last.set(at, c, hash, r.whole(c, 0, all)); len(different) == mostSequences {
				break
			}
		}
	}
	return max(1, len(different))
}

// round looks at the sequences that begin from and more, and less than to words before a seed.
func (r *resolver) round(seeds []uint32, from, to int) error {
	if len(r.first) > 1<<12 {
		r.first, r.contexts = map[uint64]position{}, map[uint64]uint32{}
	} else {
		clear(r.first)
		clear(r.contexts)
	}
	r.all, r.runs, r.last = r.all[:0], r.runs[:0], repeated{}
	for _, seed := range seeds {
		at := r.placeOf(seed)
		if !r.last.goesOn(r.engine, at) {
			c, ok := r.context(at, from, to)
			if !ok {
				continue
			}
			r.last.set(at, c, uint64(r.see(c)), r.whole(c, from, to))
		}
		was := r.all[r.last.is]
		for _, x := range r.runs[was.start:was.end] {
			at := x.at - was.at + r.last.around.at
			if at < x.source || at >= x.source+uint64(r.n) { // else it is where its sequences first occur, or overlaps that
				r.out = append(r.out, stretch{seed, x.count, at, x.source})
			}
		}
		if len(r.out) >= manyRuns {
			if err := r.list(r.out); err != nil {
				return err
			}
			r.out = r.out[:0]
		}
	}
	return nil
}

// placeOf returns the place of a seed.
func (r *resolver) placeOf(seed uint32) position {
	return binary.LittleEndian.Uint64(r.places[8*uint64(seed):])
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

// whole reports whether no words around a seed are missing since the document begins or ends there.
func (r *resolver) whole(c around, from, to int) bool {
	return int(c.back) == to-1 && int(c.length-c.back) == r.n-from
}

func (r *resolver) bytesOf(at position, n uint32) []byte {
	return r.parts[partOf(at)].bytesAt(wordOf(at), wordOf(at)+uint64(n))
}

// A repeated is the last place of a seed in a text that repeats a few words over and over. If the words around it are
// those around the place before it, then only as many words as are between them have to be compared to tell whether
// they are those around the next place, too.
type repeated struct {
	around
	place    position
	distance uint64 // from the place before it, or 0 if the words around that are others
	is       uint64 // which words are around it
}

// set sets the place and what is around it, which is whole or not.
func (l *repeated) set(place position, c around, is uint64, whole bool) {
	distance := place - l.place
	if !whole || is != l.is || distance > uint64(min(c.length, l.length)) {
		distance = 0
	}
	*l = repeated{c, place, distance, is}
}

// goesOn reports whether the words around the next place are those around the last one, and sets it then.
func (l *repeated) goesOn(e *engine, place position) bool {
	if l.distance == 0 || place != l.place+l.distance {
		return false
	}
	p, end := e.parts[partOf(place)], wordOf(l.at)+uint64(l.length)
	if 8*(end+l.distance) > uint64(len(p.data)) || !bytes.Equal(p.bytesAt(end, end+l.distance), p.bytesAt(end-l.distance, end)) {
		return false
	}
	l.place, l.at = place, l.at+l.distance
	return true
}

// see finds the runs of a place of a seed, and returns which of all has them.
func (r *resolver) see(c around) uint32 {
	is := r.bytesOf(c.at, c.length)
	hash := murmur3.Sum64WithSeed(is, c.back)
	for {
		i, ok := r.contexts[hash]
		if !ok {
			break
		}
		if was := &r.all[i]; was.back == c.back && was.length == c.length && bytes.Equal(is, r.bytesOf(was.at, was.length)) {
			return i
		}
		hash++
	}
	i := uint32(len(r.all))
	r.contexts[hash] = i
	c.start = len(r.runs)
	r.sequences(c)
	c.end = len(r.runs)
	r.all = append(r.all, c)
	return i
}

// sequences adds the runs of the sequences of a place that are listed by its seed: where each has first occurred.
// Others that have it are listed by another seed, wherever they occur.
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
			if bytes.Equal(r.bytesOf(at, uint32(r.n)), r.bytesOf(was, uint32(r.n))) {
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
		r.runs = append(r.runs, stretch{count: 1, at: at, source: source})
	}
}

// listed returns which sequences, from the first to before the end, are listed by the seed at a place: it has the
// least hash of theirs, and is the first of equal ones. sequences.AppendLeast says the same.
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
