package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"simsearch/hamming"
	"simsearch/internal/disk"
	"simsearch/internal/join"
	"simsearch/internal/prefix"
	"simsearch/internal/section"
	"simsearch/internal/setjoin"
	"simsearch/internal/spill"
	"simsearch/tables"
)

// secPairs is the section of the pairs of a part, ascending, of pairWords words each: the two sets, as setID returns them, the lesser
// one first; and how many features they share, or the distance of the fingerprints in bits.
const secPairs, pairWords = "pairs", 3

// JoinOptions say how a part is joined.
type JoinOptions struct {
	Part    int // from 1
	Memory  int64
	Threads int
	FS      disk.FS
}

// Join reads one part of all scattered files, and writes the pairs of near sets that belong to it to a file. A pair belongs to the
// part of its first key. If the pairs are so many that components does not want a list, it writes that and no pairs.
func Join(ctx context.Context, in []string, out string, o JoinOptions) error {
	o.Memory, o.Threads = spill.MemoryOr(o.Memory), max(1, o.Threads)
	return reading(&o.FS, in, []string{planKind, scatterKind}, func(all inputs) error {
		p, err := all.readPlan()
		if err != nil {
			return err
		}
		if o.Part < 1 || o.Part > p.parts {
			return fmt.Errorf("part %d: the plan has parts 1 to %d", o.Part, p.parts)
		}
		j := &joining{plan: p, part: o.Part - 1}
		if err := j.read(all.of(scatterKind)); err != nil {
			return err
		}
		many := false
		if err := j.find(ctx, &o); errors.Is(err, setjoin.ErrMany) {
			many, j.pairs = true, nil
		} else if err != nil {
			return err
		}
		h := header{Kind: pairsKind, Criterion: all[0].header.Criterion, Part: o.Part, Parts: p.parts, Sets: p.sets, Many: many}
		return write(o.FS, out, in, h, func(w *section.Writer) error {
			w.Begin(secPairs)
			for i := range j.pairs {
				w.Uint64s(j.pairs[i][:])
			}
			return nil
		})
	})
}

// A joining is the sets of a part, and what is found of them.
type joining struct {
	*plan
	part    int
	ids     []uint64
	digests [][2]uint64
	sets    [][]uint64 // parts of the files
	keysOf  [][]uint64 // of each set, when they are needed
	pairs   [][pairWords]uint64
}

// read reads the records of the part. Of equal sets, it takes the first.
func (j *joining) read(scattered inputs) error {
	known := map[[2]uint64]int{}
	shares := map[string]string{}
	for _, in := range scattered {
		if other, ok := shares[in.Share]; ok {
			return fmt.Errorf("%s and %s are both of share %s: name each once", other, in.path, in.Share)
		}
		if shares[in.Share] = in.path; in.Parts != j.parts {
			return fmt.Errorf("%s has %d parts, and the plan %d: scatter the sketches by this plan", in.path, in.Parts, j.parts)
		}
		if err := j.readOf(in, known); err != nil {
			return section.InFile(in.path, err)
		}
	}
	return nil
}

func (j *joining) readOf(in *input, known map[[2]uint64]int) error {
	name := secPart(j.part)
	words, err := in.Uint64s(name, section.Any)
	if err != nil {
		return err
	}
	for at := 0; at < len(words); {
		if len(words)-at < recordWords || words[at+3] < 1 || words[at+3] > uint64(len(words)-at-recordWords) {
			return in.Corruptf(name, uint64(8*at), "a record beyond the end")
		}
		id, digest, n := words[at], [2]uint64{words[at+1], words[at+2]}, int(words[at+3])
		set := words[at+recordWords : at+recordWords+n]
		if !slices.IsSorted(set) || j.blocks != nil && n != 1 {
			return in.Corruptf(name, uint64(8*at), "features are not in order")
		}
		if other, ok := known[digest]; !ok {
			known[digest] = len(j.ids)
			j.ids, j.digests, j.sets = append(j.ids, id), append(j.digests, digest), append(j.sets, set)
		} else if id < j.ids[other] {
			j.ids[other] = id
		}
		at += recordWords + n
	}
	return nil
}

// find finds the pairs.
func (j *joining) find(ctx context.Context, o *JoinOptions) error {
	if len(j.sets) < 2 {
		return nil
	}
	most := join.MostListed(int(j.plan.sets), j.blocks != nil)
	j.keysOf = make([][]uint64, len(j.sets))
	for i, set := range j.sets {
		j.keysOf[i] = j.keys(nil, set)
	}
	err := j.each(ctx, o, func(a, b uint32, shared int) error {
		key, ok := first(j.keysOf[a], j.keysOf[b])
		if !ok || j.owner(key, j.digests[a], j.digests[b]) != j.part {
			return nil
		}
		if len(j.pairs) == most {
			return setjoin.ErrMany
		}
		x, y := j.ids[a], j.ids[b]
		j.pairs = append(j.pairs, [pairWords]uint64{min(x, y), max(x, y), uint64(shared)})
		return nil
	})
	slices.SortFunc(j.pairs, func(a, b [pairWords]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return err
}

// each calls do with each pair of near sets of the part, whether it belongs to it or not.
func (j *joining) each(ctx context.Context, o *JoinOptions, do func(a, b uint32, shared int) error) error {
	if j.blocks != nil {
		return j.eachNear(ctx, o, do)
	}
	sets, err := prefix.Collect(ctx, source(j.sets), j.criterion.Jaccard,
		prefix.Options{Threads: o.Threads, Memory: o.Memory / partsAtOnce, PairsOnly: true})
	if err != nil {
		return err
	}
	how := setjoin.Options{Threads: o.Threads, Memory: o.Memory / partsAtOnce}
	return setjoin.Pairs(ctx, sets, j.criterion.Jaccard, how, func(pairs []setjoin.Pair) error {
		for _, p := range pairs {
			if err := do(p.A, p.B, p.Shared); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachNear is each for fingerprints.
func (j *joining) eachNear(ctx context.Context, o *JoinOptions, do func(a, b uint32, distance int) error) error {
	order := make([]uint32, len(j.sets))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(j.sets[a][0], j.sets[b][0]) })
	values := make([]uint64, len(order))
	for at, i := range order {
		values[at] = j.sets[i][0]
	}
	k := *j.criterion.Distance
	design, _ := tables.PlanPairs(values, 64, k)
	return tables.Pairs(ctx, values, 64, k, tables.PairOptions{Threads: o.Threads, Design: design}, func(p tables.Pair) error {
		return do(order[p.A], order[p.B], hamming.Distance(values[p.A], values[p.B]))
	})
}

// A source is sets in memory.
type source [][]uint64

func (s source) Len() int { return len(s) }

func (s source) Features() (n uint64) {
	for _, set := range s {
		n += uint64(len(set))
	}
	return n
}

func (s source) Scan(do func(features []uint64) error) error {
	for _, set := range s {
		if err := do(set); err != nil {
			return err
		}
	}
	return nil
}
