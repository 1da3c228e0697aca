package decontaminate

import (
	"fmt"
	"slices"
	"time"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// A Report says which items of tests are in training documents. Its JSON form is the file report.json. All strings
// may have any bytes. No count is negative.
type Report struct {
	V        int           `json:"v"`       // 1
	Command  string        `json:"command"` // that does the same again, as a shell reads it
	Settings []report.Fact `json:"settings"`

	Counts
	Hits       int   `json:"hits"`      // pairs of a field of an item and a document, that count
	Documents  int   `json:"documents"` // that were compared
	Bytes      int64 `json:"bytes"`     // of their texts
	FoundIn    int   `json:"found_in"`  // documents in which something is found
	run.Missed       // of items and documents
	// Form is how many different sequences of words do not count, since they stand in many items of a benchmark, or in
	// too many places.
	Form int `json:"form"`

	Words    int     `json:"words"`     // in a row, that count
	MinShare float64 `json:"min_share"` // of a field in one document, from which on an item counts as found

	Purify   string `json:"purify,omitempty"`    // documents or passages, or "" if the files are not written again
	Removed  int    `json:"removed,omitempty"`   // documents that are not written again
	Changed  int    `json:"changed,omitempty"`   // documents that are written again without passages
	CutBytes int64  `json:"cut_bytes,omitempty"` // of texts, that are not written again

	Benchmarks []Benchmark  `json:"benchmarks"`
	Best       []Item       `json:"best"`    // items of which the most is found, at most 1000
	Sources    []Source     `json:"sources"` // those in which something is found, most first
	Warnings   run.Warnings `json:"warnings"`
	Seconds    float64      `json:"seconds"`
}

// Counts count items.
type Counts struct {
	Items int `json:"items"`
	Short int `json:"short"` // too short to be judged, without the form of the tests, and not found together with it
	Alike int `json:"alike"` // not judged either, since all their words are the form of the tests
	Found int `json:"found"` // as much as counts
	Less  int `json:"less"`  // something, but less than counts: listed apart
	Half  int `json:"half"`  // of Found, those of which half of a field or more is in one document
	Whole int `json:"whole"` // of Half, those of which a whole field is
}

// judged returns how many items are long enough to be found, and have words of their own.
func (c *Counts) judged() int { return c.Items - c.Short - c.Alike }

// A Benchmark is a file of tests, or a directory of files that are items.
type Benchmark struct {
	Name string `json:"name"`
	Counts
	partly int // items that are judged, but with a field of which all words are the form of the tests
}

// An Item is one that is found, with the field and the document that have the most in common.
type Item struct {
	Benchmark string  `json:"benchmark"`
	Item      string  `json:"item"`
	Field     string  `json:"field"`
	Share     float64 `json:"share"`     // of the own words of the field
	Documents int     `json:"documents"` // in which something of the item is found
	Document  string  `json:"document"`
	Source    string  `json:"source"`

	Shown *Shown          `json:"-"` // or nil
	from  document.Origin // of the document
	value []byte          // of the field
	spans [][2]span       // of both
}

// A Source is a file of training documents.
type Source struct {
	Path      string `json:"path"`
	Documents int    `json:"documents"`
	Bytes     int64  `json:"bytes"`
	Found     int    `json:"found"` // documents in which something is found
	Bad       int    `json:"bad,omitempty"`
	Removed   int    `json:"removed,omitempty"`
	Changed   int    `json:"changed,omitempty"`
	CutBytes  int64  `json:"cut_bytes,omitempty"`
}

// summarize completes the report.
func (j *job) summarize() *Report {
	r := &j.report
	r.V, r.Command, r.Words, r.MinShare, r.Missed = 1, j.Command, j.o.Words, minShare, j.Missed
	r.Settings = report.Facts("words", j.o.Words, "min-words", j.rule.minWords, "max-places", j.rule.maxPlaces,
		"min-share", minShare, "purify", j.o.Purify)
	if j.o.Purify != Nothing {
		r.Purify = j.o.Purify.String()
	}
	r.Benchmarks = j.items.benchmarks
	for _, b := range r.Benchmarks {
		r.Items, r.Short, r.Found, r.Less = r.Items+b.Items, r.Short+b.Short, r.Found+b.Found, r.Less+b.Less
		r.Half, r.Whole, r.Alike = r.Half+b.Half, r.Whole+b.Whole, r.Alike+b.Alike
	}
	for _, s := range r.Sources {
		r.Documents, r.Bytes, r.FoundIn = r.Documents+s.Documents, r.Bytes+s.Bytes, r.FoundIn+s.Found
		r.Removed, r.Changed, r.CutBytes = r.Removed+s.Removed, r.Changed+s.Changed, r.CutBytes+s.CutBytes
	}
	r.Sources = slices.DeleteFunc(r.Sources, func(s Source) bool { return s.Found == 0 })
	slices.SortStableFunc(r.Sources, func(a, b Source) int { return b.Found - a.Found })
	r.Warnings = append(r.Warnings, j.items.doubtful()...)
	r.warn(j.Left)
	r.Seconds = time.Since(j.began).Seconds()
	return r
}

// otherField is advice for records that cannot be read.
const otherField = " If texts have another field, name it, or several: --text-field text,content."

// warn says what should make one look at the result before trusting it.
func (r *Report) warn(left []corpus.LeftOut) {
	add := r.Warnings.Add
	if r.Documents == 0 {
		add("The input has no documents.")
	}
	if r.Bad > 0 {
		add("%s could not be read, and %s not compared.%s", terminal.Plural(r.Bad, "record"), report.Is(r.Bad), otherField)
	}
	if len(left) > 0 {
		const written = ": left_out.jsonl says which are copied, and no other is written again"
		add("%s %s not compared, such as %s (%v)%s.%s", terminal.Plural(len(left), "file"), report.Is(len(left)),
			left[0].Path, left[0].Why, report.Either(r.Purify != "", "", written),
			report.Either(r.Damaged > 0, "", otherField))
	}
	for _, b := range r.Benchmarks {
		if b.Short > 0 && 2*b.Short >= b.Items {
			add("%s of %s of %s are too short to be judged.", terminal.Thousands(b.Short), terminal.Plural(b.Items, "item"),
				b.Name)
		}
		if b.Alike > 0 {
			add("%s of %s of %s cannot be judged, since all their words are the form of the tests.", terminal.Thousands(b.Alike),
				terminal.Plural(b.Items, "item"), b.Name)
		}
		if b.partly > 0 {
			add("%s of %s of %s %s a field that is not looked for, since all its words are the form of the tests.",
				terminal.Thousands(b.partly),
				terminal.Plural(b.Items, "item"), b.Name, report.Verb(b.partly, "has", "have"))
		}
	}
}

// Columns returns the numbers of the summary.
func (r *Report) Columns() []terminal.Column {
	return terminal.Keyed("items", r.Items, "short", r.Short, "alike", r.Alike, "found", r.Found, "less", r.Less,
		"half", r.Half, "whole", r.Whole, "hits", r.Hits, "documents", r.Documents, "bytes", r.Bytes,
		"found_in", r.FoundIn, "removed", r.Removed, "changed", r.Changed, "cut_bytes", r.CutBytes, "bad", r.Bad,
		"files_left_out", r.LeftOut, "warnings", append([]string{}, r.Warnings...))
}

// Summary returns what is found, on one line.
func (r *Report) Summary() string {
	s := fmt.Sprintf("%s of %s found in %s of %s", terminal.Thousands(r.Found), terminal.Plural(r.Items, "item"),
		terminal.Thousands(r.FoundIn), terminal.Plural(r.Documents, "document"))
	if r.Found > 0 {
		s += fmt.Sprintf(": %s with a whole field, %s with half of one or more", terminal.Thousands(r.Whole),
			terminal.Thousands(r.most()))
	}
	if r.Less > 0 {
		s += fmt.Sprintf("; of %s more, a phrase or less than %s of a field is found, which less.jsonl lists apart",
			terminal.Thousands(r.Less), r.least())
	}
	if r.Short > 0 {
		s += fmt.Sprintf("; %s too short to be judged", terminal.Thousands(r.Short))
	}
	switch r.Purify {
	case Documents.String():
		s += fmt.Sprintf("; %s kept", terminal.Plural(r.Documents-r.Removed, "document"))
	case Passages.String():
		s += fmt.Sprintf("; %s cut from %s, %s removed", terminal.Bytes(r.CutBytes), terminal.Plural(r.Changed, "document"),
			terminal.Thousands(r.Removed))
	}
	return s
}

const (
	mostShown = 40       // items with their texts, on a page
	mostText  = 16 << 10 // bytes of the texts of each, about
)

// A Shown is the text of a field of an item, and that of a document. What both have is one passage.
type Shown struct{ Item, Document []report.Part }

// show reads the documents of the items that are shown again.
func (j *job) show(list []Item) error {
	texts, err := corpus.NewRereader(j.Corpus)
	if err != nil {
		return err
	}
	defer texts.Close() //nolint:errcheck // it was read only
	picked := pick(list, max(5, mostShown/len(j.items.benchmarks)))
	for i := range list {
		is := &list[i]
		if !picked[i] || is.from.Format == "" { // it can be read only once
			continue
		}
		text, err := texts.Text(is.from)
		if err != nil {
			return fmt.Errorf("%s: %w", is.Source, err)
		}
		is.Shown = shown(is.value, text, is.spans)
	}
	return nil
}

// pick picks up to n items of each benchmark, from that with the largest share to that with the smallest at even
// steps, and up to mostShown in all.
func pick(list []Item, n int) map[int]bool {
	of, picked := map[string][]int{}, map[int]bool{}
	for i, is := range list {
		of[is.Benchmark] = append(of[is.Benchmark], i)
	}
	for i, is := range list {
		all := of[is.Benchmark]
		if i != all[0] || len(picked)+min(n, len(all)) > mostShown {
			continue
		}
		for k := range min(n, len(all)) {
			picked[all[k*(len(all)-1)/max(1, min(n, len(all))-1)]] = true
		}
	}
	return picked
}

// shown returns the parts of the texts of a field and of a document around the first of spans, which are the same in
// both.
func shown(field, document []byte, spans [][2]span) *Shown {
	texts, from := [2][]byte{field, document}, [2]int{}
	for i, text := range texts {
		from[i] = max(0, min(spans[0][i][0]-mostText/4, len(text)-mostText))
		texts[i] = text[from[i]:min(len(text), from[i]+mostText)]
	}
	a, b := report.NewMarked(texts[0]), report.NewMarked(texts[1])
	for n, s := range spans {
		for i := range s {
			s[i][0], s[i][1] = min(len(texts[i]), max(0, s[i][0]-from[i])), min(len(texts[i]), max(0, s[i][1]-from[i]))
		}
		report.MarkBoth(a, b, n+1, s[0], s[1])
	}
	return &Shown{a.Parts(true), b.Parts(true)}
}
