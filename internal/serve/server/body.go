package server

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"

	"simsearch/internal/serve/service"
)

// A buffer holds a body or an answer. Its first kilobytes are not counted. What it takes beyond is taken from the
// budget, and only as bytes come, so that ten thousand clients that announce much and send little take little.
type buffer struct {
	bytes  []byte
	from   *budget
	taken  int64
	pooled []byte
}

// uncounted is how many bytes of a buffer are not counted.
const uncounted = 4 << 10

var pool = sync.Pool{New: func() any { return new([uncounted]byte) }}

// newBuffer returns an empty buffer, which free gives back.
func newBuffer(from *budget) *buffer {
	b := &buffer{from: from}
	first, _ := pool.Get().(*[uncounted]byte)
	b.pooled = first[:]
	b.bytes = b.pooled[:0]
	return b
}

// free gives back what the buffer takes, of which nothing may be used any more. A second call does nothing.
func (b *buffer) free() {
	if b.from == nil {
		return
	}
	b.from.give(b.taken)
	if b.pooled != nil {
		pool.Put((*[uncounted]byte)(b.pooled))
	}
	*b = buffer{}
}

// grow makes room for more bytes, twice as many as now, but for no more than most and one.
func (b *buffer) grow(most int64) error {
	size := min(2*int64(cap(b.bytes)), max(most+1, uncounted))
	if !b.from.take(size) {
		return errMemory
	}
	larger := make([]byte, len(b.bytes), size)
	copy(larger, b.bytes)
	b.from.give(b.taken)
	b.bytes, b.taken = larger, size
	return nil
}

// write appends what is written, of which there may be most bytes in all.
func (b *buffer) write(more []byte, most int64) error {
	size := len(b.bytes) + len(more)
	if int64(size) > most {
		return service.Errorf(service.TooLarge, "", "the answer has more than %d bytes: ask for less at once", most)
	}
	for size > cap(b.bytes) {
		if err := b.grow(most); err != nil {
			return err
		}
	}
	b.bytes = append(b.bytes, more...)
	return nil
}

// read reads all of r, which may have most bytes.
func (b *buffer) read(r io.Reader, most int64) error {
	for {
		if len(b.bytes) == cap(b.bytes) {
			if err := b.grow(most); err != nil {
				return err
			}
		}
		n, err := r.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case int64(len(b.bytes)) > most:
			return tooLarge(most)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func tooLarge(most int64) error {
	return service.Errorf(service.TooLarge, "", "a body may have %d bytes: send it in parts", most)
}

// readBody reads the body of a request as it comes.
func (s *Server) readBody(b *buffer, r *http.Request) error {
	if r.ContentLength > s.o.MaxBody {
		return tooLarge(s.o.MaxBody)
	}
	if r.ContentLength == 0 {
		return nil
	}
	err := b.read(r.Body, s.o.MaxBody)
	switch e := (*service.Error)(nil); {
	case err == nil, errors.As(err, &e):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return service.Errorf(service.Deadline, "", "the body did not come within %v", bodyTime)
	}
	return service.Errorf(service.BadRequest, "", "the body did not come whole: %v", err)
}

// isLines returns whether the body of a request is a batch. A body has to say that it is JSON: browsers send that
// from no other page without asking first.
func isLines(h http.Header) (bool, error) {
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return false, service.Errorf(service.UnsupportedType, "Content-Encoding", "bodies are sent as they are, not compressed")
	}
	kind, parameters, err := h.Get("Content-Type"), map[string]string(nil), error(nil)
	if kind != "application/json" && kind != "application/x-ndjson" {
		kind, parameters, err = mime.ParseMediaType(kind)
	}
	if charset := parameters["charset"]; err == nil && charset != "" && !strings.EqualFold(charset, "utf-8") {
		return false, service.Errorf(service.UnsupportedType, "Content-Type", "JSON is UTF-8")
	}
	switch kind {
	case "application/json":
		return false, nil
	case "application/x-ndjson", "application/ndjson", "application/jsonl":
		return true, nil
	}
	return false, service.Errorf(service.UnsupportedType, "Content-Type", "want application/json, or application/x-ndjson for a batch")
}
