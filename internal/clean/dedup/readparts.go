package dedup

import (
	"fmt"
	"strings"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/features/analysis"
	"simsearch/preprocess"
)

// DefaultMinWords is the usual Options.MinWords. Shorter parts, such as headings, answers in a dialogue or lines of a
// program, recur in texts that have nothing else in common.
const DefaultMinWords = 8

// nearFeatures is the least number of features of parts that are compared for near ones. Where there are fewer, one
// name or number that is another one may be all that a part says.
const nearFeatures = 20

// ErrText is returned if the texts of documents cannot be replaced.
var ErrText = rewrite.ErrText

// textBytes is the size of a part whose analysis takes much memory.
const textBytes = 1 << 20

// divide divides the texts of some documents, and finds the keys and features of their parts.
func (o *Options) divide(a *analysis.Analysis, b *analysis.Batch) []docRecord {
	var scratch analysis.Scratch
	var list []Part
	var words []byte
	var features []uint64
	records := make([]docRecord, b.Len())
	for i := range records {
		doc := b.Result(i)
		list = split(list[:0], doc.Text, o.By)
		r := docRecord{
			id:     doc.ID,
			length: uint32(min(len(doc.Text), 1<<32-1)), digest: digest(doc.Text), units: make([]unit, len(list)),
		}
		r.isAt(doc.Origin, doc.Fields)
		for j, part := range list {
			if part.Start == part.End {
				continue
			}
			set := a.Set(&scratch, doc.Text[part.Start:part.End])
			if scratch.Document.Words() > 0 { // a line of signs alone is no repetition
				words = appendWords(words[:0], a.Settings().SetFeatures, &scratch.Document)
				u := unit{digest: analysis.Digest{max(1, murmur3.Sum64(words))}}
				from := len(features)
				if u.short = scratch.Document.Words() < o.MinWords; !u.short && o.Threshold < 1 && len(set) >= nearFeatures {
					features = append(features, set...)
				} else {
					features = append(features, ^u.digest[0]) // which no other part has
				}
				u.set = features[from:len(features):len(features)]
				r.units[j] = u
			}
			if part.End-part.Start > textBytes {
				scratch = analysis.Scratch{}
			}
		}
		records[i] = r
	}
	return records
}

// appendWords appends the words of which doc has features of a kind, with a space between two.
func appendWords(dst []byte, f preprocess.FeatureSpec, doc *preprocess.Document) []byte {
	text, spans := doc.Features()
	if f.Kind != preprocess.Words && f.Kind != preprocess.Items {
		return append(dst, text...) // it is that already
	}
	for _, w := range spans {
		dst = append(append(dst, text[w[0]:w[1]]...), ' ')
	}
	return dst
}

// checkParts returns an error unless texts of the inputs can be divided.
func checkParts(refs []string, o Options) error {
	if strings.Contains(o.Corpus.TextField, ",") {
		return fmt.Errorf("several text fields, %s: name the one that is cut", o.Corpus.TextField)
	}
	if _, indexes := splitIndexes(refs); len(indexes) > 0 {
		return fmt.Errorf("%s is an index, which has no %ss: name the files that it was made of", indexes[0], o.By)
	}
	return nil
}
