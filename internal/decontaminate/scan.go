package decontaminate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/analysis"
	"simsearch/internal/corpus"
	"simsearch/internal/document"
	"simsearch/internal/ints"
	"simsearch/internal/spill"
	"simsearch/internal/wordhash"
)

// A find is a document in which something is found.
type find struct {
	id             []byte
	file, number   uint64 // number is its place among the documents of its file, from 0
	offset, length uint64 // of its document.Origin
	digest         uint64 // of its text
	covered        []span // what is found of all items together, as bytes of the text
	hits           []foundHit
}

// A foundHit is a hit with the bytes of the document.
type foundHit struct {
	field, covered uint64
	runs           []foundRun
}

// A foundRun is a run: words of the field, and bytes of the document.
type foundRun struct{ test, document span }

// numbers are integers that are written and read in turn.
type numbers struct {
	bytes []byte
	cut   bool // there were fewer bytes
}

func (n *numbers) put(x int) { n.bytes = binary.AppendUvarint(n.bytes, uint64(x)) }

func (n *numbers) get() int {
	x, size := binary.Uvarint(n.bytes)
	if size <= 0 {
		n.cut, n.bytes = true, nil
		return 0
	}
	n.bytes = n.bytes[size:]
	return int(x)
}

func (n *numbers) putSpan(s span) {
	n.put(s[0])
	n.put(s[1])
}

func (n *numbers) getSpan() span { return span{n.get(), n.get()} }

// appendTo appends the find as decode reads it.
func (f *find) appendTo(dst []byte) []byte {
	n := numbers{bytes: dst}
	n.put(len(f.id))
	n.bytes = append(n.bytes, f.id...)
	for _, x := range []uint64{f.file, f.number, f.offset, f.length, f.digest} {
		n.bytes = binary.AppendUvarint(n.bytes, x)
	}
	n.put(len(f.covered))
	for _, s := range f.covered {
		n.putSpan(s)
	}
	n.put(len(f.hits))
	for _, h := range f.hits {
		n.bytes = binary.AppendUvarint(binary.AppendUvarint(n.bytes, h.field), h.covered)
		n.put(len(h.runs))
		for _, r := range h.runs {
			n.putSpan(r.test)
			n.putSpan(r.document)
		}
	}
	return n.bytes
}

// errCut is returned if a temporary file was changed.
var errCut = errors.New("a temporary file was changed")

// decode sets f to what appendTo has appended at the beginning of data.
func (f *find) decode(data []byte) error {
	n := numbers{bytes: data}
	size := n.get()
	if size > len(n.bytes) {
		return errCut
	}
	f.id, n.bytes = n.bytes[:size], n.bytes[size:]
	for _, x := range []*uint64{&f.file, &f.number, &f.offset, &f.length, &f.digest} {
		*x = uint64(n.get())
	}
	f.covered, f.hits = f.covered[:0], f.hits[:0]
	for range n.get() {
		if f.covered = append(f.covered, n.getSpan()); n.cut {
			return errCut
		}
	}
	for range n.get() {
		h := foundHit{field: uint64(n.get()), covered: uint64(n.get())}
		for range n.get() {
			if h.runs = append(h.runs, foundRun{n.getSpan(), n.getSpan()}); n.cut {
				return errCut
			}
		}
		f.hits = append(f.hits, h)
	}
	if n.cut {
		return errCut
	}
	return nil
}

// finds are all that is found, in the order of the documents: in memory 8 bytes for each document, and for each hit.
type finds struct {
	bytes   spill.Bytes
	all     []byte   // when all is found
	starts  []uint64 // of each find
	end     uint64
	hits    []uint64 // the field, and the number of the find
	formats []string // of the files, as document.Origin names them, or ""
	first   []int    // the first find of each file, and the number of all
}

// add adds a find, in the order of the documents.
func (s *finds) add(data []byte, file int, fields []uint64) {
	for len(s.first) <= file {
		s.first = append(s.first, len(s.starts))
	}
	for _, field := range fields {
		s.hits = append(s.hits, field<<32|uint64(len(s.starts)))
	}
	s.starts = append(s.starts, s.end)
	s.end += uint64(len(data))
	s.bytes.Append(data)
}

// finish makes the finds ready for get.
func (s *finds) finish(files int) (err error) {
	for len(s.first) <= files {
		s.first = append(s.first, len(s.starts))
	}
	ints.Sort(s.hits, make([]uint64, len(s.hits)))
	s.all, err = s.bytes.Map()
	return err
}

// get reads a find.
func (s *finds) get(i int, f *find) error { return f.decode(s.all[s.starts[i]:]) }

func (s *finds) close() error { return s.bytes.Close() }

// A scanner finds what documents have in common with the tests. It must not be used by several goroutines at once.
type scanner struct {
	*wordhash.Words
	finding
	hashes []uint64
}

// newScanners returns a pool of scanners.
func newScanners(f *finder) *sync.Pool {
	return &sync.Pool{New: func() any { return &scanner{Words: wordhash.New(), finding: finding{finder: f}} }}
}

// scanned is what is found in a batch.
type scanned struct {
	data   []byte
	ends   []int      // of the finds, in data
	files  []int      // of the finds
	fields [][]uint64 // of the finds
	counts []counted
}

// A counted is how many documents, of how many bytes, a batch has of a file.
type counted struct {
	file, documents int
	bytes           int64
}

// scan finds what all documents have in common with the tests.
func (j *job) scan() error {
	j.found.bytes = spill.NewBytes(j.o.FS, j.o.Temp, spill.Holds)
	j.found.formats = make([]string, len(j.files))
	j.report.Sources = make([]Source, len(j.files))
	for i, file := range j.files {
		j.report.Sources[i].Path = file.Path
	}
	scanners := newScanners(j.finder)
	work := func(_ context.Context, b *analysis.Batch) (out scanned, err error) {
		s := scanners.Get().(*scanner)
		large := false
		for i := range b.Len() {
			is := b.Result(i)
			s.scan(is, &out)
			large = large || len(is.Text) > largeBytes
		}
		if !large { // else it has much memory
			scanners.Put(s)
		}
		return out, nil
	}
	err := analysis.Texts(j.ctx, j.documents(), j.o.Threads, work, func(b *analysis.Batch, out scanned) error {
		from := 0
		for i, end := range out.ends {
			j.found.add(out.data[from:end], out.files[i], out.fields[i])
			j.report.Sources[out.files[i]].Found++
			from = end
		}
		for _, c := range out.counts {
			s := &j.report.Sources[c.file]
			s.Documents, s.Bytes = s.Documents+c.documents, s.Bytes+c.bytes
		}
		if j.o.Progress != nil {
			j.o.Progress(j.train.Progress())
		}
		return j.found.bytes.Flush()
	})
	if err != nil {
		return err
	}
	return j.found.finish(len(j.files))
}

// largeBytes is the size of texts whose working memory is not kept.
const largeBytes = 1 << 20

// documents yields the training documents. In place of its fields, each has the number of its file and its place among the documents
// of the file.
func (j *job) documents() iter.Seq2[*document.Document, error] {
	at := places{files: j.files}
	last, number := -1, uint64(0)
	var place [16]byte
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range j.train.Documents() {
			if b := (*corpus.BadError)(nil); errors.As(err, &b) && !errors.Is(err, context.Canceled) {
				j.bad(b)
				if len(j.files) > 0 {
					j.report.Sources[at.of(b.Path)].Bad++
				}
				continue
			}
			if err == nil && doc.Given() {
				err = fmt.Errorf("%s: %w", doc.Source, errNoWords)
			}
			if err == nil {
				file := at.of(doc.Source)
				if file != last {
					last, number, j.found.formats[file] = file, 0, doc.Origin.Format
				}
				binary.LittleEndian.PutUint64(place[:], uint64(file))
				binary.LittleEndian.PutUint64(place[8:], number)
				doc.Fields = place[:]
				number++
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// scan adds what a document has in common with the tests.
func (s *scanner) scan(is analysis.Result, out *scanned) {
	file := int(binary.LittleEndian.Uint64(is.Fields))
	if n := len(out.counts); n == 0 || out.counts[n-1].file != file {
		out.counts = append(out.counts, counted{file: file})
	}
	c := &out.counts[len(out.counts)-1]
	c.documents, c.bytes = c.documents+1, c.bytes+int64(len(is.Text))
	s.hashes = s.AppendTo(s.hashes[:0], is.Text)
	hits, covered := s.find(s.hashes)
	if len(hits) == 0 {
		return
	}
	at := s.LastPlaces(is.Text)
	bytesOf := func(from, to int) span { return span{at[from][0], at[to-1][1]} }
	f := find{
		id: is.ID, file: uint64(file), number: binary.LittleEndian.Uint64(is.Fields[8:]), digest: murmur3.Sum64(is.Text),
		offset: uint64(is.Origin.Offset), length: uint64(is.Origin.Length),
	}
	for _, c := range covered {
		f.covered = append(f.covered, bytesOf(c[0], c[1]))
	}
	var fields []uint64
	for _, h := range hits {
		fields = append(fields, uint64(h.field))
		found := foundHit{field: uint64(h.field), covered: uint64(h.covered)}
		for _, r := range h.runs {
			found.runs = append(found.runs, foundRun{span{r.test, r.test + r.length}, bytesOf(r.document, r.document+r.length)})
		}
		f.hits = append(f.hits, found)
	}
	out.data = f.appendTo(out.data)
	out.ends, out.files, out.fields = append(out.ends, len(out.data)), append(out.files, file), append(out.fields, fields)
}
