package decontaminate

import (
	"cmp"
	"slices"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
)

// A hitWriter writes hits in the order of the items, and gathers what the report says of them.
type hitWriter struct {
	*job
	to, less func(row any) error // take hits that count, and others
	item     int                 // -1 before the first one
	best     Item                // what the report says of the item
	finds    map[int]bool        // those of the item that count
	top      run.Top[Item]

	words  sequences.Words
	field  int // of the item, or -1
	name   string
	value  []byte
	places [][2]int // of its words
	own    int
	row    hitRow
}

// writeHits writes the lists of hits: those that count, and others.
func (j *job) writeHits() error {
	h := &hitWriter{job: j, item: -1, field: -1, finds: map[int]bool{}}
	h.top = run.Top[Item]{Most: mostItems, Order: func(x, y Item) int { // those with the largest shares come first
		return cmp.Or(cmp.Compare(y.Share, x.Share), cmp.Compare(y.Documents, x.Documents))
	}}
	err := j.List(hitsName, func(hits func(any) error) error {
		return j.List(lessName, func(less func(any) error) error {
			h.to, h.less = hits, less
			for key, err := range h.found.order.Sorted(h.Context) {
				if err == nil {
					h.enter(int(key >> 32))
					err = h.hit(int(uint32(key)))
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	h.leave()
	h.top.Trim()
	j.report.Best = h.top.Rows
	return j.show(j.report.Best)
}

// enter begins the hits of a field, unless they have begun.
func (h *hitWriter) enter(field int) {
	if field == h.field {
		return
	}
	if item := int(h.items.itemOf[field]); item != h.item {
		h.leave()
		h.item = item
		h.best = Item{Benchmark: h.items.benchmarks[h.items.within[item]].Name, Item: string(h.items.ids.At(item))}
	}
	h.field, h.value = field, h.items.texts.At(field)
	h.places = h.words.Places(h.value)
	_, h.own = h.finder.own(field)
	text := terminal.String.Text
	h.name = h.items.fieldNames[h.items.named[field]]
	h.row = hitRow{Benchmark: text(h.best.Benchmark), Item: text(h.best.Item), Field: text(h.name)}
}

// leave counts the item, whose hits have been written.
func (h *hitWriter) leave() {
	if h.item < 0 {
		return
	}
	benchmark := &h.items.benchmarks[h.items.within[h.item]]
	if h.best.Documents = len(h.finds); h.best.Documents == 0 {
		benchmark.Less++
		return
	}
	clear(h.finds)
	if own, judged, _ := h.items.left(h.finder, h.item); own && !judged {
		benchmark.Short-- // as which it was counted, but all of it is there with its form
	}
	benchmark.Found++
	if h.best.Share >= 0.5 {
		benchmark.Half++
	}
	if h.best.Share == 1 {
		benchmark.Whole++
	}
	h.top.Add(h.best)
}

// A hitRow is a line of hits.jsonl and of less.jsonl: what a field of an item and a document have in common. Strings
// are escaped as terminal.String escapes them.
type hitRow struct {
	Benchmark string    `json:"benchmark"`
	Item      string    `json:"item"`
	Field     string    `json:"field"`
	Document  string    `json:"document"`
	Source    string    `json:"source"`
	Share     float64   `json:"share"` // of the own words of the field
	Spans     [][2]span `json:"spans"` // bytes of the field and of the document
}

// hit writes a hit of the field.
func (h *hitWriter) hit(number int) error {
	hit := h.found.hits.Words(number)
	find, covered := int(hit[0]), int(hit[1])
	is, row, best := h.found.get(find), &h.row, &h.best
	path, counts := h.Files[is.file].Path, h.rule.counts(covered, h.own)
	row.Document, row.Source = terminal.String.Text(string(is.id)), terminal.String.Text(path)
	row.Share, row.Spans = share(covered, h.own), row.Spans[:0]
	for r := range slices.Chunk(hit[2:], 4) {
		row.Spans = append(row.Spans, [2]span{{h.places[r[0]][0], h.places[r[1]-1][1]}, {int(r[2]), int(r[3])}})
	}
	if !counts {
		return h.less(row)
	}
	h.report.Hits++
	h.finds[find] = true
	if row.Share > best.Share {
		best.Field, best.Share, best.Document, best.Source = h.name, row.Share, string(is.id), path
		best.from = document.Origin{Path: path, Format: h.found.formats[is.file], Offset: is.offset, Length: is.length}
		best.value, best.spans = h.value, slices.Clone(row.Spans)
	}
	return h.to(row)
}

// mostItems is how many items a report names.
const mostItems = 1000
