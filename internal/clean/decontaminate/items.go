package decontaminate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"sync"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
)

// Items are the items of the tests. In memory are the hashes of their words, 8 bytes each, and their ids.
type items struct {
	*text
	ids    []byte // of all items, one after the other
	idEnds []uint64
	ends   []uint32 // of each item, the number of fields up to its end
	named  []uint32 // of each field, its name

	fieldNames []string
	benchmarks []Benchmark
}

// id returns the id of an item.
func (s *items) id(item int) string {
	from := uint64(0)
	if item > 0 {
		from = s.idEnds[item-1]
	}
	return string(s.ids[from:s.idEnds[item]])
}

// count returns the number of items.
func (s *items) count() int { return len(s.ends) }

// fieldsOf returns the fields of an item: [from, to).
func (s *items) fieldsOf(item int) (from, to int) {
	if item > 0 {
		from = int(s.ends[item-1])
	}
	return from, int(s.ends[item])
}

// plainField is the name of the field of a document without fields.
const plainField = "text"

// eachField calls do with the fields of an item that are compared: those of a record, or the text of what has none. If only is not
// empty, it names them.
func eachField(fields, text []byte, only []string, do func(name, value []byte)) {
	if len(fields) == 0 {
		fields = document.AppendField(document.AppendField(nil, []byte(plainField), true), text, true)
	}
	for i := 0; ; i += 2 {
		name, ok := document.Field(fields, i)
		if !ok {
			return
		}
		if value, _ := document.Field(fields, i+1); len(only) == 0 || slices.Contains(only, string(name)) {
			do(name, value)
		}
	}
}

// openTests opens the tests, with all texts of their records.
func (j *job) openTests() (*corpus.Reader, error) {
	o := j.Corpus
	var paths []string
	for _, t := range j.o.Tests {
		paths = append(paths, t.Path)
	}
	r, err := corpus.Open(paths, corpus.Options{
		AllTexts: true, FieldsOptional: true, Lenient: true, Decided: o.Decided, MailWithout: o.MailWithout, HTML: o.HTML, Base: o.Base,
		Hidden: o.Hidden, GitIgnore: o.GitIgnore, MaxDocument: o.MaxDocument, Memory: o.Memory, Context: j.Context,
	})
	if err != nil {
		return nil, err
	}
	if name, once := r.Once(); once {
		return nil, errors.Join(fmt.Errorf("--test %s can be read only once, but tests are read twice: save it to a file", name), r.Close())
	}
	return r, nil
}

// documentsOf yields the items of tests. In place of its origin, each has the number of its file and its line. If it is not nil, bad
// is told of what cannot be read.
func documentsOf(tests *corpus.Reader, bad func(*corpus.BadError)) iter.Seq2[*document.Document, error] {
	return run.Documents(tests, func(_ int, is *corpus.BadError) {
		if bad != nil {
			bad(is)
		}
	}, func(file int, doc *document.Document) error {
		doc.Origin = document.Origin{Offset: int64(file), Length: int64(doc.Line)}
		if len(doc.Fields) > 0 && len(doc.Text) < largeBytes { // which has the same once more
			doc.Text = nil
		}
		return run.Words(doc)
	})
}

// A hashedBatch is some items with the words of their fields.
type hashedBatch struct {
	words []uint64
	names [][]byte
	ends  []int // of the fields, in words
	items []int // of the items, where their fields end
}

// readItems reads the tests.
func (j *job) readItems() (_ *items, err error) {
	r, err := j.openTests()
	if err != nil {
		return nil, err
	}
	o, files := &j.o, r.Files()
	defer func() { err = errors.Join(err, r.Close()) }()
	s := &items{text: newText()}
	free := sync.Pool{New: func() any { return new(sequences.Words) }}
	batches := sync.Pool{New: func() any { return new(hashedBatch) }}
	hash := func(_ context.Context, b *analysis.Batch) (*hashedBatch, error) {
		w, h := free.Get().(*sequences.Words), batches.Get().(*hashedBatch)
		defer free.Put(w)
		for i := range b.Len() {
			is := b.Result(i)
			eachField(is.Fields, is.Text, o.fieldsOf(files[is.Origin.Offset].Path), func(name, value []byte) {
				h.words = w.AppendTo(h.words, value)
				h.names, h.ends = append(h.names, name), append(h.ends, len(h.words))
			})
			h.items = append(h.items, len(h.names))
		}
		return h, nil
	}
	benchmarks, names, benchmarkNames := map[string]uint32{}, map[string]uint32{}, []string(nil)
	err = analysis.Texts(j.Context, documentsOf(r, j.TellBad), j.Threads, hash, func(b *analysis.Batch, h *hashedBatch) error {
		field, from := 0, 0
		for i := range b.Len() {
			is := b.Result(i)
			judged := false
			for ; field < h.items[i]; field++ {
				words := h.words[from:h.ends[field]]
				from = h.ends[field]
				if err := s.add(words, s.count()); err != nil {
					return err
				}
				s.named = append(s.named, numberOf(names, &s.fieldNames, h.names[field]))
				judged = judged || o.length(len(words)) > 0
			}
			s.ids = append(s.ids, is.ID...)
			s.idEnds, s.ends = append(s.idEnds, uint64(len(s.ids))), append(s.ends, uint32(s.fields()))
			s.take(benchmarks, &benchmarkNames, benchmarkOf(r, files[is.Origin.Offset], is.Origin.Length), judged)
		}
		clear(h.names)
		*h = hashedBatch{words: h.words[:0], names: h.names[:0], ends: h.ends[:0], items: h.items[:0]}
		batches.Put(h)
		j.Did(r.Progress())
		return nil
	})
	return s, err
}

// left says what forms leave of an item that is long enough to be judged: own words, enough of them in a field to be judged, and whether
// all words of a field are form.
func (s *items) left(f *finder, item int) (own, judged, gone bool) {
	for field, to := s.fieldsOf(item); field < to; field++ {
		if f.rule.length(len(s.field(field))) > 0 {
			has, enough := f.judge(field)
			own, judged, gone = own || has, judged || enough, gone || !has
		}
	}
	return own, judged, gone
}

// countForms counts the items that are long enough to be judged, but of which forms leave nothing, or too little.
func (s *items) countForms(f *finder) {
	for item := 0; f.form != nil && item < s.count(); item++ {
		b := &s.benchmarks[s.within[item]]
		switch own, judged, gone := s.left(f, item); {
		case gone && !own:
			b.Alike++
		case own && !judged:
			b.Short++
		case gone:
			b.partly++
		}
	}
}

// doubtful says what should make one ask whether the tests are read as they are meant.
func (s *items) doubtful() (list []string) {
	const manyWords = 300 // more than an item usually has
	for item, benchmark := range s.within {
		from, to := s.fieldsOf(item)
		if words := int(s.starts[to]-s.starts[from]) - (to - from); s.benchmarks[benchmark].Items == 1 && words > manyWords {
			list = append(list, fmt.Sprintf("All of %s is read as one item, of %s: if it has many, write each as a record of JSON Lines.",
				s.benchmarks[benchmark].Name, terminal.Plural(words, "word")))
		}
	}
	w := new(sequences.Words)
	for _, name := range s.fieldNames {
		if len(w.AppendTo(nil, []byte(name))) >= defaultMinWords {
			list = append(list, fmt.Sprintf("A field of the tests is called %q: if that is an item, its table lacks a first row with the names of the columns.", name))
			break
		}
	}
	return list
}

// numberOf returns the number of a name, which it gives if the name is new.
func numberOf(numbers map[string]uint32, all *[]string, name []byte) uint32 {
	n, ok := numbers[string(name)]
	if !ok {
		n = uint32(len(*all))
		numbers[string(name)], *all = n, append(*all, string(name))
	}
	return n
}

// take counts an item to its benchmark.
func (s *items) take(numbers map[string]uint32, names *[]string, name string, judged bool) {
	n := numberOf(numbers, names, []byte(name))
	if int(n) == len(s.benchmarks) {
		s.benchmarks = append(s.benchmarks, Benchmark{Name: name})
	}
	b := &s.benchmarks[n]
	if b.Items++; !judged {
		b.Short++
	}
	s.within = append(s.within, n)
}

// benchmarkOf returns the name of the benchmark of an item in a line of a file: that of the file, or of the directory of files that are items.
func benchmarkOf(r *corpus.Reader, f corpus.File, line int64) string {
	name := r.Name(f)
	if line == 0 {
		return path.Dir(name) + "/"
	}
	return name
}
