package repeats

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/sequences"
)

// How repeated sequences are found
//
// A sequence is n words in a row, and a seed is half as many. Of the seeds of a sequence, the one with the least hash
// is listed: two of n/2 words (winnowing, as in package sequences). Equal sequences have an equal listed seed at the
// same place. The seeds are sorted by 32 bits of their hashes, and then by the order of the documents, in memory or
// by way of a temporary file. Of most hashes there is one seed. Where there are more, the sequences around them are
// compared (groups.go), word by word. What is repeated is sorted in the order of the documents.
//
// The words themselves are in a temporary file, which is mapped: 8 bytes a word. In memory are about 16 bytes a
// document, and what sorting is allowed.

// An engine finds sequences of n words that have occurred before.
type engine struct {
	parts   []*part // all documents as they are after some passes
	n       int
	threads int
	memory  int64
	fs      disk.FS
	temp    string
	hold    int // how many bytes each list keeps in memory
}

func newEngine(n, threads int, memory int64, fs disk.FS, temp string) *engine {
	e := &engine{n: n, threads: threads, memory: memory, fs: fs, temp: temp, hold: int(max(1<<18, min(spill.Holds, memory/32)))}
	e.parts = []*part{e.newPart(nil)}
	return e
}

// newSorter returns a sorter that takes a sixth of the memory.
func (e *engine) newSorter() *spill.Sorter {
	return spill.NewSorter(e.fs, e.temp, int(max(1<<16, e.memory/6/16)))
}

func (e *engine) newBytes() spill.Bytes { return spill.NewBytes(e.fs, e.temp, e.hold) }

// seedWords returns the number of words of a seed.
func (e *engine) seedWords() int { return (e.n + 1) / 2 }

// A seed is a hash, and a position.
type seed struct {
	hash uint64
	at   position
}

// A seeder finds the seeds of documents. It must not be used by several goroutines at once.
type seeder struct {
	words []uint64
	sequences.Grams
}

// read finds the seeds of the i-th document of a part, and returns where that begins.
func (s *seeder) read(e *engine, part, i int) position {
	p := e.parts[part]
	s.words = p.appendWords(s.words[:0], p.starts[i], p.starts[i+1]-1)
	s.Read(s.words, e.seedWords(), e.n)
	return positionOf(part, p.starts[i])
}

var errTooMany = errors.New("the documents have more than 4,000,000,000 seeds of passages: take larger --passage-words, or some of the files at a time")

// chunk is how many documents are looked at in one task.
const chunk = 1024

// list lists the seeds of all documents, in their order: the upper half of the hash and the number of the seed in
// order, and the position in places. After a pass, these are the seeds that documents of the last part have: what has
// not changed since the pass before repeats nothing else.
func (e *engine) list(ctx context.Context, order *spill.Sorter, places *spill.Lists) error {
	last, changed, s := len(e.parts)-1, sequences.Filter{}, seeder{}
	if last > 0 {
		changed = sequences.NewFilter(int(e.parts[last].starts[len(e.parts[last].docs)]) * 4 / e.n)
		for i := range e.parts[last].docs {
			s.read(e, last, i)
			for _, at := range s.Seeds {
				changed.Add(s.Hashes[at])
			}
		}
	}
	work := func(_ context.Context, c int) (found []seed, err error) {
		var s seeder
		for doc := c * chunk; doc < min(e.count(), (c+1)*chunk); doc++ {
			k, i := e.latest(uint32(doc))
			start := s.read(e, k, i)
			if last > 0 {
				s.Seeds = changed.AppendLikely(nil, s.Seeds, s.Hashes)
			}
			for _, at := range s.Seeds {
				found = append(found, seed{s.Hashes[at], start + uint64(at)})
			}
		}
		return found, nil
	}
	n := uint64(0)
	return parallel.Ordered(ctx, e.threads, (e.count()+chunk-1)/chunk, work, func(seeds []seed) error {
		keys, at := make([]uint64, len(seeds)), make([]uint64, len(seeds))
		for i, s := range seeds {
			keys[i], at[i] = sequences.Entry(s.hash, uint32(n)), s.at
			n++
		}
		if places.Add(at); n > math.MaxUint32 {
			return errTooMany
		}
		return errors.Join(order.Add(keys), places.Flush())
	})
}

// A piece is words in a row of a document that are cut: [from, to). They repeat as many that begin at source.
type piece struct {
	from, to uint32
	source   position
}

// pieces are those of some documents.
type pieces struct {
	docs []uint32
	list spill.Records // of each
}

// of returns the pieces of the i-th document.
func (p *pieces) of(i int) (list []piece) {
	for is := range slices.Chunk(p.list.Words(i), 3) {
		list = append(list, piece{uint32(is[0]), uint32(is[1]), is[2]})
	}
	return list
}

// find finds the pieces of all documents. The caller closes their list.
func (e *engine) find(ctx context.Context) (found pieces, err error) {
	found.list = spill.Records{Bytes: e.newBytes()}
	listed, runs := spill.Lists{Bytes: e.newBytes()}, spill.Lists{Bytes: e.newBytes()}
	seeds, order := e.newSorter(), e.newSorter()
	defer func() { err = errors.Join(err, seeds.Close(), listed.Close(), runs.Close(), order.Close()) }()
	if err := e.list(ctx, seeds, &listed); err != nil {
		return found, err
	}
	places, err := listed.Map()
	if err != nil {
		return found, err
	}
	count := uint64(0)
	var mu sync.Mutex // guards what is listed
	list := func(some []stretch) error {
		mu.Lock()
		defer mu.Unlock()
		keys, values := make([]uint64, len(some)), make([]uint64, 0, 3*len(some))
		if count+uint64(len(some)) > math.MaxUint32 {
			return errTooMany
		}
		for i, r := range some {
			keys[i], values = uint64(r.seed)<<32|(count+uint64(i)), append(values, r.at, r.source, uint64(r.count))
		}
		count += uint64(len(some))
		runs.Add(values)
		return errors.Join(order.Add(keys), runs.Flush())
	}
	resolvers := sync.Pool{New: func() any {
		return &resolver{engine: e, places: places, list: list, first: map[uint64]position{}, contexts: map[uint64]uint32{}}
	}}
	work := func(_ context.Context, g groups) (struct{}, error) {
		r := resolvers.Get().(*resolver)
		defer resolvers.Put(r)
		return struct{}{}, r.resolve(g)
	}
	if err := parallel.Stream(ctx, e.threads, groupsOf(seeds.Sorted(ctx)), work, func(struct{}) error { return nil }); err != nil {
		return found, err
	}
	all, err := runs.Map()
	if err != nil {
		return found, err
	}
	return found, e.assemble(ctx, order, all, &found)
}

// assemble makes pieces of runs, in the order of the documents. The runs of a seed come together, in any order, and
// behind those of the seeds before it in the text, which begin before them.
func (e *engine) assemble(ctx context.Context, order *spill.Sorter, runs []byte, found *pieces) (err error) {
	var of, taken []stretch // the runs of a seed, and of the document
	var doc uint32
	var start, end position // of the document
	last := uint64(0)
	join := func() {
		slices.SortFunc(of, func(a, b stretch) int { return cmp.Compare(a.at, b.at) })
		for _, r := range of {
			taken = e.addRun(taken, r)
		}
		of = of[:0]
	}
	add := func() {
		join()
		if len(taken) == 0 {
			return
		}
		var words []uint64
		for _, r := range taken {
			words = append(words, r.at-start, e.end(&r)-start, r.source)
		}
		found.docs, taken = append(found.docs, doc), taken[:0]
		found.list.AddWords(words...)
	}
	for key, err := range order.Sorted(ctx) {
		if err != nil {
			return err
		}
		if key>>32 != last>>32 {
			join()
		}
		last = key
		data := runs[24*(key&math.MaxUint32):]
		r := stretch{at: binary.LittleEndian.Uint64(data), source: binary.LittleEndian.Uint64(data[8:]), count: uint32(binary.LittleEndian.Uint64(data[16:]))}
		if r.at < start || r.at >= end {
			add()
			word := 0
			doc, word = e.documentAt(r.at)
			start = r.at - uint64(word)
			k, i := e.latest(doc)
			end = start + uint64(e.parts[k].size(i))
		}
		of = append(of, r)
	}
	add()
	return errors.Join(found.list.Flush(), found.list.Map())
}

// addRun adds a run to those that are taken of a document, in the order of the text. They are sequences as far as
// their sources go on, so that they have n words or more, and may overlap. One is left out whose words the one before
// and the one behind it have.
func (e *engine) addRun(taken []stretch, r stretch) []stretch {
	n := len(taken)
	if n > 0 {
		if last := &taken[n-1]; last.at+uint64(last.count) == r.at && last.source+uint64(last.count) == r.source {
			last.count += r.count
			return taken
		}
	}
	if n > 1 && r.at <= e.end(&taken[n-2]) {
		n--
	}
	return append(taken[:n], r)
}

// end returns where the words of a run end.
func (e *engine) end(r *stretch) position { return r.at + uint64(r.count) + uint64(e.n) - 1 }

// groups are numbers of seeds of equal hashes: several groups, one after the other.
type groups struct {
	seeds []uint32
	ends  []int
}

// manySeeds is how many seeds are looked at in one task, or more if more are of one hash.
const manySeeds = 1 << 13

// groupsOf yields all groups of two seeds or more.
func groupsOf(sorted iter.Seq2[uint64, error]) iter.Seq2[groups, error] {
	return func(yield func(groups, error) bool) {
		var g groups
		start, last := 0, uint64(0)
		end := func() {
			if len(g.seeds)-start < 2 {
				g.seeds = g.seeds[:start]
				return
			}
			start = len(g.seeds)
			g.ends = append(g.ends, start)
		}
		for key, err := range sorted {
			if err != nil {
				yield(g, fmt.Errorf("sorting: %w", err))
				return
			}
			if key>>32 != last>>32 {
				if end(); len(g.seeds) >= manySeeds {
					if !yield(g, nil) {
						return
					}
					g, start = groups{}, 0
				}
			}
			g.seeds, last = append(g.seeds, uint32(key)), key
		}
		if end(); len(g.ends) > 0 {
			yield(g, nil)
		}
	}
}

func (e *engine) close() (err error) {
	for _, p := range e.parts {
		err = errors.Join(err, p.store.Close(), p.stays.Close())
	}
	return err
}
