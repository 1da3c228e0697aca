package decontaminate

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"simsearch/internal/collected"
	"simsearch/internal/corpus"
	"simsearch/internal/disk"
	"simsearch/internal/document"
	"simsearch/internal/terminal"
	"simsearch/internal/wordhash"
)

// write writes a file of the result.
func (j *job) write(name string, do func(w *bufio.Writer) error) error {
	file, err := disk.CreateAtomic(j.dir, name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<16)
	if err = do(w); err == nil {
		err = w.Flush()
	}
	if err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// A hitRow is a line of hits.jsonl.
type hitRow struct {
	Benchmark string    `json:"benchmark"`
	Item      string    `json:"item"`
	Field     string    `json:"field"`
	Document  string    `json:"document"`
	Source    string    `json:"source"`
	Share     float64   `json:"share"`
	Spans     [][2]span `json:"spans"` // bytes of the field, and of the document
}

// share returns a share with four digits behind the point. Only all is 1.
func share(n, all int) float64 { return math.Floor(1e4*float64(n)/float64(all)) / 1e4 }

// A hitWriter writes hits in the order of the items, and gathers what the report says of them.
type hitWriter struct {
	*job
	to      *json.Encoder
	next    int // of the hits
	words   *wordhash.Words
	hashes  []uint64
	hasItem map[uint64]bool // the finds of the item
	best    bestItems
}

// writeHits writes the list of hits. It reads the tests again, since it is not known before which bytes their words are.
func (j *job) writeHits() (err error) {
	tests, err := openTests(j.ctx, j.o, func(*corpus.BadError) {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tests.Close()) }()
	return j.write(HitsName, func(w *bufio.Writer) error {
		h := &hitWriter{job: j, to: json.NewEncoder(w), words: wordhash.New(), hasItem: map[uint64]bool{}}
		h.to.SetEscapeHTML(false)
		item := 0
		for doc, err := range tests.documents() {
			if err == nil && item == j.items.count() {
				err = collected.Changed(doc.Source)
			}
			if err == nil {
				err = h.item(item, doc)
			}
			if err != nil {
				return err
			}
			item++
		}
		if h.next < len(j.found.hits) {
			return collected.Changed(j.o.Tests[0])
		}
		err := h.best.show(j)
		j.report.Best = h.best.list
		return err
	})
}

// item writes the hits of an item.
func (h *hitWriter) item(item int, doc *document.Document) error {
	field, end := h.items.fieldsOf(item)
	if h.next == len(h.found.hits) || int(h.found.hits[h.next]>>32) >= end {
		return nil
	}
	var is *Item
	err := error(nil)
	clear(h.hasItem)
	eachField(doc.Fields, doc.Text, h.o.TestFields, func(_, value []byte) {
		if err == nil && field < end {
			err = h.field(field, item, value, doc, &is)
		}
		field++
	})
	switch {
	case err != nil:
		return err
	case field != end || is == nil:
		return collected.Changed(doc.Source)
	}
	is.Documents = len(h.hasItem)
	h.items.benchmarks[h.items.within[item]].count(is.Share)
	h.best.add(*is)
	return nil
}

// field writes the hits of a field. best is what the report says of the item.
func (h *hitWriter) field(field, item int, value []byte, doc *document.Document, best **Item) error {
	if h.next == len(h.found.hits) || int(h.found.hits[h.next]>>32) > field {
		return nil
	}
	all := h.items.field(field)
	if h.hashes = h.words.AppendTo(h.hashes[:0], value); !slices.Equal(h.hashes, all) {
		return collected.Changed(doc.Source)
	}
	places := h.words.LastPlaces(value)
	var f find
	for ; h.next < len(h.found.hits) && int(h.found.hits[h.next]>>32) == field; h.next++ {
		number := int(uint32(h.found.hits[h.next]))
		if err := h.found.get(number, &f); err != nil {
			return err
		}
		hit := f.hits[slices.IndexFunc(f.hits, func(x foundHit) bool { return int(x.field) == field })]
		row := hitRow{
			Benchmark: escaped(h.items.benchmarks[h.items.within[item]].Name), Item: escaped(h.items.id(item)),
			Field: escaped(h.items.fieldNames[h.items.named[field]]), Document: escaped(string(f.id)),
			Source: escaped(h.files[f.file].Path), Share: share(int(hit.covered), len(all)),
		}
		for _, r := range hit.runs {
			row.Spans = append(row.Spans, [2]span{{places[r.test[0]][0], places[r.test[1]-1][1]}, r.document})
		}
		if err := h.to.Encode(row); err != nil {
			return err
		}
		h.report.Hits++
		h.hasItem[uint64(number)] = true
		if *best == nil || row.Share > (*best).Share {
			*best = &Item{
				Benchmark: h.items.benchmarks[h.items.within[item]].Name, Item: h.items.id(item), Field: h.items.fieldNames[h.items.named[field]],
				Share: row.Share, Document: string(f.id), Source: h.files[f.file].Path, find: number, Shown: new(Shown),
			}
			var spans []span
			for _, s := range row.Spans {
				spans, (*best).spans = append(spans, s[0]), append((*best).spans, s[1])
			}
			(*best).Shown.Item = excerpt(value, spans, true)
		}
	}
	return nil
}

// escaped returns a text as lists have it: bytes that JSON does not allow are escaped as terminal.String escapes them.
func escaped(text string) string { return terminal.String.Text(text) }

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
