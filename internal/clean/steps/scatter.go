package steps

import (
	"context"
	"errors"
	"fmt"
	"io"

	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// A record is a set in a scattered file: words of 64 bits. The first has the number of its share, and below that its
// number in the sketch. Of a fingerprint, the second word is this. Of features, the two words of the digest follow,
// the number of features, and these.
const printWords, recordWords = 2, 4

// secPart returns the name of the section of a part, from 0.
func secPart(part int) string { return fmt.Sprintf("part.%d", part) }

// setID returns the first word of a record. Its order is that of sets in the collection.
func setID(share, set int) uint64 { return uint64(share)<<32 | uint64(set) }

// lotOf returns the lot of a fingerprint.
func lotOf(fingerprint uint64) uint64 { return mix(fingerprint) }

// scatter reads a plan and a sketch, and writes the sets of the sketch to a file, part by part. A set goes to each
// part that one of its keys belongs to.
func (c *Command) scatter(ctx context.Context) error {
	return c.reading([]string{planKind, sketchKind}, func(all inputs) error {
		p, err := all.readPlan()
		if err != nil {
			return err
		}
		of := all.of(sketchKind)
		if len(of) != 1 {
			return fmt.Errorf("%d sketches are given: name one", len(of))
		}
		return c.scatterSets(ctx, p, setsOf(of[0]))
	})
}

func (c *Command) scatterSets(ctx context.Context, p *plan, s *sketch) (err error) {
	spools := make([]spill.Lists, p.parts)
	hold := max(1<<12, int(c.How.Memory/4)/p.parts)
	for i := range spools {
		spools[i] = spill.Lists{Bytes: spill.NewBytes(c.How.FS, c.How.Temp, hold)}
		defer func() { err = errors.Join(err, spools[i].Close()) }()
	}
	last := make([]int, p.parts) // the last set of each part, and 1
	var keys []uint64
	err = s.walk(ctx, func(i int, features []uint64, digest [2]uint64) (err error) {
		head, lot := [recordWords]uint64{setID(s.share.Number, i), digest[0], digest[1], uint64(len(features))}, digest[0]
		record := head[:]
		if p.blocks != nil {
			record, lot = head[:printWords-1], lotOf(features[0])
		}
		keys = p.keys(keys[:0], features)
		p.places(keys, lot, func(part int) {
			if last[part] == i+1 {
				return
			}
			last[part] = i + 1
			spools[part].Add(record)
			spools[part].Add(features)
			err = errors.Join(err, spools[part].Flush())
		})
		return err
	})
	if err != nil {
		return err
	}
	h := header{Kind: scatterKind, Criterion: s.header.Criterion, Share: s.Share, Parts: p.parts, Sets: p.sets}
	return c.write(c.In, h, func(w *section.Writer) error {
		for part := range spools {
			w.Begin(secPart(part))
			if _, err := io.Copy(w, spools[part].Reader()); err != nil {
				return err
			}
		}
		return nil
	})
}
