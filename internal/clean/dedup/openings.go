package dedup

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/judge"
)

// openings are those of the texts of sets, in the order of these, as package judge says.
type openings struct {
	spill.Bytes
	counts []uint8
	all    int
	buffer []byte
}

func newOpenings(o *Options) *openings {
	return &openings{Bytes: spill.NewBytes(o.FS, o.Temp, o.holds())}
}

// add adds those of the next set.
func (o *openings) add(of []uint32) {
	o.buffer = o.buffer[:0]
	for _, h := range of {
		o.buffer = binary.LittleEndian.AppendUint32(o.buffer, h)
	}
	o.Append(o.buffer)
	o.counts, o.all = append(o.counts, uint8(len(of))), o.all+len(of)
}

// Flush writes to a file what exceeds the memory.
func (o *openings) Flush() error {
	if o == nil {
		return nil
	}
	return o.Bytes.Flush()
}

// Close removes the file.
func (o *openings) Close() error {
	if o == nil {
		return nil
	}
	return o.Bytes.Close()
}

// openingsOf returns the openings of sets as setjoin.Keyed wants them. It reads the documents again if another run has
// read some of them.
func openingsOf(ctx context.Context, d *Decisions) (iter.Seq2[uint64, error], error) {
	c := d.c
	if len(c.openings.counts) < len(c.Sizes) {
		if err := c.openings.Close(); err != nil {
			return nil, err
		}
		if c.openings = newOpenings(&c.Options); len(c.Sizes) > 0 {
			if err := readOpenings(ctx, d); err != nil {
				return nil, err
			}
		}
	}
	return func(yield func(uint64, error) bool) {
		room := cmp.Or(c.Options.PartBytes, int(max(1<<20, c.Options.Memory/1024))) // of 16 bytes each
		passes := uint64(1 + c.openings.all/room)
		var keys, scratch []uint64
		for pass := range passes { // those of a part of all hashes
			from, to := uint32(pass*(1<<32)/passes), uint32((pass+1)*(1<<32)/passes-1)
			keys = keys[:0]
			err := c.openings.Scan(c.openings.length, func(set int, of []byte) error {
				if set%batchDocuments == 0 && ctx.Err() != nil {
					return context.Cause(ctx)
				}
				for ; len(of) > 0 && c.Sizes[set] > 0; of = of[4:] {
					if h := binary.LittleEndian.Uint32(of); from <= h && h <= to {
						keys = append(keys, uint64(h)<<32|uint64(d.placeOf(uint32(set))))
					}
				}
				return nil
			})
			if len(scratch) < len(keys) {
				scratch = make([]uint64, len(keys))
			}
			ints.Sort(keys, scratch[:len(keys)])
			for i, key := range keys {
				alone := (i == 0 || keys[i-1]>>32 != key>>32) && (i+1 == len(keys) || keys[i+1]>>32 != key>>32)
				if err == nil && !alone && !yield(key, nil) {
					return
				}
			}
			if err != nil {
				yield(0, err)
				return
			}
		}
	}, nil
}

func (o *openings) length(set int) (n int, ok bool) {
	if set >= len(o.counts) {
		return 0, false
	}
	return 4 * int(o.counts[set]), true
}

// readOpenings reads the texts of all sets for their openings.
func readOpenings(ctx context.Context, d *Decisions) error {
	c := d.c
	docs := make([]uint32, 0, len(d.best))
	for _, doc := range d.best {
		if doc != NoSet {
			docs = append(docs, doc)
		}
	}
	t, err := readOf(ctx, d, docs, func(text []byte) (of []byte) {
		for _, h := range judge.AppendOpenings(nil, text) {
			of = binary.LittleEndian.AppendUint32(of, h)
		}
		return of
	})
	for set := 0; set < len(c.Sizes) && err == nil; set++ {
		var of []uint32
		if i, ok := t.of[d.best[set]]; ok {
			raw := t.records.At(i)
			for ; len(raw) > 0; raw = raw[4:] {
				of = append(of, binary.LittleEndian.Uint32(raw))
			}
		}
		c.openings.add(of)
		err = c.openings.Flush()
	}
	return errors.Join(err, t.records.Close())
}
