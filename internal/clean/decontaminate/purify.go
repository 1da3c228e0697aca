package decontaminate

import (
	"bytes"
	"context"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/document"
	"simsearch/internal/match/sequences"
)

// A purified says what has become of a file.
type purified struct {
	removed, changed int
	bytes            int64 // that are cut
	rewrite.Result
}

// purify writes the files again without what is found in them.
func (j *job) purify() error {
	if j.o.Purify == Nothing {
		return nil
	}
	return run.EachFile(j.Run, j.purifyFile, func(file int, p purified) error {
		s := &j.report.Sources[file]
		s.Removed, s.Changed, s.CutBytes = p.removed, p.changed, p.bytes
		if p.Lost != nil {
			j.report.Warnings.Add("%s is damaged: what follows the damage is neither compared nor written.", s.Path)
		}
		return nil
	})
}

func (j *job) purifyFile(ctx context.Context, file int) (p purified, err error) {
	c := cutter{job: j, file: file, next: j.found.first[file], words: new(sequences.Words), finding: finding{finder: j.finder}}
	c.Result, err = j.Rewrite(ctx, file, c.decide)
	if err == nil && (c.number != j.report.Sources[file].Documents || c.next != j.found.first[file+1]) {
		err = run.Changed(j.Files[file].Path)
	}
	return c.purified, err
}

// A cutter decides on the documents of a file.
type cutter struct {
	*job
	purified
	file, number, next int // number is of the document, and next of the find
	words              *sequences.Words
	hashes             []uint64
	finding            finding
	find               find
	left               []byte
}

func (c *cutter) decide(doc *document.Document) (d rewrite.Decision, err error) {
	number := c.number
	c.number++
	if c.next == c.found.first[c.file+1] {
		return d, nil
	}
	if c.find = c.found.get(c.next); c.find.number != number {
		return d, nil
	}
	c.next++
	if murmur3.Sum64(doc.Text) != c.find.digest || !bytes.Equal(doc.ID, c.find.id) {
		return d, run.Changed(doc.Source)
	}
	if len(c.find.covered) == 0 { // nothing that counts
		return d, nil
	}
	if c.o.Purify == Passages {
		if c.cut(doc.Text, c.find.covered); len(c.hashes) > 0 {
			c.changed++
			c.bytes += int64(len(doc.Text) - len(c.left))
			return rewrite.Decision{Replace: true, Text: c.left}, nil
		}
	}
	c.removed++
	c.bytes += int64(len(doc.Text))
	return rewrite.Decision{Drop: true}, nil
}

// cut sets left to a text without what is found in it, and hashes to the words of that. Where something was cut,
// words may have come together that are words of an item: they are cut, too.
func (c *cutter) cut(text []byte, found []span) {
	c.left = sequences.Without(c.left[:0], text, found)
	for {
		c.hashes = c.words.AppendTo(c.hashes[:0], c.left)
		_, covered := c.finding.find(c.hashes)
		if len(covered) == 0 {
			return
		}
		places := c.words.LastPlaces(c.left)
		for i, s := range covered {
			covered[i] = span{places[s[0]][0], places[s[1]-1][1]}
		}
		c.left = sequences.Without(nil, c.left, covered)
	}
}
