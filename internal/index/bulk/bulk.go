// Package bulk handles very many documents within a given memory. It keeps their fingerprints in a list that goes to
// a temporary file, sorts the list a part at a time, finds where each document stands in the sorted list, and puts
// documents of equal fingerprints or sets into groups.
package bulk

import (
	"context"
	"sort"
	"unsafe"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/spill"
)

// A List is numbers, in memory or in a temporary file. It must not be used by several goroutines at once.
type List struct{ spill.Bytes }

const size = 8 // bytes of a number

// NewList returns an empty list that holds up to about hold numbers in memory. Its file will be in dir.
func NewList(fsys disk.FS, dir string, hold int) List {
	return List{spill.NewBytes(fsys, dir, size*hold)}
}

// Another returns an empty list that would lie where l lies.
func (l *List) Another() List { return List{l.Bytes.Another()} }

// Append appends numbers, in memory, as the machine has them: the file is read by nobody else.
func (l *List) Append(xs ...uint64) {
	l.Bytes.Append(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), size*len(xs)))
}

// Held returns number i of a list without a file.
func (l *List) Held(i int) uint64 { return numbers(l.At(size*i, size))[0] }

// All returns all numbers: those in memory, or a map of the file, which may be read inside disk.Guarded alone. They
// are valid until All is called again, and must not be changed.
func (l *List) All() ([]uint64, error) {
	all, err := l.Map()
	return numbers(all), err
}

func numbers(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
}

// Options say how much memory to take.
type Options struct {
	Threads int   // at least one
	Memory  int64 // about how many bytes the values take that are sorted; with less, all are read more often
	// Progress, if not nil, is called by Sort with the number of parts that are sorted, and that of all parts.
	Progress func(done, parts int)
}

const (
	// perValue is how many bytes a value takes on each thread while it is sorted, and until it is taken.
	perValue = 48
	// mostParts is the binary logarithm of the largest number of parts.
	mostParts = 12
	// atOnce is how many values are looked at before those of a part are kept.
	atOnce = 1 << 11
)

// partBits returns the binary logarithm of the number of parts in which n values are sorted.
func (o *Options) partBits(n int) (parts int) {
	each := max(1, int(o.Memory/perValue)/max(1, o.Threads))
	for n>>parts > each && parts < mostParts {
		parts++
	}
	return parts
}

// Sort calls emit with the fingerprints of documents in ascending order, some at a time, and with the number of each.
// Equal fingerprints are never in two calls, and are in the order of the documents. The slices are emit's.
// fingerprints have width bits, and document i has fingerprints[i], unless skip says otherwise. The values are read
// once for each part, of those that begin with the same bits; these are sorted together, even if they take more than
// the memory.
//
// The error is that of ctx, or the first one of emit.
func Sort(ctx context.Context, fingerprints []uint64, width int, skip func(doc int) bool, o Options, emit func(values []uint64, docs []uint32) error) error {
	type part struct {
		values []uint64
		docs   []uint32
	}
	topBits := min(o.partBits(len(fingerprints)), width)
	shift := width - topBits
	sorted := func(ctx context.Context, top int) (p part, err error) {
		room := len(fingerprints)>>topBits + len(fingerprints)>>(topBits+5) + 1
		p = part{make([]uint64, 0, room), make([]uint32, 0, room)}
		var values [atOnce]uint64
		var docs [atOnce]uint32
		for from := 0; from < len(fingerprints); from += atOnce {
			if from%(1<<22) == 0 && ctx.Err() != nil {
				return p, context.Cause(ctx)
			}
			n := 0
			for i, x := range fingerprints[from:min(len(fingerprints), from+atOnce)] {
				values[n&(atOnce-1)], docs[n&(atOnce-1)] = x, uint32(from+i)
				if x>>shift == uint64(top) {
					n++
				}
			}
			if top == 0 { // those without a fingerprint are 0
				kept := 0
				for i, doc := range docs[:n] {
					if values[i] != 0 || !skip(int(doc)) {
						values[kept], docs[kept] = values[i], doc
						kept++
					}
				}
				n = kept
			}
			p.values, p.docs = append(p.values, values[:n]...), append(p.docs, docs[:n]...)
		}
		ints.SortPairs(p.values, p.docs)
		return p, nil
	}
	done := 0
	return parallel.Ordered(ctx, o.Threads, 1<<topBits, sorted, func(p part) error {
		err := emit(p.values, p.docs)
		if done++; o.Progress != nil {
			o.Progress(done, 1<<topBits)
		}
		return err
	})
}

// documentsAtOnce is for how many documents Places finds places as one task.
const documentsAtOnce = 1 << 16

// Places calls emit with place>>shift of each document, in their order, some at a time: place is the index of the
// fingerprint of the document among distinct ones, which ascend and have all of them. It is none for a document of
// which skip returns true. There are at most 65,535 places.
//
// The error is that of ctx, or the first one of emit.
func Places(ctx context.Context, fingerprints, distinct []uint64, width, shift int, skip func(doc int) bool, none uint16, threads int, emit func(some []uint16) error) error {
	var begins []uint64 // the first fingerprint of each place
	for at := 0; at < len(distinct); at += 1 << shift {
		begins = append(begins, distinct[at])
	}
	dir := ints.OutlineDirectory(width, ints.DirectoryBits(len(begins), width, 0))
	dir.Build(begins)
	tasks := (len(fingerprints) + documentsAtOnce - 1) / documentsAtOnce
	find := func(ctx context.Context, i int) ([]uint16, error) {
		some := fingerprints[i*documentsAtOnce : min(len(fingerprints), (i+1)*documentsAtOnce)]
		out := make([]uint16, len(some))
		for j, x := range some {
			slot := dir.Slot(x)
			lo, hi := int(dir.Starts[slot]), int(dir.Starts[slot+1])
			if hi-lo <= 4 {
				for lo < hi && begins[lo] <= x {
					lo++
				}
			} else {
				lo += sort.Search(hi-lo, func(n int) bool { return begins[lo+n] > x })
			}
			out[j] = uint16(lo - 1)
			if x == 0 && skip(i*documentsAtOnce+j) {
				out[j] = none
			}
		}
		return out, context.Cause(ctx)
	}
	return parallel.Ordered(ctx, threads, tasks, find, emit)
}
