package decontaminate

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/sequences"
)

// A find is a document in which something is found.
type find struct {
	id             []byte
	file, number   int   // number is its place among the documents of its file, from 0
	offset, length int64 // of its document.Origin
	digest         uint64
	covered        []span // what counts of all items together, as bytes of the text
	hits           []foundHit
}

// A foundHit is a hit with the bytes of the document: the number of its find, how many words are covered, and four
// numbers for each run: the words of the field from one to before another, and the bytes of the document.
type foundHit struct {
	field int
	words []uint64
}

// finds are all that is found, in the order of the documents: in memory 16 bytes for each document and 8 for each hit,
// and some of the hits.
type finds struct {
	list, ids, hits spill.Records
	order           *spill.Sorter // of each hit, the field and its number
	formats         []string      // of the files, as document.Origin names them, or ""
	first           []int         // the first find of each file, and the number of all
}

// hitsInMemory is how many hits are in memory.
const hitsInMemory = 1 << 22

// errManyHits is returned if the numbers of hits have too few bits.
var errManyHits = errors.New("too much is found to list it: look into fewer documents, or for fewer items, at a time")

// add adds a find with its hits, in the order of the documents.
func (s *finds) add(f *find) error {
	s.skip(f.file)
	var keys []uint64
	for _, h := range f.hits {
		keys = append(keys, uint64(h.field)<<32|uint64(s.hits.Len()))
		h.words[0] = uint64(s.list.Len())
		s.hits.AddWords(h.words...)
	}
	words := []uint64{f.digest, uint64(f.file), uint64(f.number), uint64(f.offset), uint64(f.length)}
	for _, c := range f.covered {
		words = append(words, uint64(c[0]), uint64(c[1]))
	}
	s.list.AddWords(words...)
	if s.ids.Add(f.id); s.hits.Len() > math.MaxUint32 {
		return errManyHits
	}
	return s.order.Add(keys)
}

// get reads a find, without its hits.
func (s *finds) get(i int) find {
	w := s.list.Words(i)
	f := find{id: s.ids.At(i), digest: w[0], file: int(w[1]), number: int(w[2]), offset: int64(w[3]), length: int64(w[4])}
	for c := range slices.Chunk(w[5:], 2) {
		f.covered = append(f.covered, span{int(c[0]), int(c[1])})
	}
	return f
}

// skip begins the finds of the files up to one.
func (s *finds) skip(file int) {
	for len(s.first) <= file {
		s.first = append(s.first, s.list.Len())
	}
}

// A scanner finds what documents have in common with the tests. It must not be used by several goroutines at once.
type scanner struct {
	sequences.Words
	finding
	hashes []uint64
}

// scan finds what all documents have in common with the tests.
func (j *job) scan() error {
	j.found.list.Bytes, j.found.ids.Bytes, j.found.hits.Bytes = j.newBytes(), j.newBytes(), j.newBytes()
	j.found.order = spill.NewSorter(j.FS, j.Temp, hitsInMemory)
	j.found.formats = make([]string, len(j.Files))
	j.report.Sources = make([]Source, len(j.Files))
	for i, file := range j.Files {
		j.report.Sources[i].Path = file.Path
	}
	scanners := sync.Pool{New: func() any { return &scanner{finding: finding{finder: j.finder}} }}
	work := func(_ context.Context, b *analysis.Batch) (found []find, _ error) {
		s := scanners.Get().(*scanner)
		large := false
		for i := range b.Len() {
			is := b.Result(i)
			found = s.scan(found, i, is)
			large = large || len(is.Text) > largeBytes
		}
		if !large { // else it has much memory
			scanners.Put(s)
		}
		return found, nil
	}
	documents := j.Documents(j.Reader, func(file int) {
		if len(j.Files) > 0 {
			j.report.Sources[file].Bad++
		}
	}, func(_ int, doc *document.Document) error { return run.Words(doc) })
	file := 0
	err := analysis.Texts(j.Context, documents, j.Threads, work, func(b *analysis.Batch, found []find) error {
		for i := range b.Len() {
			is := b.Result(i)
			if next := slices.IndexFunc(j.Files[file:], func(f corpus.File) bool { return f.Path == is.Source }); next > 0 {
				file += next
			}
			s := &j.report.Sources[file]
			j.found.formats[file] = is.Origin.Format
			if len(found) > 0 && found[0].number == i {
				if found[0].file, found[0].number = file, s.Documents; len(found[0].covered) > 0 {
					s.Found++
				}
				if err := j.found.add(&found[0]); err != nil {
					return err
				}
				found = found[1:]
			}
			s.Documents, s.Bytes = s.Documents+1, s.Bytes+int64(len(is.Text))
		}
		j.Did(j.Reader.Progress())
		return errors.Join(j.found.list.Flush(), j.found.ids.Flush(), j.found.hits.Flush())
	})
	if err != nil {
		return err
	}
	j.found.skip(len(j.Files))
	return errors.Join(j.found.list.Map(), j.found.ids.Map(), j.found.hits.Map())
}

// largeBytes is the size of texts whose working memory is not kept.
const largeBytes = 1 << 20

// scan appends what a document of a batch has in common with the tests, if there is something.
func (s *scanner) scan(dst []find, number int, is analysis.Result) []find {
	s.hashes = s.AppendTo(s.hashes[:0], is.Text)
	hits, covered := s.find(s.hashes)
	if len(hits) == 0 {
		return dst
	}
	at := s.LastPlaces(is.Text)
	bytesOf := func(from, to int) span { return span{at[from][0], at[to-1][1]} }
	f := find{id: is.ID, number: number, digest: murmur3.Sum64(is.Text), offset: is.Origin.Offset, length: is.Origin.Length}
	for _, c := range covered {
		f.covered = append(f.covered, bytesOf(c[0], c[1]))
	}
	for _, h := range hits {
		is := foundHit{h.field, []uint64{0, uint64(h.covered)}}
		for _, r := range h.runs {
			to := bytesOf(r.document, r.document+r.length)
			is.words = append(is.words, uint64(r.test), uint64(r.test+r.length), uint64(to[0]), uint64(to[1]))
		}
		f.hits = append(f.hits, is)
	}
	return append(dst, f)
}
