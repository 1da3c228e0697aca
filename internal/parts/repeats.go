package parts

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"simsearch/internal/disk"
	"simsearch/internal/parallel"
	"simsearch/internal/spill"
)

// Repeats finds which of many keys have occurred before. Keys are numbered from 0 in the order in which they are
// added. They lie in temporary files beyond about 64 MiB.
type Repeats struct {
	next   uint32
	shares [shares]share
}

// shares is into how many shares the keys are divided, by their first bits.
const shares, shareBits = 64, 6

// A share is the keys that begin with the same bits, each with its number, in recordSize bytes.
type share struct {
	records spill.Bytes
	last    []byte // those still to be added to records
}

// recordSize is the size of a key and its number in a file.
const recordSize = 12

// shareBuffer is how many bytes of records are added to a spool at a time.
const shareBuffer = 4096 * recordSize

// MostKeys is how many keys there may be.
const MostKeys = 1<<32 - 2

// ErrMany is returned for more than MostKeys keys.
var ErrMany = fmt.Errorf("more than %d lines or paragraphs", uint32(MostKeys))

// NewRepeats returns Repeats without keys. Its files will be in dir, or in the directory of the system for temporary
// files if dir is empty.
func NewRepeats(fsys disk.FS, dir string) *Repeats {
	r := &Repeats{}
	for i := range r.shares {
		r.shares[i].records = spill.NewBytes(fsys, dir, spill.Holds/shares)
	}
	return r
}

// Len returns how many numbers have been given.
func (r *Repeats) Len() uint32 { return r.next }

// Skip gives the next number to something without a key, which is no repeat. The error is ErrMany.
func (r *Repeats) Skip() error {
	if r.next == MostKeys {
		return ErrMany
	}
	r.next++
	return nil
}

// Add adds a key with the next number. The error is ErrMany, or that of the file system.
func (r *Repeats) Add(key uint64) error {
	s := &r.shares[key>>(64-shareBits)]
	if len(s.last)+recordSize > cap(s.last) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.last = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(s.last, key), r.next)
	return r.Skip()
}

func (s *share) flush() error {
	if len(s.last) > 0 {
		s.records.Add(s.last)
	}
	// The first buffer is small, since most collections are.
	s.last = make([]byte, 0, min(shareBuffer, max(64*recordSize, 2*cap(s.last))))
	return s.records.Flush()
}

// Find calls found with the number of each key that has occurred before, and with the number of its first occurrence,
// from several goroutines and in any order. It may be called with the same numbers again. Find takes up to 64 bytes for
// a distinct key, but about the given memory at most, unless that is 0: it reads the keys several times then. The error
// is that of found, of the file system, or the cause of ctx.
func (r *Repeats) Find(ctx context.Context, threads int, memory int64, found func(n, first uint32) error) error {
	slots := math.MaxInt / slotSize
	if memory > 0 {
		slots = int(memory / int64(max(1, threads)) / slotSize)
	}
	work := func(ctx context.Context, i int) (struct{}, error) {
		s := &r.shares[i]
		if err := s.flush(); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.find(ctx, max(slots, leastSlots), found)
	}
	return parallel.Ordered(ctx, threads, shares, work, func(struct{}) error { return nil })
}

// find finds the repeats in a share by a table of keys. If that is full, it goes on with fewer of the keys, and comes
// back to the others.
func (s *share) find(ctx context.Context, slots int, found func(n, first uint32) error) error {
	for from, last := uint64(0), uint64(0); last < math.MaxUint64; from = last + 1 {
		t := newFirsts(slots)
		last = math.MaxUint64 // keys after it are left for later
		err := s.scan(ctx, func(key uint64, n uint32) error {
			for spread := key << shareBits; from <= spread && spread <= last; {
				if first, ok := t.add(key, n); ok {
					if first == n {
						return nil
					}
					return found(n, first)
				}
				last = from + (last-from)/2
				t.keep(func(key uint64) bool { return key<<shareBits <= last })
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// scan calls do with each key and its number.
func (s *share) scan(ctx context.Context, do func(key uint64, n uint32) error) error {
	from := s.records.Reader()
	buffer := make([]byte, shareBuffer)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := io.ReadFull(from, buffer)
		for b := buffer[:n]; len(b) >= recordSize; b = b[recordSize:] {
			if err := do(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			if n%recordSize > 0 {
				return spill.ErrCut
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// Close removes the files.
func (r *Repeats) Close() (err error) {
	for i := range r.shares {
		err = errors.Join(err, r.shares[i].records.Close())
		r.shares[i] = share{}
	}
	return err
}

// Firsts are keys and the numbers of their first occurrences: a hash table with open addressing.
type firsts struct {
	slots []first // a power of two of them
	used  int
	most  int // slots
}

// A first is a key and one more than its number. It is empty if that is 0.
type first struct {
	key uint64
	n   uint64
}

const slotSize, leastSlots = 16, 1 << 10

// newFirsts returns an empty table of up to the given number of slots, at least leastSlots.
func newFirsts(most int) *firsts { return &firsts{slots: make([]first, leastSlots), most: most} }

// add returns the number with which a key was added first, which is n if it is new. ok is false if it is new and there
// is no room for it.
func (t *firsts) add(key uint64, n uint32) (number uint32, ok bool) {
	s := t.slot(key)
	if s.n > 0 {
		return uint32(s.n - 1), true
	}
	if t.used == len(t.slots)/4*3 {
		if 2*len(t.slots) > t.most {
			return 0, false
		}
		t.fill(make([]first, 2*len(t.slots)))
		s = t.slot(key)
	}
	*s = first{key, uint64(n) + 1}
	t.used++
	return n, true
}

// slot returns the slot that has a key, or an empty one for it.
func (t *firsts) slot(key uint64) *first {
	mask := uint64(len(t.slots) - 1)
	for i := key * 0x9e3779b97f4a7c15 >> 20 & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.n == 0 || s.key == key {
			return s
		}
	}
}

// keep drops the keys for which stays returns false.
func (t *firsts) keep(stays func(key uint64) bool) {
	var kept []first
	for _, s := range t.slots {
		if s.n > 0 && stays(s.key) {
			kept = append(kept, s)
		}
	}
	clear(t.slots)
	t.used = len(kept)
	for _, s := range kept {
		*t.slot(s.key) = s
	}
}

// fill moves all keys to other slots.
func (t *firsts) fill(slots []first) {
	old := t.slots
	t.slots = slots
	for _, s := range old {
		if s.n > 0 {
			*t.slot(s.key) = s
		}
	}
}
