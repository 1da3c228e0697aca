package rewrite

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/spaolacci/murmur3"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/warc"
)

// A crawl is a file of records, some of which are pages. Where a page is dropped, the records that belong to it alone go with
// it: the request for it, and metadata. They name it, are named by it, or have its address and date. They stand behind a page,
// or between it and the page before it: a record that belongs to a page further on stays.
type crawl struct {
	lines
	records recordReader
	r       *corpus.Reader
}

// newCrawl returns the sink for the file that r reads.
func newCrawl(pages lines, r *corpus.Reader) *crawl {
	return &crawl{lines: pages, records: newRecordReader(pages.copier, relations{}), r: r}
}

func (c *crawl) keep(at corpus.Extent, doc *document.Document, d Decision) error {
	if err := c.before(at, true); err != nil {
		return err
	}
	return c.lines.keep(at, doc, d)
}

func (c *crawl) drop(at corpus.Extent) error {
	if err := c.before(at, false); err != nil {
		return err
	}
	return c.lines.drop(at)
}

func (c *crawl) copy(at corpus.Extent) error {
	if err := c.before(at, true); err != nil {
		return err
	}
	return c.lines.copy(at)
}

// before writes the records before a page that stay.
func (c *crawl) before(at corpus.Extent, kept bool) error {
	c.records.pages.add(c.r.RecordHeader(), kept)
	return c.copyRecords(at.Start, false)
}

// copyRecords writes the records before an offset that stay.
func (c *crawl) copyRecords(end int64, damaged bool) error {
	for c.records.pages.dropped > 0 && (c.at < end || c.records.loaded) {
		err := c.records.load(end)
		if err == nil {
			to := io.Writer(c.out)
			if c.records.isDropped() {
				to = io.Discard
			}
			_, err = c.records.take(to, end)
		}
		switch {
		case errors.Is(err, io.EOF) && end == toTheEnd, err != nil && damaged:
			return nil
		case err != nil:
			return ended(err)
		}
	}
	return nil
}

// toTheEnd is an offset behind all others.
const toTheEnd = 1 << 62

func (c *crawl) end(damaged bool) error {
	if err := c.copyRecords(toTheEnd, damaged); err != nil {
		return err
	}
	return c.lines.end(damaged)
}

// relations say which records belong to pages, by hashes of what names them.
type relations struct {
	kept    map[uint64]bool // whether a page with that name stays
	dropped int             // pages
}

// The fields of records that name others.
const (
	recordIDField     = "WARC-Record-ID"
	concurrentToField = "WARC-Concurrent-To"
	refersToField     = "WARC-Refers-To"
)

// add adds a page with a header.
func (r *relations) add(header []byte, kept bool) {
	if r.kept == nil {
		r.kept = map[uint64]bool{}
	}
	if !kept {
		r.dropped++
	}
	rec := &warc.Record{Header: header}
	for _, name := range append(rec.Fields(concurrentToField), rec.Field(recordIDField), addressAndDate(rec)) {
		if len(name) > 0 {
			hash := murmur3.Sum64(name)
			r.kept[hash] = r.kept[hash] || kept
		}
	}
}

// addressAndDate returns what a page and its request have in common if they do not name each other.
func addressAndDate(rec *warc.Record) []byte {
	address, date := rec.Field("WARC-Target-URI"), rec.Field("WARC-Date")
	if len(address) == 0 || len(date) == 0 {
		return nil
	}
	return bytes.Join([][]byte{address, date}, []byte("\n"))
}

// drops reports whether a record belongs to pages that are dropped, and to none that stays. What belongs to the record does
// so, too.
func (r *relations) drops(rec *warc.Record) bool {
	switch string(bytes.ToLower(rec.Field("WARC-Type"))) {
	case "request", "metadata":
	default:
		return false
	}
	names := append(rec.Fields(concurrentToField), rec.Fields(refersToField)...)
	id := rec.Field(recordIDField)
	if len(names) == 0 {
		names = append(names, addressAndDate(rec))
	}
	drops := false
	for _, name := range append(names, id) {
		if kept, ok := r.kept[murmur3.Sum64(name)]; ok && len(name) > 0 {
			if kept {
				return false
			}
			drops = true
		}
	}
	if drops && len(id) > 0 {
		r.kept[murmur3.Sum64(id)] = false
	}
	return drops
}

// A recordReader reads what a copier copies record by record.
type recordReader struct {
	*copier
	buf    *bufio.Reader
	pages  relations
	loaded bool
	head   []byte // of the next record, or a line that is none
	block  int64  // bytes behind head
}

// newRecordReader takes the place of what c reads from. Nothing is read ahead beyond a member of gzip.
func newRecordReader(c *copier, pages relations) recordReader {
	buf := bufio.NewReaderSize(c.from, 64<<10)
	c.from = buf
	return recordReader{copier: c, buf: buf, pages: pages}
}

// load reads the header of the next record, which begins before offset end. The error is io.EOF if there is none.
func (r *recordReader) load(end int64) error {
	if r.loaded {
		return nil
	}
	const most = 1 << 20 // bytes of a header
	r.head, r.block = r.head[:0], 0
	for start := 0; ; {
		part, err := r.buf.ReadSlice('\n')
		r.head = append(r.head, part...)
		r.at += int64(len(part))
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(r.head) < most && r.at < end:
			continue
		case err != nil && len(r.head) == 0:
			return err
		}
		blank := len(bytes.TrimRight(r.head[start:], "\r\n")) == 0
		isRecord := bytes.HasPrefix(r.head, []byte(warc.Magic))
		if err != nil || blank || !isRecord || len(r.head) >= most || r.at >= end {
			if length, err := strconv.ParseInt(string((&warc.Record{Header: r.head}).Field("Content-Length")), 10, 64); err == nil && isRecord && blank {
				r.block = max(0, length)
			}
			r.loaded = true
			return nil
		}
		start = len(r.head)
	}
}

// isDropped reports whether the record that is loaded is to be left out.
func (r *recordReader) isDropped() bool { return r.pages.drops(&warc.Record{Header: r.head}) }

// take writes the record that is loaded, with the line ends behind it, and returns its length. It ends at offset end at
// the latest.
func (r *recordReader) take(to io.Writer, end int64) (int64, error) {
	r.loaded = false
	start := r.at - int64(len(r.head))
	if err := write(to, r.head); err != nil {
		return 0, err
	}
	if err := r.pass(min(end, r.at+min(r.block, toTheEnd)), to); err != nil {
		return 0, err
	}
	for range len("\r\n\r\n") {
		if r.at >= end {
			break
		}
		if next, _ := r.buf.Peek(1); len(next) == 0 || next[0] != '\r' && next[0] != '\n' {
			break
		}
		if err := r.pass(r.at+1, to); err != nil {
			return 0, err
		}
	}
	return r.at - start, nil
}
