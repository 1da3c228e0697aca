package decontaminate

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"slices"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
)

// A hitWriter writes hits in the order of the items, and gathers what the report says of them.
type hitWriter struct {
	*job
	to      func(row any) error // takes hits that count
	less    func(row any) error // takes others
	listed  bool                // something of the item
	pull    func() (key uint64, err error, ok bool)
	key     uint64 // of the next hit
	field   int    // of the next hit, or one behind all if there are no more
	words   *sequences.Words
	hashes  []uint64
	hasItem map[int]bool // the finds of the item
	best    run.Top[Item]
}

// writeHits writes the list of hits. It reads the tests again, since it is not known before which bytes their words are.
func (j *job) writeHits() (err error) {
	tests, err := j.openTests()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tests.Close()) }()
	return j.List(hitsName, func(hits func(any) error) error {
		return j.List(lessName, func(less func(any) error) error { return j.writeHitsOf(tests, hits, less) })
	})
}

// writeHitsOf writes the hits that count, and the others.
func (j *job) writeHitsOf(tests *corpus.Reader, hits, less func(row any) error) error {
	pull, stop := iter.Pull2(j.found.order.Sorted(j.Context))
	defer stop()
	h := &hitWriter{job: j, to: hits, less: less, pull: pull, words: new(sequences.Words), hasItem: map[int]bool{},
		best: run.Top[Item]{Most: mostItems, Order: byShare}}
	if err := h.advance(); err != nil {
		return err
	}
	item := 0
	for doc, err := range documentsOf(tests, nil) {
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
	h.best.Trim()
	j.report.Best = h.best.Rows
	return j.show(j.report.Best)
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
	h.best.Add(best)
	return nil
}

// A hitRow is a line of hits.jsonl and of less.jsonl: what a field of an item and a document have in common. Strings are escaped as
// terminal.String escapes them.
type hitRow struct {
	Benchmark string    `json:"benchmark"`
	Item      string    `json:"item"`
	Field     string    `json:"field"`
	Document  string    `json:"document"`
	Source    string    `json:"source"`
	Share     float64   `json:"share"` // of the own words of the field
	Spans     [][2]span `json:"spans"` // bytes of the field and of the document
}

// hits writes the hits of a field. best is what the report says of the item.
func (h *hitWriter) hits(field int, value []byte, doc *document.Document, best *Item) error {
	all := h.items.field(field)
	if h.hashes = h.words.AppendTo(h.hashes[:0], value); !slices.Equal(h.hashes, all) {
		return run.Changed(doc.Source)
	}
	places := h.words.LastPlaces(value)
	name := h.items.fieldNames[h.items.named[field]]
	text := terminal.String.Text
	row := hitRow{Benchmark: text(best.Benchmark), Item: text(best.Item), Field: text(name)}
	_, own := h.finder.own(field)
	h.listed = true
	for h.field == field {
		hit := h.found.hits.Words(int(uint32(h.key)))
		find, covered := int(hit[0]), int(hit[1])
		is, share, to := h.found.get(find), share(covered, own), h.less
		counts := h.o.counts(covered, own)
		if counts {
			to = h.to
		}
		row.Document, row.Source, row.Share, row.Spans = text(string(is.id)), text(h.Files[is.file].Path), share, row.Spans[:0]
		for r := range slices.Chunk(hit[2:], 4) {
			row.Spans = append(row.Spans, [2]span{{places[r[0]][0], places[r[1]-1][1]}, {int(r[2]), int(r[3])}})
		}
		if err := to(row); err != nil {
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
			for _, of := range row.Spans {
				spans, best.spans = append(spans, of[0]), append(best.spans, of[1])
			}
			best.Shown = &Shown{Item: excerpt(value, spans, true)}
		}
		if err := h.advance(); err != nil {
			return err
		}
	}
	return nil
}

// mostItems is how many items a report names.
const mostItems = 1000

// byShare orders items: those with the largest shares come first.
func byShare(x, y Item) int {
	return cmp.Or(cmp.Compare(y.Share, x.Share), cmp.Compare(y.Documents, x.Documents))
}
