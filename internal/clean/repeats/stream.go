package repeats

import (
	"encoding/binary"
	"slices"
	"sort"

	"simsearch/internal/ground/spill"
)

// A part is the words of some documents, as their hashes: those of all documents as they are read, and then, after
// each pass, those of the documents of which something was cut. Each document has a zero behind it, which is the hash
// of no word.
type part struct {
	store  spill.Bytes
	data   []byte        // 8 bytes a word, when all have been added
	docs   []uint32      // ascending; nil if they are all
	starts []uint64      // of each, in words, and one more: the number of words and zeros
	rows   []uint32      // of each, where its rows begin among those of all parts, and one more; none in the first part
	stays  spill.Records // what stays of each; none in the first part
}

// A position is a word of a part: the number of the part in the upper bits, and of the word in the lower ones.
// Positions of one document in one part ascend.
type position = uint64

const wordBits = 48

func positionOf(part int, word uint64) position { return uint64(part)<<wordBits | word }

func partOf(p position) int { return int(p >> wordBits) }

func wordOf(p position) uint64 { return p & (1<<wordBits - 1) }

// size returns the number of words of the i-th document.
func (p *part) size(i int) int { return int(p.starts[i+1]-p.starts[i]) - 1 }

// add adds the words of a document, encoded.
func (p *part) add(data []byte) {
	p.starts = append(p.starts, p.starts[len(p.starts)-1]+uint64(len(data)/8))
	p.store.Append(data)
}

// finish makes what was added ready to be read.
func (p *part) finish() (err error) {
	if p.data, err = p.store.Map(); err == nil {
		err = p.stays.Map()
	}
	return err
}

// bytesAt returns the bytes of words.
func (p *part) bytesAt(from, to uint64) []byte { return p.data[8*from : 8*to] }

// wordAt returns a word.
func (p *part) wordAt(at uint64) uint64 { return binary.LittleEndian.Uint64(p.data[8*at:]) }

// appendWords appends the words from one to before another.
func (p *part) appendWords(dst []uint64, from, to uint64) []uint64 {
	data := p.bytesAt(from, to)
	for ; len(data) > 0; data = data[8:] {
		dst = append(dst, binary.LittleEndian.Uint64(data))
	}
	return dst
}

// document returns the place of a document in the part, if it has it.
func (p *part) document(doc uint32) (i int, ok bool) {
	if p.docs == nil {
		return int(doc), true
	}
	return slices.BinarySearch(p.docs, doc)
}

// newPart returns an empty part, of all documents if docs is nil.
func (e *engine) newPart(docs []uint32) *part {
	return &part{store: e.newBytes(), stays: spill.Records{Bytes: e.newBytes()}, docs: docs, starts: []uint64{0}}
}

// count returns the number of documents.
func (e *engine) count() int { return len(e.parts[0].starts) - 1 }

// latest returns the last part that has a document, and its place there.
func (e *engine) latest(doc uint32) (number, i int) {
	for k := len(e.parts) - 1; ; k-- {
		if i, ok := e.parts[k].document(doc); ok {
			return k, i
		}
	}
}

// documentAt returns the document that has a position, and the number of the word in it.
func (e *engine) documentAt(at position) (doc uint32, word int) {
	p, w := e.parts[partOf(at)], wordOf(at)
	i := sort.Search(len(p.starts), func(i int) bool { return p.starts[i] > w }) - 1
	if doc = uint32(i); p.docs != nil {
		doc = p.docs[i]
	}
	return doc, int(w - p.starts[i])
}
