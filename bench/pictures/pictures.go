package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// Pictures have no words from which one could tell what is near. So the truth is made: copies of some of the
// pictures, edited as people do it, are the queries, and near is the picture that a copy was made of. All others are
// taken to be different pictures. The distance is chosen by one half of the copies, and what is said of it is
// measured on the other.

// Options say how pictures are evaluated.
type Options struct {
	Name    string
	Sample  int    // the number of pictures of which copies are made; 0 stands for 200
	Seed    uint64 // of the sample
	Threads int
}

const (
	// picturesSampled is the usual number of pictures of which copies are made.
	picturesSampled = 200
	// mostDistance is the largest distance that is measured, in bits.
	mostDistance = 20
	// precisionWanted is what the distance that is chosen must reach.
	precisionWanted = 0.99
)

var imageHashes = []imagehash.Kind{imagehash.Difference, imagehash.DCT}

// A hashed picture has hashes of each of imageHashes, as Kind.Positions returns them.
type hashed [][]uint64

// hashesOf returns the hashes of a file, or nil if it has none: in all positions, or as it is.
func hashesOf(data []byte, positions bool) (all hashed) {
	p, err := imagehash.Decode(data, imagehash.MaxPixels)
	if err != nil {
		return nil
	}
	for _, k := range imageHashes {
		hashes := k.Positions(p)
		if hashes == nil {
			return nil
		}
		if !positions {
			hashes = hashes[:1]
		}
		all = append(all, hashes)
	}
	return all
}

// distance returns the least distance of a picture from a query in any of its positions.
func (h hashed) distance(query hashed, kind int) int {
	least := 64
	for _, hash := range query[kind] {
		least = min(least, bits.OnesCount64(h[kind][0]^hash))
	}
	return least
}

// pictures are what Evaluate measures.
type pictures struct {
	edits   []edit
	of      []hashed
	sampled []int      // of these, those of which there are copies
	copies  [][]hashed // of each sampled one, a copy for each edit; a copy that is of one colour has no hashes
}

// errFew is returned for fewer than two pictures.
var errFew = errors.New("copies are told from other pictures: name two or more that are not of one colour")

// Evaluate measures at which distances copies of n pictures are found, and other pictures. file returns the file of
// picture i. It is called on several goroutines. Equal files, pictures of one colour and those that cannot be read
// are left out. The error is that of ctx, errFew if fewer than two pictures are left, or of encoding.
func Evaluate(ctx context.Context, n int, file func(i int) ([]byte, error), o Options) (*report.Report, error) {
	p, threads := &pictures{edits: edits()}, max(1, o.Threads)
	type result struct {
		number int
		hashes hashed
		digest [sha256.Size]byte
	}
	known := map[[sha256.Size]byte]bool{}
	var numbers []int // of the pictures in p.of
	err := parallel.Ordered(ctx, threads, n, func(ctx context.Context, i int) (result, error) {
		data, err := file(i)
		if err != nil {
			return result{}, ctx.Err()
		}
		return result{i, hashesOf(data, false), sha256.Sum256(data)}, ctx.Err()
	}, func(r result) error {
		if r.hashes != nil && !known[r.digest] {
			known[r.digest] = true
			p.of, numbers = append(p.of, r.hashes), append(numbers, r.number)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(p.of) < 2 {
		return nil, errFew
	}
	p.sampled = rand.New(rand.NewPCG(o.Seed, 0)).Perm(len(p.of))
	p.sampled = p.sampled[:min(cmp.Or(o.Sample, picturesSampled), len(p.sampled))]
	err = parallel.Ordered(ctx, threads, len(p.sampled), func(ctx context.Context, i int) (copies []hashed, err error) {
		data, err := file(numbers[p.sampled[i]])
		if err != nil {
			return nil, err
		}
		picture, err := imagehash.Decode(data, imagehash.MaxPixels)
		if err != nil {
			return nil, err
		}
		upright := picture.Upright()
		for _, e := range p.edits {
			edited, err := e.apply(upright)
			if err != nil {
				return nil, err
			}
			copies = append(copies, hashesOf(edited, e.positions))
		}
		return copies, ctx.Err()
	}, func(copies []hashed) error {
		p.copies = append(p.copies, copies)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := &report.Report{Version: 1, Title: "Evaluation of " + o.Name, Warnings: p.warnings(), Facts: []report.Fact{
		{Name: "pictures", Value: fmt.Sprintf("%s, and %s left out that are equal, of one colour or unreadable", terminal.Thousands(len(p.of)), terminal.Thousands(n-len(p.of)))},
		{Name: "copies", Value: fmt.Sprintf("%d of each of %s", len(p.edits), terminal.Plural(len(p.sampled), "picture"))},
		{Name: "seed", Value: fmt.Sprint(o.Seed)},
	}}
	for kind := range imageHashes {
		r.Sections = append(r.Sections, p.section(kind))
	}
	return r, nil
}

// found counts what queries find at each distance.
type found struct {
	queries int
	own     [65]int // queries whose picture is at a distance
	others  [65]int // other pictures at a distance, of all queries
}

func (f *found) add(more *found) {
	f.queries += more.queries
	for d := range f.own {
		f.own[d] += more.own[d]
		f.others[d] += more.others[d]
	}
}

// within returns how many queries find their picture within distance k, and how many others are found.
func (f *found) within(k int) (own, others int) {
	for d := range k + 1 {
		own, others = own+f.own[d], others+f.others[d]
	}
	return own, others
}

func (f *found) precision(k int) truth.Rate {
	own, others := f.within(k)
	return truth.NewRate(own, own+others)
}

func (f *found) recall(k int) truth.Rate {
	own, _ := f.within(k)
	return truth.NewRate(own, f.queries)
}

// count returns what the copies of an edit find by a kind of hash, those of every second picture from first on.
func (p *pictures) count(kind, edit, first int) (f found) {
	for i := first; i < len(p.sampled); i += 2 {
		f.queries++
		query := p.copies[i][edit]
		if query == nil {
			continue // it is near nothing
		}
		for n, of := range p.of {
			d := of.distance(query, kind)
			if n == p.sampled[i] {
				f.own[d]++
			} else {
				f.others[d]++
			}
		}
	}
	return f
}

// section measures a kind of hash.
func (p *pictures) section(kind int) *report.Section {
	k := imageHashes[kind]
	s := &report.Section{Name: "pictures-" + k.String(), Title: "Copies of pictures, by the hash " + k.String()}
	var halves [2]found
	byEdit := make([]found, len(p.edits))
	for e, edit := range p.edits {
		for half := range halves {
			f := p.count(kind, e, half)
			byEdit[e].add(&f)
			if edit.near {
				halves[half].add(&f)
			}
		}
	}
	chosen := choose(&halves[0])
	s.Text = append(s.Text, fmt.Sprintf("The queries are copies that are smaller, compressed again or cropped by 2 %% at most; near is the picture that a copy was made of. Precision depends on the number of other pictures, of which there are %s here: twice as many have twice as many false positives.", terminal.Thousands(len(p.of)-1)))
	recall, precision := halves[1].recall(chosen), halves[1].precision(chosen)
	s.Text = append(s.Text, fmt.Sprintf("k = %d is the largest distance with a precision of %v on the copies of one half of the pictures. On those of the other half, recall is %.4f (%.4f to %.4f) and precision %.4f (%.4f to %.4f).",
		chosen, precisionWanted, recall.Share, recall.Low, recall.High, precision.Share, precision.Low, precision.High))
	t := s.AddTable("By distance, on the other half", "k", "recall", "precision", "false positives of a million pairs", "chosen")
	plot := &report.Plot{Title: "Copies by the hash " + k.String(), X: report.Axis{Name: "k"}, Y: report.Axis{Name: "share", Min: 0, Max: 1}}
	for d := range mostDistance + 1 {
		_, others := halves[1].within(d)
		recall, precision := halves[1].recall(d).Share, halves[1].precision(d).Share
		t.Add(d, recall, precision, 1e6*float64(others)/float64(max(1, halves[1].queries*(len(p.of)-1))), map[bool]string{true: "yes"}[d == chosen])
		plot.Add("recall", float64(d), recall)
		plot.Add("precision", float64(d), precision)
	}
	s.Plots = append(s.Plots, plot)
	t = s.AddTable("By edit, on all copies", "edit", "counts as near", "median distance", "largest", fmt.Sprintf("recall at k = %d", chosen), "4", "8", "12")
	for e, edit := range p.edits {
		f := &byEdit[e]
		near := map[bool]string{true: "yes", false: "no"}[edit.near]
		t.Add(edit.name, near, f.quantile(0.5), f.quantile(1), f.recall(chosen).Share, f.recall(4).Share, f.recall(8).Share, f.recall(12).Share)
	}
	return s
}

// choose returns the largest distance at which queries have the precision wanted.
func choose(f *found) (k int) {
	for d := range mostDistance + 1 {
		if f.precision(d).Share >= precisionWanted {
			k = d
		}
	}
	return k
}

// quantile returns the distance at or below which a share of the queries have their picture, -1 if they have not.
func (f *found) quantile(share float64) int {
	want, sum := max(1, int(share*float64(f.queries))), 0
	for d, n := range f.own {
		if sum += n; sum >= want {
			return d
		}
	}
	return -1
}

// warnings tells of pictures that are probably copies of others.
func (p *pictures) warnings() []string {
	const alike = 3
	n := 0
	for i, a := range p.of[:min(len(p.of), 20_000)] {
		if slices.ContainsFunc(p.of[:i], func(b hashed) bool {
			for kind := range a {
				if a.distance(b, kind) > alike {
					return false
				}
			}
			return true
		}) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of the pictures are within %d bits of an earlier one by both hashes. If they are copies, they count as false positives here: remove them first with dedup --format image --k %[2]d.", terminal.Thousands(n), alike)}
}
