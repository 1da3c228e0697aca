package decontaminate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
)

// Items are the items of the tests. In memory are the hashes of their words, 8 bytes each; ids and texts are in
// temporary files if they are many.
type items struct {
	*text
	ids, texts spill.Records // of the items, and of the fields
	ends       []uint32      // of each item, the number of fields up to its end
	named      []uint32      // of each field, its name

	fieldNames []string
	benchmarks []Benchmark
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

// eachField calls do with the fields of an item that are compared: those of a record, or the text of what has none.
// If only is not empty, it names them.
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
		err := fmt.Errorf("--test %s can be read only once, but tests are opened twice: save it to a file", name)
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// A field is one of an item of a batch.
type field struct {
	item       int // in the batch
	name, text []byte
	words      []uint64
}

// readItems reads the tests.
func (j *job) readItems() (err error) {
	r, err := j.openTests()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	documents := j.Documents(r, nil, func(_ int, doc *document.Document) error {
		doc.Origin.Offset = int64(doc.Line)
		if len(doc.Fields) > 0 && len(doc.Text) < largeBytes { // which has the same once more
			doc.Text = nil
		}
		return run.Words(doc)
	})
	free := sync.Pool{New: func() any { return new(sequences.Words) }}
	hash := func(_ context.Context, b *analysis.Batch) (all []field, _ error) {
		w := free.Get().(*sequences.Words)
		defer free.Put(w)
		for i := range b.Len() {
			is := b.Result(i)
			eachField(is.Fields, is.Text, j.o.fieldsOf(is.Source), func(name, value []byte) {
				all = append(all, field{i, name, value, w.AppendTo(nil, value)})
			})
		}
		return all, nil
	}
	s := &j.items
	s.text, s.ids.Bytes, s.texts.Bytes = newText(), j.newBytes(), j.newBytes()
	benchmarks, names := numbers{}, numbers{}
	return analysis.Texts(j.Context, documents, j.Threads, hash, func(b *analysis.Batch, fields []field) error {
		for i := range b.Len() {
			is := b.Result(i)
			judged := false
			for ; len(fields) > 0 && fields[0].item == i; fields = fields[1:] {
				f := &fields[0]
				if err := s.add(f.words, s.count()); err != nil {
					return err
				}
				name := names.of(f.name)
				if int(name) == len(s.fieldNames) {
					s.fieldNames = append(s.fieldNames, string(f.name))
				}
				s.named = append(s.named, name)
				s.texts.Add(f.text)
				judged = judged || j.rule.length(len(f.words)) > 0
			}
			s.ids.Add(is.ID)
			s.ends = append(s.ends, uint32(s.fields()))
			name := r.Name(is.Source)
			if is.Origin.Offset == 0 { // the file is the item, and its directory the benchmark
				name = path.Dir(name) + "/"
			}
			benchmark := benchmarks.of([]byte(name))
			if int(benchmark) == len(s.benchmarks) {
				s.benchmarks = append(s.benchmarks, Benchmark{Name: name})
			}
			if s.benchmarks[benchmark].Items++; !judged {
				s.benchmarks[benchmark].Short++
			}
			s.within = append(s.within, benchmark)
		}
		j.Did(r.Progress())
		return errors.Join(s.ids.Flush(), s.texts.Flush())
	})
}

// left says what forms leave of an item that is long enough to be judged: own words, enough of them in a field to be
// judged, and whether all words of a field are form.
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
	for item := 0; f.Form > 0 && item < s.count(); item++ {
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
			list = append(list, fmt.Sprintf("The only item of %s, %s, has %s: if it is many, write each as a record of JSON Lines.",
				s.benchmarks[benchmark].Name, terminal.Harmless(string(s.ids.At(item))), terminal.Plural(words, "word")))
		}
	}
	w := new(sequences.Words)
	for _, name := range s.fieldNames {
		if len(w.AppendTo(nil, []byte(name))) >= minWords {
			list = append(list, fmt.Sprintf("A field of the tests is called %q: if that is an item, its table lacks a first row with the names of the columns.", name))
			break
		}
	}
	return list
}

// Numbers are those of names, from 0 on.
type numbers map[string]uint32

// of returns the number of a name, which it gives if the name is new.
func (n numbers) of(name []byte) uint32 {
	is, ok := n[string(name)]
	if !ok {
		is = uint32(len(n))
		n[string(name)] = is
	}
	return is
}
