package dedup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/memory"
	"simsearch/internal/parallel"
	"simsearch/internal/parts"
	"simsearch/internal/rewrite"
	"simsearch/internal/spill"
	"simsearch/preprocess"
)

// A Level is what is removed from a collection: documents, or parts of their texts.
type Level = parts.Level

// The levels.
const (
	Documents  = parts.Document
	Paragraphs = parts.Paragraph // the stretches of a text between blank lines
	Lines      = parts.Line
)

// ParseLevel returns the level called "document", "paragraph" or "line". The error lists these names.
func ParseLevel(name string) (Level, error) { return parts.ParseLevel(name) }

// DefaultMinWords is the usual Options.MinWords. Shorter parts, such as headings, answers in a dialogue or lines of a
// program, recur in texts that have nothing else in common.
const DefaultMinWords = 8

// nearFeatures is the least number of features of parts that are compared for near ones. Where there are fewer, one
// name or number that is another one may be all that a part says.
const nearFeatures = 20

// Cut writes the files of inputs again to dir/kept, as rewrite.File does, without the lines or paragraphs that occur
// again, as o.By says. It also writes the lists CutName and RemovedName, and a report. What inputs, refs and dir are is
// said at Read and Collection.Write. No part of refs is cut. Options.Keep, Chain and Annotate have no effect.
//
// A part occurs again if it has the same words in the same order; case, punctuation and white space do not count. Its
// first occurrence in the order of the input stays, and the others are cut. Of these first occurrences, one with
// 20 features or more is cut, too, if its Jaccard similarity with one before it that stays is Options.Threshold or
// more, unless that is 1. A part of fewer than Options.MinWords words stays, except in a document of which nothing
// else would be left but parts that occur before: such a document is removed, since a text that is empty or has a
// heading alone is of no use to what comes after.
//
// What is cut depends on the documents and the options alone, not on threads or memory. The error is ErrText if
// an input has a format in which texts cannot be replaced, or that of Read, of rewrite.File, of the file system, or the cause of ctx. There must be one text field.
func Cut(ctx context.Context, refs, inputs []string, dir string, o Options) (r CutResult, err error) {
	p, err := divide(ctx, refs, inputs, o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := p.decide(ctx); err != nil {
		return r, err
	}
	return p.write(ctx, dir)
}

// CutStream is Cut for standard input, which is o.Corpus.Stdin, an io.Seeker. It writes to w, and no lists.
func CutStream(ctx context.Context, refs []string, w io.Writer, o Options) (r CutResult, err error) {
	p, err := divide(ctx, refs, []string{corpus.Stdin.Path}, o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := p.decide(ctx); err != nil {
		return r, err
	}
	return p.stream(ctx, w)
}

// ErrText is returned if the texts of documents cannot be replaced.
var ErrText = rewrite.ErrText

// A divided collection is the lines or paragraphs of the documents of some files, as far as decisions need them: their
// ids and 28 bytes for each document, four bits for each part, eight bytes for each part that may be near others, and
// 16 for each one that is, in memory; keys, features and the places of what is kept beyond some size in temporary
// files. The files must not change until they have been read again.
type divided struct {
	*Collection
	partEnds []uint32 // the parts of each document end before this one
	long     bitset   // those of Options.MinWords words or more
	short    bitset   // the others that have a word
	keys     *parts.Repeats

	// The sets of the Collection are those of long parts, which may be near. Some occurrences of equal parts are left out.
	setOf  []uint32   // the part that each set is of
	recent []uint64   // keys of such parts
	large  sync.Mutex // held while a large part is analysed

	unsaved unsavedParts // with Options.State

	partDecisions
}

// divide reads the documents of inputs as Read does, and divides them.
func divide(ctx context.Context, refs, inputs []string, o Options) (*divided, error) {
	if strings.Contains(o.Corpus.TextField, ",") {
		return nil, fmt.Errorf("several text fields, %s: name the one that is cut", o.Corpus.TextField)
	}
	if _, indexes := splitIndexes(refs); len(indexes) > 0 {
		return nil, fmt.Errorf("%s is an index, which has no %ss: name the files that it was made of", indexes[0], o.By)
	}
	if o.FS == nil {
		o.FS = disk.OS
	}
	o.Memory = memory.Or(o.Memory)
	o.Annotate = false
	p := &divided{}
	if _, err := read(ctx, refs, inputs, o, p); err != nil {
		if p.keys != nil {
			err = errors.Join(err, p.keys.Close())
		}
		return nil, err
	}
	p.recent = nil
	return p, nil
}

// begin makes p that of c, without any document.
func (p *divided) begin(c *Collection) (err error) {
	if p.keys != nil {
		err = p.keys.Close()
	}
	*p = divided{Collection: c, keys: parts.NewRepeats(c.o.FS, c.o.Temp), recent: make([]uint64, recentKeys)}
	return err
}

// recentKeys is how many keys of parts are remembered, so that the features of one that occurs all over need not be
// kept again and again.
const recentKeys = 1 << 17

// Close removes the temporary files.
func (p *divided) Close() error {
	return errors.Join(p.keys.Close(), p.partDecisions.close(), p.Collection.Close())
}

// near reports whether parts are compared for near ones.
func (p *divided) near() bool { return p.o.Threshold < 1 }

// A textBatch is some documents, and what is known of their parts.
type textBatch struct {
	ids, texts []byte
	idEnds     []int
	textEnds   []int

	digests  []uint64
	partEnds []int
	keys     []uint64 // of the parts; 0 if it has no word
	short    []bool
	sizes    []int // of the sets of features; 0 if there is none
	features []uint64
}

// textBytes is the size of the texts of a batch.
const textBytes = 1 << 20

// readTexts reads the parts of documents.
func (p *divided) readTexts(ctx context.Context, a *analysis.Analysis, documents iter.Seq2[*document.Document, error], progress func()) error {
	work := func(_ context.Context, b *textBatch) (*textBatch, error) {
		p.analyse(a, b)
		return b, nil
	}
	return parallel.Stream(ctx, p.o.Threads, textBatches(documents), work, func(b *textBatch) error {
		progress()
		return p.take(b)
	})
}

func textBatches(documents iter.Seq2[*document.Document, error]) iter.Seq2[*textBatch, error] {
	return func(yield func(*textBatch, error) bool) {
		b := &textBatch{}
		for doc, err := range documents {
			if err != nil {
				yield(nil, err)
				return
			}
			b.ids, b.texts = append(b.ids, doc.ID...), append(b.texts, doc.Text...)
			b.idEnds, b.textEnds = append(b.idEnds, len(b.ids)), append(b.textEnds, len(b.texts))
			if len(b.texts) >= textBytes || len(b.idEnds) >= batchDocuments {
				if !yield(b, nil) {
					return
				}
				b = &textBatch{}
			}
		}
		if len(b.idEnds) > 0 {
			yield(b, nil)
		}
	}
}

// analyse divides the texts of a batch, and finds the keys and features of their parts.
func (p *divided) analyse(a *analysis.Analysis, b *textBatch) {
	var s analysis.Scratch
	var list []parts.Part
	var words []byte
	from := 0
	for _, end := range b.textEnds {
		text := b.texts[from:end]
		from = end
		b.digests = append(b.digests, digest(text))
		list = parts.Split(list[:0], text, p.o.By)
		for _, part := range list {
			var set []uint64
			var key uint64
			var short bool
			if part.Start < part.End {
				set = p.set(a, &s, text[part.Start:part.End])
			}
			if len(set) > 0 {
				words = appendWords(words[:0], a.Settings().SetFeatures, &s.Document)
				key, short = max(1, murmur3.Sum64(words)), s.Document.Words() < p.o.MinWords
			}
			if short || len(set) < nearFeatures || !p.near() {
				set = nil
			}
			b.keys, b.short, b.sizes, b.features = append(b.keys, key), append(b.short, short), append(b.sizes, len(set)), append(b.features, set...)
			if part.End-part.Start > textBytes {
				s = analysis.Scratch{}
			}
		}
		b.partEnds = append(b.partEnds, len(b.keys))
	}
	b.texts = nil
}

// set returns the features of a part. Large ones come one after the other, since they take much memory.
func (p *divided) set(a *analysis.Analysis, s *analysis.Scratch, text []byte) []uint64 {
	if len(text) > textBytes {
		p.large.Lock()
		defer p.large.Unlock()
	}
	return a.Set(s, text)
}

// appendWords appends the words of which doc has features of a kind, with a space between two.
func appendWords(dst []byte, f preprocess.FeatureSpec, doc *preprocess.Document) []byte {
	text, spans := doc.Features()
	if f.Kind == preprocess.WordN || f.Kind == preprocess.CharN {
		return append(dst, text...) // it is that already
	}
	for _, w := range spans {
		dst = append(append(dst, text[w[0]:w[1]]...), ' ')
	}
	return dst
}

// take remembers a batch.
func (p *divided) take(b *textBatch) error {
	id, text, part, feature := 0, 0, 0, 0
	for i := range b.digests {
		if len(p.of) == maxDocuments {
			return fmt.Errorf("more than %d documents", maxDocuments)
		}
		p.lengths = append(p.lengths, uint32(min(b.textEnds[i]-text, 1<<32-1)))
		p.digests = append(p.digests, b.digests[i])
		p.of = append(p.of, noSet)
		p.ids = append(p.ids, b.ids[id:b.idEnds[i]]...)
		p.idEnds = append(p.idEnds, uint64(len(p.ids)))
		for ; part < b.partEnds[i]; part++ {
			set := b.features[feature : feature+b.sizes[part]]
			feature += len(set)
			if err := p.takePart(b.keys[part], b.short[part], set); err != nil {
				return err
			}
		}
		p.partEnds = append(p.partEnds, p.keys.Len())
		id, text = b.idEnds[i], b.textEnds[i]
	}
	return p.sets.Flush()
}

func (p *divided) takePart(key uint64, short bool, set []uint64) error {
	n := p.keys.Len()
	p.long, p.short = p.long.grow(n+1), p.short.grow(n+1)
	if p.journal != nil {
		p.unsaved.add(key, short)
		p.journal.bytes += unsavedBytes
	}
	if key == 0 {
		return p.keys.Skip()
	}
	if short {
		p.short.set(n)
	} else {
		p.long.set(n)
	}
	if len(set) > 0 {
		if at := &p.recent[key%recentKeys]; *at != key {
			*at = key
			p.setOf, p.sizes = append(p.setOf, n), append(p.sizes, uint32(len(set)))
			p.features += uint64(len(set))
			p.sets.Add(set)
		}
	}
	return p.keys.Add(key)
}

// partsOf returns the numbers of the parts of a document: [from, to).
func (p *divided) partsOf(doc uint32) (from, to uint32) {
	if doc > 0 {
		from = p.partEnds[doc-1]
	}
	return from, p.partEnds[doc]
}

// sorter returns a sorter for numbers of parts.
func (p *divided) sorter() *spill.Sorter {
	const held, least = 16, 1 << 12
	return spill.NewSorter(p.o.FS, p.o.Temp, int(max(least, p.o.Memory/8/held)))
}
