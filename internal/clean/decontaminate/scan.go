package decontaminate

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math/bits"
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
	file, number   uint64 // number is its place among the documents of its file, from 0
	offset, length uint64 // of its document.Origin
	digest         uint64 // of its text
	covered        []span // what counts of all items together, as bytes of the text
}

// A foundHit is a hit with the bytes of the document.
type foundHit struct {
	find    find
	at      uint64 // what tells its find from others
	covered int
	runs    []foundRun
}

// A foundRun is a run: words of the field, and bytes of the document.
type foundRun struct{ test, document span }

// numbers are integers that are written and read in turn.
type numbers struct{ bytes []byte }

func (n *numbers) put(x int) { n.bytes = binary.AppendUvarint(n.bytes, uint64(x)) }

func (n *numbers) get() int {
	x, size := binary.Uvarint(n.bytes)
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
	return n.bytes
}

// appendTo appends the hit as finds.hit reads it. Its find begins a number of bytes before it.
func (h *foundHit) appendTo(dst []byte, before int) []byte {
	n := numbers{bytes: dst}
	n.put(before)
	n.put(h.covered)
	n.put(len(h.runs))
	for _, r := range h.runs {
		n.putSpan(r.test)
		n.putSpan(r.document)
	}
	return n.bytes
}

// decode sets f to what appendTo has appended at the beginning of data.
func (f *find) decode(data []byte) {
	n := numbers{bytes: data}
	size := n.get()
	f.id, n.bytes = n.bytes[:size], n.bytes[size:]
	for _, x := range []*uint64{&f.file, &f.number, &f.offset, &f.length, &f.digest} {
		*x = uint64(n.get())
	}
	f.covered = f.covered[:0]
	for range n.get() {
		f.covered = append(f.covered, n.getSpan())
	}
}

// finds are all that is found, in the order of the documents: in memory 8 bytes for each document, and some of the hits.
type finds struct {
	bytes   spill.Bytes
	all     []byte   // when all is found
	starts  []uint64 // of each find
	end     uint64
	formats []string // of the files, as document.Origin names them, or ""
	first   []int    // the first find of each file, and the number of all

	hits      *spill.Sorter // of each hit, the field and where it begins
	placeBits uint          // of a key of hits say where the hit begins
	keys      []uint64
}

// hitsInMemory is how many hits are in memory.
const hitsInMemory = 1 << 22

// errTooLong is returned if the keys of hits have too few bits.
var errTooLong = errors.New("too much is found to list it: look into fewer documents, or for fewer items, at a time")

// begin makes the finds ready for add, of hits of as many fields.
func (s *finds) begin(o *run.Options, fields int) {
	s.bytes, s.hits = spill.NewBytes(o.FS, o.Temp, spill.Holds), spill.NewSorter(o.FS, o.Temp, hitsInMemory)
	s.placeBits = 64 - uint(bits.Len(uint(fields)))
}

// add adds a find with its hits, in the order of the documents. The hits are of some fields, and begin at places of data.
func (s *finds) add(data []byte, file int, fields, places []int) error {
	for len(s.first) <= file {
		s.first = append(s.first, len(s.starts))
	}
	if s.end+uint64(len(data)) > 1<<s.placeBits {
		return errTooLong
	}
	s.keys = s.keys[:0]
	for i, field := range fields {
		s.keys = append(s.keys, uint64(field)<<s.placeBits|s.end+uint64(places[i]))
	}
	s.starts = append(s.starts, s.end)
	s.end += uint64(len(data))
	s.bytes.Append(data)
	return s.hits.Add(s.keys)
}

// finish makes the finds ready for get and hit.
func (s *finds) finish(files int) (err error) {
	for len(s.first) <= files {
		s.first = append(s.first, len(s.starts))
	}
	s.all, err = s.bytes.Map()
	return err
}

// get reads a find.
func (s *finds) get(i int, f *find) { f.decode(s.all[s.starts[i]:]) }

// fieldOf returns the field of a key of hits.
func (s *finds) fieldOf(key uint64) int { return int(key >> s.placeBits) }

// hit reads the hit of a key, and its find.
func (s *finds) hit(key uint64, h *foundHit) {
	at := key & (1<<s.placeBits - 1)
	n := numbers{bytes: s.all[at:]}
	h.at = at - uint64(n.get())
	h.covered, h.runs = n.get(), h.runs[:0]
	for range n.get() {
		h.runs = append(h.runs, foundRun{n.getSpan(), n.getSpan()})
	}
	h.find.decode(s.all[h.at:])
}

func (s *finds) close() error {
	if s.hits == nil {
		return nil
	}
	return errors.Join(s.bytes.Close(), s.hits.Close())
}

// A scanner finds what documents have in common with the tests. It must not be used by several goroutines at once.
type scanner struct {
	*sequences.Words
	finding
	hashes []uint64
	shown  []foundRun
}

// newScanners returns a pool of scanners.
func newScanners(f *finder) *sync.Pool {
	return &sync.Pool{New: func() any { return &scanner{Words: new(sequences.Words), finding: finding{finder: f}} }}
}

// scanned is what is found in a batch.
type scanned struct {
	data           []byte
	ends           []int   // of the finds, in data
	files          []int   // of the finds
	fields, places [][]int // of the hits of each find
	counts         []counted
}

// A counted is how many documents, of how many bytes, a batch has of a file, and in how many of them something counts.
type counted struct {
	file, documents, found int
	bytes                  int64
}

// scan finds what all documents have in common with the tests.
func (j *job) scan() error {
	j.found.begin(&j.Options, j.items.fields())
	j.found.formats = make([]string, len(j.Files))
	j.report.Sources = make([]Source, len(j.Files))
	for i, file := range j.Files {
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
	err := analysis.Texts(j.Context, j.documents(), j.Threads, work, func(b *analysis.Batch, out scanned) error {
		from := 0
		for i, end := range out.ends {
			if err := j.found.add(out.data[from:end], out.files[i], out.fields[i], out.places[i]); err != nil {
				return err
			}
			from = end
		}
		for _, c := range out.counts {
			s := &j.report.Sources[c.file]
			s.Documents, s.Bytes, s.Found = s.Documents+c.documents, s.Bytes+c.bytes, s.Found+c.found
		}
		j.Did(j.Reader.Progress())
		return j.found.bytes.Flush()
	})
	if err != nil {
		return err
	}
	return j.found.finish(len(j.Files))
}

// largeBytes is the size of texts whose working memory is not kept.
const largeBytes = 1 << 20

// documents yields the training documents. In place of its fields, each has the number of its file and its place among the documents
// of the file.
func (j *job) documents() iter.Seq2[*document.Document, error] {
	last, number := -1, uint64(0)
	var place [16]byte
	return run.Documents(j.Reader, func(file int, is *corpus.BadError) {
		if j.TellBad(is); len(j.Files) > 0 {
			j.report.Sources[file].Bad++
		}
	}, func(file int, doc *document.Document) error {
		if file != last {
			last, number, j.found.formats[file] = file, 0, doc.Origin.Format
		}
		binary.LittleEndian.PutUint64(place[:], uint64(file))
		binary.LittleEndian.PutUint64(place[8:], number)
		doc.Fields = place[:]
		number++
		return run.Words(doc)
	})
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
	if len(covered) > 0 {
		c.found++
	}
	start := len(out.data)
	out.data = f.appendTo(out.data)
	var fields, places []int
	for _, h := range hits {
		s.shown = s.shown[:0]
		for _, r := range h.runs {
			s.shown = append(s.shown, foundRun{span{r.test, r.test + r.length}, bytesOf(r.document, r.document+r.length)})
		}
		before := len(out.data) - start
		fields, places = append(fields, h.field), append(places, before)
		out.data = (&foundHit{covered: h.covered, runs: s.shown}).appendTo(out.data, before)
	}
	out.ends, out.files = append(out.ends, len(out.data)), append(out.files, file)
	out.fields, out.places = append(out.fields, fields), append(out.places, places)
}
