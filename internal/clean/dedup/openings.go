package dedup

import (
	"context"
	"encoding/binary"
	"errors"

	"simsearch/internal/ground/spill"
	"simsearch/internal/match/judge"
	"simsearch/internal/match/setjoin"
)

// newOpenings returns none of the openings of the texts of sets, which package judge describes.
func (c *Collection) newOpenings() *setjoin.Keys {
	return setjoin.NewKeys(spill.NewBytes(c.Options.FS, c.Options.Temp, c.Options.holds()))
}

// openingsOf returns the openings of all sets. It reads the texts again if another run has read some of them.
func openingsOf(ctx context.Context, d *Decisions) (*setjoin.Keys, error) {
	c := d.c
	if c.openings.Len() == len(c.Sizes) {
		return c.openings, nil
	}
	if err := c.openings.Close(); err != nil {
		return nil, err
	}
	c.openings = c.newOpenings()
	docs := make([]uint32, 0, len(d.best))
	for _, doc := range d.best {
		if doc != NoSet {
			docs = append(docs, doc)
		}
	}
	t, err := readOf(ctx, d, docs, func(text []byte) []byte {
		of, _ := binary.Append(nil, binary.LittleEndian, judge.AppendOpenings(nil, text)) // numbers have a size
		return of
	})
	for set := 0; set < len(c.Sizes) && err == nil; set++ {
		var of []uint32
		if i := t.at(d.best[set]); i > 0 {
			raw := t.records.At(i - 1)
			of = make([]uint32, len(raw)/4)
			_, _ = binary.Decode(raw, binary.LittleEndian, of)
		}
		c.openings.Add(of)
		err = c.openings.Flush()
	}
	return c.openings, errors.Join(err, t.records.Close())
}
