package decontaminate

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
)

// A hitWriter writes hits in the order of the items, and gathers what the report says of them.
type hitWriter struct {
	*job
	to      *bufio.Writer // for hits that count
	less    *bufio.Writer // for others
	listed  bool          // something of the item
	pull    func() (key uint64, err error, ok bool)
	key     uint64 // of the next hit
	field   int    // of the next hit, or one behind all if there are no more
	words   *sequences.Words
	hashes  []uint64
	hasItem map[int]bool // the finds of the item
	best    bestItems
	sources [][]byte // of each file, its path as JSON
	line    []byte
}

// writeHits writes the list of hits. It reads the tests again, since it is not known before which bytes their words are.
func (j *job) writeHits() (err error) {
	tests, err := j.openTests()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tests.Close()) }()
	return j.Write(HitsName, func(hits *bufio.Writer) error {
		return j.Write(LessName, func(less *bufio.Writer) error { return j.writeHitsOf(tests, hits, less) })
	})
}

// writeHitsOf writes the hits that count, and the others.
func (j *job) writeHitsOf(tests *corpus.Reader, hits, less *bufio.Writer) error {
	pull, stop := iter.Pull2(j.found.order.Sorted(j.Context))
	defer stop()
	h := &hitWriter{job: j, to: hits, less: less, pull: pull, words: new(sequences.Words), hasItem: map[int]bool{}}
	if err := h.advance(); err != nil {
		return err
	}
	for _, file := range j.Files {
		h.sources = append(h.sources, appendString(nil, []byte(file.Path)))
	}
	item := 0
	for doc, err := range documentsOf(tests, nil, nil) {
		if err == nil && item == j.items.count() {
			err = run.Changed(doc.Source)
		}
		if err == nil {
			err = h.item(item, doc)
		}
		if err != nil {
			return err
		}
		if item++; item%1000 == 0 {
			j.Did(tests.Progress())
		}
	}
	if h.field < math.MaxInt {
		return run.Changed(j.o.Tests[0].Path)
	}
	err := h.best.show(j)
	j.report.Best = h.best.list
	return err
}

// advance goes to the next hit.
func (h *hitWriter) advance() (err error) {
	var ok bool
	if h.key, err, ok = h.pull(); !ok {
		h.field = math.MaxInt
		return nil
	}
	h.field = int(h.key >> 32)
	return err
}

// item writes the hits of an item.
func (h *hitWriter) item(item int, doc *document.Document) error {
	field, end := h.items.fieldsOf(item)
	if h.field >= end {
		return nil
	}
	best := Item{Benchmark: h.items.benchmarks[h.items.within[item]].Name, Item: h.items.id(item)}
	err := error(nil)
	h.listed = false
	clear(h.hasItem)
	eachField(doc.Fields, doc.Text, h.o.fieldsOf(doc.Source), func(_, value []byte) {
		if err == nil && field < end && h.field == field {
			err = h.hits(field, value, doc, &best)
		}
		field++
	})
	switch {
	case err != nil:
		return err
	case field != end || !h.listed:
		return run.Changed(doc.Source)
	}
	benchmark := &h.items.benchmarks[h.items.within[item]]
	if best.Documents = len(h.hasItem); best.Documents == 0 {
		benchmark.Less++
		return nil
	}
	if own, judged, _ := h.items.left(h.finder, item); own && !judged { // it was counted as short, but all of it is there with its form
		benchmark.Short--
	}
	benchmark.count(best.Share)
	h.best.add(best)
	return nil
}

// hits writes the hits of a field. best is what the report says of the item.
func (h *hitWriter) hits(field int, value []byte, doc *document.Document, best *Item) error {
	all := h.items.field(field)
	if h.hashes = h.words.AppendTo(h.hashes[:0], value); !slices.Equal(h.hashes, all) {
		return run.Changed(doc.Source)
	}
	places := h.words.LastPlaces(value)
	name := h.items.fieldNames[h.items.named[field]]
	h.line = append(appendString(append(h.line[:0], `{"benchmark":`...), []byte(best.Benchmark)), `,"item":`...)
	h.line = append(appendString(h.line, []byte(best.Item)), `,"field":`...)
	h.line = append(appendString(h.line, []byte(name)), `,"document":`...)
	same := len(h.line) // of all hits of the field
	_, own := h.finder.own(field)
	h.listed = true
	for h.field == field {
		hit, find := h.found.hit(int(uint32(h.key)))
		is, share, to := h.found.get(find), share(hit.covered, own), h.less
		counts := h.o.counts(hit.covered, own)
		if counts {
			to = h.to
		}
		h.line = append(appendString(h.line[:same], is.id), `,"source":`...)
		h.line = append(append(h.line, h.sources[is.file]...), `,"share":`...)
		h.line = append(strconv.AppendFloat(h.line, share, 'f', -1, 64), `,"spans":[`...)
		for i, r := range hit.runs {
			if i > 0 {
				h.line = append(h.line, ',')
			}
			h.line = appendSpan(append(h.line, '['), span{places[r.test[0]][0], places[r.test[1]-1][1]})
			h.line = append(appendSpan(append(h.line, ','), r.document), ']')
		}
		if _, err := to.Write(append(h.line, "]}\n"...)); err != nil {
			return err
		}
		if counts {
			h.report.Hits++
			h.hasItem[find] = true
		}
		if counts && share > best.Share {
			best.Field, best.Share, best.Document, best.Source = name, share, string(is.id), h.Files[is.file].Path
			best.from = document.Origin{
				Path: best.Source, Format: h.found.formats[is.file], Offset: is.offset, Length: is.length,
			}
			best.spans = best.spans[:0]
			var spans []span
			for _, r := range hit.runs {
				spans, best.spans = append(spans, span{places[r.test[0]][0], places[r.test[1]-1][1]}), append(best.spans, r.document)
			}
			best.Shown = &Shown{Item: excerpt(value, spans, true)}
		}
		if err := h.advance(); err != nil {
			return err
		}
	}
	return nil
}

// appendSpan appends a span as JSON.
func appendSpan(dst []byte, s span) []byte {
	dst = append(strconv.AppendInt(append(dst, '['), int64(s[0]), 10), ',')
	return append(strconv.AppendInt(dst, int64(s[1]), 10), ']')
}

// appendString appends a text as a string of JSON. Bytes that JSON does not allow are escaped as terminal.String escapes them.
func appendString(dst, text []byte) []byte {
	plain := !slices.ContainsFunc(text, func(c byte) bool { return c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' })
	if plain {
		return append(append(append(dst, '"'), text...), '"')
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	_ = to.Encode(terminal.String.Text(string(text))) // a string can be encoded
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// bestItems are the items with the largest shares, the first of equal ones.
type bestItems struct{ list []Item }

// mostItems is how many items a report names.
const mostItems = 1000

func (b *bestItems) add(is Item) {
	if b.list = append(b.list, is); len(b.list) == 2*mostItems {
		b.trim()
	}
}

func (b *bestItems) trim() {
	slices.SortStableFunc(b.list, func(x, y Item) int {
		return cmp.Or(cmp.Compare(y.Share, x.Share), cmp.Compare(y.Documents, x.Documents))
	})
	b.list = b.list[:min(len(b.list), mostItems)]
}
