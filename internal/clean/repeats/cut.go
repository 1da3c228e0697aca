package repeats

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/match/sequences"
)

// A span is bytes of a text.
type span = sequences.Span

// A reader is the working memory of reading texts. It must not be used by several goroutines at once.
type reader struct {
	words  sequences.Words
	hashes []uint64
	text   []byte
}

// largeBytes is the size of texts whose working memory is not kept.
const largeBytes = 1 << 20

// shrink gives up the memory that a large text has taken.
func (r *reader) shrink(text []byte) {
	if len(text) > largeBytes {
		*r = reader{}
	}
}

// encoded returns the words of a document as a part has them, with a zero behind them.
func encoded(words []uint64) []byte {
	data := make([]byte, 8*len(words)+8)
	_, _ = binary.Encode(data, binary.LittleEndian, words) // which has room
	return data
}

// spansOf returns which bytes of a text are cut with pieces of it, whose words have given places, and those of each
// piece. Pieces that follow each other or overlap are cut as one. Words of texts without spaces overlap: what stays
// loses none of its characters.
func spansOf(pieces []piece, places [][2]int) (cut, each []span) {
	for i := 0; i < len(pieces); {
		n := i + 1
		for n < len(pieces) && pieces[n].from <= pieces[n-1].to {
			n++
		}
		from, to := int(pieces[i].from), int(pieces[n-1].to)
		is := span{places[from][0], places[to-1][1]}
		if from > 0 {
			is[0] = max(is[0], places[from-1][1])
		}
		if to < len(places) {
			is[1] = max(is[0], min(is[1], places[to][0]))
		}
		cut = append(cut, is)
		for ; i < n; i++ {
			start := min(is[1], max(is[0], places[pieces[i].from][0]))
			each = append(each, span{start, max(start, min(is[1], places[pieces[i].to-1][1]))})
		}
	}
	return cut, each
}

// within returns parts of what parts of a text are together, as parts of the text.
func within(parts, of []span) (out []span) {
	i, before := 0, 0 // before is how many bytes the parts before part i have
	for _, s := range of {
		for from := s[0]; from < s[1]; {
			for size := parts[i][1] - parts[i][0]; from >= before+size; size = parts[i][1] - parts[i][0] {
				before += size
				i++
			}
			to := min(s[1], before+parts[i][1]-parts[i][0])
			out = append(out, span{parts[i][0] + from - before, parts[i][0] + to - before})
			from = to
		}
	}
	return out
}

// outer returns the bytes of a text from the first to the last of a span of what parts of it are together.
func outer(parts []span, s span) span {
	if s[0] >= s[1] {
		return span{}
	}
	list := within(parts, []span{s})
	return span{list[0][0], list[len(list)-1][1]}
}

// stays say what stays of a document: parts of its text, which has a digest. As a record of stays, these are numbers.
type stays struct {
	digest uint64
	parts  []span
}

// staysAt reads what stays of the i-th document of a part.
func (p *part) staysAt(i int) stays {
	words := p.stays.Words(i)
	s := stays{digest: words[0]}
	for is := range slices.Chunk(words[1:], 2) {
		s.parts = append(s.parts, span{int(is[0]), int(is[1])})
	}
	return s
}

// A row is what is cut of a document: bytes of its text, which had so many words and began so. It repeats those that
// begin at source.
type row struct {
	start, end, words uint64
	source            position
	text              []byte
}

// row reads a row.
func (j *job) row(i int) row {
	w := j.rows.Words(i)
	return row{w[0], w[1], w[2], w[3], j.texts.At(i)}
}

// mostText is how many bytes of what is cut a row shows.
const mostText = 100

// beginning returns the beginning of a text, without a broken character.
func beginning(text []byte) []byte {
	if len(text) <= mostText {
		return text
	}
	end := mostText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// A trimmed is what is left of a document.
type trimmed struct {
	words []byte
	stays []uint64
	rows  []row
	bytes int   // that are cut
	cut   int64 // words
}

// cut cuts what was found out of the documents, which it reads again, and makes a part of what is left of them. It
// returns how many bytes it has cut. There may be none: a character may stand for several words, of which one stays.
func (j *job) cut(found *pieces) (size int, err error) {
	p := j.newPart(found.docs)
	p.rows = []uint32{uint32(j.rows.Len())}
	readers := sync.Pool{New: func() any { return new(reader) }}
	err = each(j, false, func(b *analysis.Batch) (list []trimmed, err error) {
		r := readers.Get().(*reader)
		defer readers.Put(r)
		for i := range b.Len() {
			is := b.Result(i)
			doc := binary.LittleEndian.Uint32(is.Fields)
			at, ok := slices.BinarySearch(found.docs, doc)
			if !ok {
				continue
			}
			t, err := j.trim(r, doc, found.of(at), is.Text)
			if err != nil {
				return nil, err
			}
			list = append(list, t)
			r.shrink(is.Text)
		}
		return list, nil
	}, func(_ *analysis.Batch, list []trimmed) error {
		for _, t := range list {
			size += t.bytes
			j.report.CutWords += t.cut
			p.add(t.words)
			p.stays.AddWords(t.stays...)
			for _, row := range t.rows {
				j.rows.AddWords(row.start, row.end, row.words, row.source)
				j.texts.Add(row.text)
			}
			p.rows = append(p.rows, uint32(j.rows.Len()))
		}
		return errors.Join(p.store.Flush(), p.stays.Flush(), j.rows.Flush(), j.texts.Flush())
	})
	j.parts = append(j.parts, p)
	if err == nil && p.stays.Len() != len(found.docs) {
		err = run.Changed(j.Files[len(j.Files)-1].Path)
	}
	return size, errors.Join(err, p.finish())
}

// trim cuts pieces out of a document.
func (j *job) trim(r *reader, doc uint32, pieces []piece, whole []byte) (t trimmed, err error) {
	number, i := j.latest(doc)
	p := j.parts[number]
	was := stays{digest: murmur3.Sum64(whole), parts: []span{{0, len(whole)}}}
	text := whole
	if number > 0 {
		before := p.staysAt(i)
		if before.digest != was.digest {
			return t, j.changed(doc)
		}
		was = before
		r.text = sequences.Only(r.text[:0], whole, was.parts)
		text = r.text
	}
	r.hashes = r.words.AppendTo(r.hashes[:0], text)
	if !bytes.Equal(encoded(r.hashes), p.bytesAt(p.starts[i], p.starts[i+1])) {
		return t, j.changed(doc)
	}
	places := r.words.LastPlaces(text)
	cut, each := spansOf(pieces, places)
	end := uint32(0)
	for i, s := range each {
		t.cut += int64(pieces[i].to - max(end, pieces[i].from))
		end = pieces[i].to
		if s[0] == s[1] {
			continue
		}
		is := row{words: uint64(pieces[i].to - pieces[i].from), source: pieces[i].source, text: bytes.Clone(beginning(text[s[0]:s[1]]))}
		of := outer(was.parts, s)
		is.start, is.end = uint64(of[0]), uint64(of[1])
		t.rows = append(t.rows, is)
	}
	stay := sequences.AppendStays(nil, text, cut)
	left := within(was.parts, stay)
	t.stays = []uint64{was.digest}
	for _, p := range left {
		t.stays = append(t.stays, uint64(p[0]), uint64(p[1]))
	}
	t.bytes = len(text)
	for _, s := range stay {
		t.bytes -= s[1] - s[0]
	}
	r.hashes = r.words.AppendTo(r.hashes[:0], sequences.Only(nil, whole, left))
	t.words = encoded(r.hashes)
	return t, nil
}

// changed returns the error for a document that is not the one that was read before.
func (j *job) changed(doc uint32) error {
	return run.Changed(j.Files[j.fileOf(doc)].Path)
}
