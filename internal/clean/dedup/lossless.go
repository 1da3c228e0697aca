package dedup

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"simsearch/internal/ground/ints"
	"simsearch/internal/match/join"
)

// With Options.Lossless, a document is removed only if the one kept for it has all of it: each sequence of three
// words, or all words of a shorter text, each number and each name. docs/DEDUP.md says what these are, so that another
// program can check it, as scripts/check-lossless.py does. They are not the words that are compared otherwise.
// Sequences are equal if hashes of 64 bits are.

// A substance is what a text has, as hashes that do not depend on case.
type substance struct {
	text                    []byte
	words                   []uint64 // as they come
	numbers, names, capital []uint64 // names are words, and capital are all words that begin with a capital letter
}

// gramWords is the number of words of a sequence.
const gramWords = 3

// A class is what a character is to the rules.
type class uint8

const (
	letter    class = iota // or a mark
	capital                // in upper case or title case
	digit                  // any number
	space                  // or a control character
	stop                   // which ends a sentence
	edge                   // punctuation, which is no part of a number that it begins or ends
	something              // else
)

func classOf(r rune) class {
	switch {
	case r <= ' ' || unicode.Is(unicode.Z, r):
		return space
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return capital
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	case r == '.' || r == '!' || r == '?':
		return stop
	case unicode.IsPunct(r) && r != '-' && r != '%':
		return edge
	}
	return something
}

// ofASCII are the classes of ASCII, and lower are its small letters.
var ofASCII, lower = func() (of [utf8.RuneSelf]class, small [utf8.RuneSelf]uint64) {
	for i := range of {
		of[i], small[i] = classOf(rune(i)), uint64(unicode.ToLower(rune(i)))
	}
	return of, small
}()

var folds = cases.Fold() // it has no state

// A hash begins with offset, and takes a byte by being multiplied with prime (FNV-1a).
const offset, prime = 14695981039346656037, 1099511628211

// hashOf returns the hash of bytes without their case.
func hashOf(b []byte, isASCII bool) uint64 {
	h := uint64(offset)
	if isASCII {
		for _, c := range b {
			h = (h ^ lower[c]) * prime
		}
		return h
	}
	for _, c := range folds.Bytes(b) {
		h = (h ^ uint64(c)) * prime
	}
	return h
}

// substanceOf returns what a text has.
func substanceOf(text []byte) *substance {
	is, all := &substance{text: text, words: make([]uint64, 0, len(text)/5)}, text
	if !norm.NFKC.IsNormal(text) {
		all = norm.NFKC.Bytes(text)
	}
	word, from, to := -1, -1, 0 // where the word begins, or -1; the piece between spaces without its edges
	// The class that the word begins with; whether it begins no sentence, and whether the piece has a digit.
	first, named, numbered := space, false, false
	begins, wordASCII, pieceASCII := true, true, true
	for i := 0; i <= len(all); {
		k, size := space, 1
		if i < len(all) && all[i] < utf8.RuneSelf {
			k = ofASCII[all[i]]
		} else if i < len(all) {
			r, n := utf8.DecodeRune(all[i:])
			k, size, wordASCII, pieceASCII = classOf(r), n, false, false
		}
		if k <= digit {
			if word < 0 {
				word, first, named, begins, wordASCII = i, k, !begins, false, all[i] < utf8.RuneSelf
			}
		} else if word >= 0 {
			h := hashOf(all[word:i], wordASCII)
			if is.words = append(is.words, h); first == capital {
				if is.capital = append(is.capital, h); named {
					is.names = append(is.names, h)
				}
			}
			word = -1
		}
		switch k {
		case space:
			if numbered {
				is.numbers = append(is.numbers, hashOf(all[from:to], pieceASCII))
			}
			from, numbered, pieceASCII = -1, false, true
		case stop:
			begins = true
		case edge:
		default:
			if from < 0 {
				from = i
			}
			to, numbered = i+size, numbered || k == digit
		}
		i += size
	}
	return is
}

// sequences yields the hash of each sequence of n words.
func (s *substance) sequences(n int) iter.Seq[uint64] {
	return func(yield func(h uint64) bool) {
		for i := 0; i+n <= len(s.words); i++ {
			h := uint64(n)
			for _, w := range s.words[i : i+n] {
				h = (h ^ w) * 0x9e3779b97f4a7c15
				h ^= h >> 29
			}
			if !yield(h) {
				return
			}
		}
	}
}

// distinctOf returns different hashes, ascending.
func distinctOf(hashes []uint64) []uint64 {
	hashes = slices.Clone(hashes)
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// inside returns how many different sequences of three words a text has, if it has nothing that another one has not,
// and else -1. One without words is inside an equal one alone. Most of those that are not are found by a filter: it has
// a bit for each sequence of the other one.
func (s *substance) inside(other *substance, filter *[1 << 12]uint64) int32 {
	n := min(gramWords, len(s.words))
	if n == 0 && !bytes.Equal(s.text, other.text) {
		return -1
	}
	clear(filter[:])
	for h := range other.sequences(n) {
		filter[h>>6%uint64(len(filter))] |= 1 << (h % 64)
	}
	for h := range s.sequences(n) {
		if filter[h>>6%uint64(len(filter))]>>(h%64)&1 == 0 {
			return -1
		}
	}
	mine := distinctOf(slices.Collect(s.sequences(n)))
	for _, lists := range [][2][]uint64{{mine, distinctOf(slices.Collect(other.sequences(n)))}, {distinctOf(s.numbers), distinctOf(other.numbers)},
		{distinctOf(s.names), distinctOf(other.capital)}} {
		if ints.Shared(lists[0], lists[1]) < len(lists[0]) {
			return -1
		}
	}
	if n < gramWords {
		return 0
	}
	return int32(len(mine))
}

// substances are those of texts that were looked at lately. They are safe for concurrent use.
type substances struct {
	mu   sync.Mutex
	of   map[uint32]*substance // by set
	size int
}

// ofSet returns the substance of the text that is kept of a set.
func (s *substances) ofSet(d *Decisions, t *textRecords, set uint32) (*substance, error) {
	s.mu.Lock()
	is := s.of[set]
	s.mu.Unlock()
	if is != nil {
		return is, nil
	}
	text, err := t.ofSet(d, set)
	if err != nil {
		return nil, err
	}
	is = substanceOf(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size > d.c.Options.holds() {
		clear(s.of)
		s.size = 0
	}
	s.of[set] = is
	s.size += len(is.words) * 8
	return is, nil
}

// losses are what is known of sets with Options.Lossless.
type losses struct {
	sizes [][2]int32 // of each set that is inside another one: its words, and its different sequences
	would []bool     // sets that are near one before them, and have something of their own
}

// An insideRow says how much the kept document has of a removed one, and where it is.
type insideRow struct {
	Bytes  int32  `json:"bytes,omitempty"` // of the text, if both are equal
	Words  int32  `json:"words,omitempty"`
	Grams  int32  `json:"grams,omitempty"` // different sequences of three words
	Source string `json:"source"`          // the file of the kept document
	Number uint32 `json:"number"`          // the place of the kept document in it
}

// findLosses takes pairs of a set and one that would be kept for it, and returns those of which the first is inside
// the second.
func findLosses(ctx context.Context, d *Decisions, pairs [][2]uint32) ([][2]uint32, error) {
	const together = 1 << 6 // pairs
	if d.losses.would == nil {
		d.losses = losses{make([][2]int32, len(d.c.Sizes)), make([]bool, len(d.c.Sizes))}
	}
	t, err := readTexts(ctx, d, pairs)
	if err != nil || len(pairs) == 0 {
		return nil, err
	}
	slices.SortFunc(pairs, func(p, q [2]uint32) int { return cmp.Or(cmp.Compare(p[1], q[1]), cmp.Compare(p[0], q[0])) })
	d.c.Options.Next(losing)
	known := substances{of: map[uint32]*substance{}}
	sizes := make([][2]int32, len(pairs)) // as losses has them
	err = d.c.Options.Each(ctx, len(pairs), together, d.c.Options.DidParts, func(_ context.Context, from, to int) error {
		filter := new([1 << 12]uint64)
		for i, p := range pairs[from:to] {
			one, err := known.ofSet(d, t, p[0])
			if err != nil {
				return err
			}
			other, err := known.ofSet(d, t, p[1])
			if err != nil {
				return err
			}
			sizes[from+i] = [2]int32{int32(len(one.words)), one.inside(other, filter)}
		}
		return nil
	})
	var inside [][2]uint32
	for i, p := range pairs {
		if is := sizes[i]; is[1] < 0 {
			d.losses.would[p[0]] = true
		} else {
			d.losses.sizes[p[0]] = is
			inside = append(inside, p)
		}
	}
	return inside, err
}

// losslessPairs makes sets near only if the later one in the order is inside the earlier one, if near pairs are few.
func losslessPairs(ctx context.Context, d *Decisions) error {
	if !d.c.Options.Lossless || !d.grouper.Few() {
		return nil
	}
	rank := make([]int, len(d.order))
	for i, set := range d.order {
		rank[set] = i
	}
	var pairs [][2]uint32
	near := map[[2]uint32]float64{}
	err := d.grouper.EachPair(func(a, b uint32, similarity float64) error {
		if rank[a] < rank[b] {
			a, b = b, a
		}
		if rank[a] >= d.refs { // nothing of the reference is removed
			pairs = append(pairs, [2]uint32{a, b})
			near[pairs[len(pairs)-1]] = similarity
		}
		return nil
	})
	if err != nil {
		return err
	}
	inside, err := findLosses(ctx, d, pairs)
	d.grouper = join.Listed(d.coded.Len(), func(add func(a, b uint32, similarity float64)) {
		for _, p := range inside {
			add(p[0], p[1], near[p])
		}
	})
	return err
}

// losslessCenters makes sets their own centers that are not inside these, unless near pairs are few.
func losslessCenters(ctx context.Context, d *Decisions) error {
	if !d.c.Options.Lossless || d.grouper.Few() {
		return nil
	}
	var pairs [][2]uint32
	for set, center := range d.centers {
		if uint32(set) != center {
			pairs = append(pairs, [2]uint32{uint32(set), center})
		}
	}
	_, err := findLosses(ctx, d, pairs)
	for set, would := range d.losses.would {
		if would {
			d.centers[set] = uint32(set)
		}
	}
	return err
}

// wouldLose reports whether a document stays since something of it would be lost, though it is near one before it.
func (d *Decisions) wouldLose(doc uint32) bool {
	set := d.c.SetOf[doc]
	return d.losses.would != nil && set != NoSet && d.losses.would[set] && d.kept[doc] == doc
}

// insideOf returns what a list says of a removed document with Options.Lossless.
func (d *Decisions) insideOf(doc uint32) *insideRow {
	c, kept := d.c, d.kept[doc]
	if !c.Options.Lossless {
		return nil
	}
	file := c.fileOf(kept)
	row := &insideRow{Source: escaped(c.Files[file].Path), Number: c.Number(file, kept)}
	if d.exact(doc) {
		row.Bytes = int32(c.Lengths[doc])
	} else {
		row.Words, row.Grams = d.losses.sizes[c.SetOf[doc]][0], d.losses.sizes[c.SetOf[doc]][1]
	}
	return row
}
