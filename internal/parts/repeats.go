package parts

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"simsearch/internal/disk"
	"simsearch/internal/parallel"
	"simsearch/internal/spill"
)

// Repeats finds which of many keys have occurred before. Keys are numbered from 0 in the order in which they are
// added. They take eight bytes each, in a temporary file beyond 64 MiB.
type Repeats struct {
	next uint32
	keys spill.Bytes
	last []byte // those still to be added to keys
}

const (
	keySize  = 8
	keyBytes = 1 << 16 // that are added to the spool at a time
)

// MostKeys is how many keys there may be.
const MostKeys = 1<<32 - 2

// ErrMany is returned for more than MostKeys keys.
var ErrMany = fmt.Errorf("more than %d lines or paragraphs", uint32(MostKeys))

// NewRepeats returns Repeats without keys. Its file will be in dir, or in the directory of the system for temporary
// files if dir is empty.
func NewRepeats(fsys disk.FS, dir string) *Repeats {
	return &Repeats{keys: spill.NewBytes(fsys, dir, spill.Holds)}
}

// Len returns how many numbers have been given.
func (r *Repeats) Len() uint32 { return r.next }

// Add gives the next number to a key, or for 0 to something without a key, which is no repeat. The error is ErrMany, or that
// of the file system.
func (r *Repeats) Add(key uint64) error {
	if r.next == MostKeys {
		return ErrMany
	}
	r.next++
	if r.last = binary.LittleEndian.AppendUint64(r.last, key); len(r.last) < keyBytes {
		return nil
	}
	return r.flush()
}

func (r *Repeats) flush() error {
	r.keys.Add(r.last)
	r.last = make([]byte, 0, keyBytes)
	return r.keys.Flush()
}

// Find calls found with the number of each key that has occurred before, and with the number of its first occurrence,
// from several goroutines and in any order. No key is added afterwards. Find takes up to 64 bytes for a distinct key, but
// about the given memory at most, unless that is 0: it reads the keys several times then. The error is that of found, of the
// file system, or the cause of ctx.
func (r *Repeats) Find(ctx context.Context, threads int, memory int64, found func(n, first uint32) error) error {
	if err := r.flush(); err != nil {
		return err
	}
	const held, mostShares = 64, 1 << 16
	shares := int64(max(1, threads)) // of the keys, each of which is read for itself
	if memory > 0 {
		shares = min(max(shares, shares*held*int64(r.next)/memory), mostShares)
	}
	work := func(ctx context.Context, i int) (struct{}, error) {
		firsts := map[uint64]uint32{}
		err := r.scan(ctx, func(key uint64, n uint32) error {
			if key == 0 || key%uint64(shares) != uint64(i) {
				return nil
			}
			if first, ok := firsts[key]; ok {
				return found(n, first)
			}
			firsts[key] = n
			return nil
		})
		return struct{}{}, err
	}
	return parallel.Ordered(ctx, threads, int(shares), work, func(struct{}) error { return nil })
}

// scan calls do with each key and its number.
func (r *Repeats) scan(ctx context.Context, do func(key uint64, n uint32) error) error {
	from := r.keys.Reader()
	buffer := make([]byte, keyBytes)
	for at := uint32(0); at < r.next; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := io.ReadFull(from, buffer[:min(keyBytes, keySize*int64(r.next-at))])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return spill.ErrCut
		} else if err != nil {
			return err
		}
		for b := buffer[:n]; len(b) > 0; b = b[keySize:] {
			if err := do(binary.LittleEndian.Uint64(b), at); err != nil {
				return err
			}
			at++
		}
	}
	return nil
}

// Close removes the file.
func (r *Repeats) Close() error { return r.keys.Close() }
