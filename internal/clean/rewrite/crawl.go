package rewrite

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/syntax"
)

// A crawl is a file of records, some of which are pages. Where a page is dropped, the records that belong to it alone
// go with it: the request for it, and metadata. They name it, are named by it, or have its address and date. They
// stand behind a page, or between it and the page before it: a record that belongs to a page further on stays.
type crawl struct {
	parts
	pages   func() []byte // the header of the last page
	records *syntax.CrawlReader
	from    *records
	kept    map[uint64]bool // whether a page stays, by hashes of what names it
	dropped int             // pages
}

// newCrawl returns the sink for the file that r reads. Nothing is read ahead beyond a member of gzip.
func newCrawl(pages parts, r *corpus.Reader) *crawl {
	from := &records{Reader: bufio.NewReaderSize(pages.from, 64<<10), copier: pages.copier}
	pages.from = from.Reader
	return &crawl{parts: pages, pages: r.RecordHeader, records: syntax.NewCrawlReader(from, 0), from: from, kept: map[uint64]bool{}}
}

func (c *crawl) put(at corpus.Extent, d Decision) error {
	c.addPage(&syntax.CrawlRecord{Header: c.pages()}, !d.Drop)
	if err := c.copyRecords(at.Start, false); err != nil {
		return err
	}
	return c.parts.put(at, d)
}

func (c *crawl) end(damaged bool) error {
	if err := c.copyRecords(toTheEnd, damaged); err != nil {
		return err
	}
	return c.parts.end(damaged)
}

// copyRecords writes the records before an offset that stay.
func (c *crawl) copyRecords(end int64, damaged bool) error {
	for c.dropped > 0 && c.at < end {
		if next, _ := c.from.Peek(1); len(next) > 0 && (next[0] == '\r' || next[0] == '\n') { // the next record may begin at end
			if err := c.copyTo(c.at + 1); err != nil {
				return err
			}
			continue
		}
		var failed error
		c.from.to = c.out
		_, err := c.records.Next(func(record *syntax.CrawlRecord) bool {
			if c.drops(record) {
				c.from.to = io.Discard
			}
			failed = c.from.writeHead()
			return false
		})
		switch {
		case failed != nil:
			return failed
		case errors.Is(err, io.EOF) && end == toTheEnd, err != nil && damaged:
			return c.from.writeHead() // of what is no record
		case errors.Is(err, io.EOF), errors.Is(err, syntax.ErrDamaged):
			return fmt.Errorf("%w: %w", ErrChanged, err)
		case err != nil:
			return err
		}
	}
	return nil
}

// A records is what a copier copies, for a syntax.CrawlReader: what that passes over is written.
type records struct {
	*bufio.Reader
	copier *copier
	to     io.Writer
	head   []byte // of a record, which is read and not written yet
}

func (r *records) writeHead() error {
	head := r.head
	r.head = head[:0]
	return write(r.to, head)
}

// Offset is that of the copier.
func (r *records) Offset() int64 { return r.copier.at }

// ReadSlice reads a line of the head of a record.
func (r *records) ReadSlice(delim byte) ([]byte, error) {
	line, err := r.Reader.ReadSlice(delim)
	r.copier.at += int64(len(line))
	r.head = append(r.head, line...)
	return line, err
}

// Discard writes the next n bytes.
func (r *records) Discard(n int) (int, error) {
	from := r.copier.at
	err := r.copier.pass(from+int64(n), r.to)
	return int(r.copier.at - from), err
}

// The fields of records that name others.
const (
	recordIDField     = "WARC-Record-ID"
	concurrentToField = "WARC-Concurrent-To"
	refersToField     = "WARC-Refers-To"
)

// addPage remembers whether a page stays.
func (c *crawl) addPage(page *syntax.CrawlRecord, kept bool) {
	if !kept {
		c.dropped++
	}
	for _, name := range append(page.Fields(concurrentToField), page.Field(recordIDField), addressAndDate(page)) {
		if len(name) > 0 {
			hash := murmur3.Sum64(name)
			c.kept[hash] = c.kept[hash] || kept
		}
	}
}

// addressAndDate returns what a page and its request have in common if they do not name each other.
func addressAndDate(record *syntax.CrawlRecord) []byte {
	address, date := record.Field("WARC-Target-URI"), record.Field("WARC-Date")
	if len(address) == 0 || len(date) == 0 {
		return nil
	}
	return bytes.Join([][]byte{address, date}, []byte("\n"))
}

// drops reports whether a record belongs to pages that are dropped, and to none that stays. What belongs to the
// record does so, too.
func (c *crawl) drops(record *syntax.CrawlRecord) bool {
	if record.Type != "request" && record.Type != "metadata" {
		return false
	}
	names := append(record.Fields(concurrentToField), record.Fields(refersToField)...)
	if len(names) == 0 {
		names = append(names, addressAndDate(record))
	}
	id := record.Field(recordIDField)
	drops := false
	for _, name := range append(names, id) {
		if kept, ok := c.kept[murmur3.Sum64(name)]; ok && len(name) > 0 {
			if kept {
				return false
			}
			drops = true
		}
	}
	if drops && len(id) > 0 {
		c.kept[murmur3.Sum64(id)] = false
	}
	return drops
}
