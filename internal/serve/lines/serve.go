// Package lines serves requests that come a line each, for programs that run this one as a child: NDJSON on standard
// input, answers in the order of the requests on standard output. A request is
// {"id":1,"op":"near","collection":"default","body":{"text":"…"}}, and its answer
// {"id":1,"status":200,"body":{"matches":[],"total":0}}.
//
// A program need not wait for an answer before it sends the next request. Requests that only read are worked on at
// the same time. One that writes waits for those before it, and those behind wait for it, so that all effects are as
// if each request had waited. Writes of one kind that come one behind the other are made together, and so are durable
// together.
package lines

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"simsearch/internal/files/inputs"
	"simsearch/internal/serve/service"
)

// Limits of what is in memory at once.
const (
	longestLine  = 64 << 20 // bytes, as of a body in HTTP
	mostInFlight = 512      // units of memory of requests whose answers have not been written; each has one at least
	unitBytes    = 128 << 10
)

// What requests have at most that are done together. A batch of this size costs little for each item, and is done soon.
const mostJoined, mostJoinedBytes = 256, 1 << 20

// grace is how long requests that have been read may take when the program is told to end.
const grace = 10 * time.Second

// Serve answers the requests of in until it ends, or until ctx is done: then no more are read, and those that were
// get their answers. A line that is no request gets an error for an answer. The error of Serve is one of in or out.
// When ctx is done, a goroutine may be left that waits for in.
func Serve(ctx context.Context, s service.API, in io.Reader, out io.Writer, o Options) error {
	return newServer(ctx, s, o).serve(in, out)
}

// Options say how lines are served.
type Options struct {
	ReadOnly bool      // nothing is changed
	Log      io.Writer // gets what is no answer

	longest int // bytes of a line, in tests
}

// A server answers requests. One goroutine reads them, one begins to do them in their order, and one writes the
// answers.
type server struct {
	reading, working context.Context // working lasts somewhat longer than reading
	stop, abandon    context.CancelFunc
	service          service.API
	o                Options
	log              *log.Logger
	ask              func(context.Context, *service.Operation, *service.Call) error
	read             chan *request
	begun            chan *request       // in the same order
	held             *semaphore.Weighted // the units of requests in flight
	err              error               // of reading; is there when read is closed
}

func newServer(ctx context.Context, s service.API, o Options) *server {
	o.longest, o.Log = cmp.Or(o.longest, longestLine), cmp.Or(o.Log, io.Discard)
	v := &server{service: s, o: o, log: log.New(o.Log, "simsearch: ", 0),
		ask:  func(ctx context.Context, o *service.Operation, c *service.Call) error { return o.Do(ctx, c) },
		read: make(chan *request, mostInFlight), begun: make(chan *request, mostInFlight),
		held: semaphore.NewWeighted(mostInFlight)}
	v.reading, v.stop = context.WithCancel(ctx)
	v.working, v.abandon = context.WithCancel(context.WithoutCancel(ctx))
	return v
}

// serve writes answers until there are no more requests.
func (v *server) serve(in io.Reader, out io.Writer) error {
	defer v.abandon()
	defer v.stop()
	defer context.AfterFunc(v.reading, func() { time.AfterFunc(grace, v.abandon) })()
	go v.readAll(in)
	failed := make(chan error, 1)
	go func() { failed <- v.beginAll() }()
	w := bufio.NewWriterSize(out, 64<<10)
	var err error
	for r := range v.begun {
		if err == nil {
			if err = v.write(w, r); err != nil { // nobody listens
				v.stop()
				v.abandon()
			}
		}
		v.held.Release(r.units)
	}
	return errors.Join(err, <-failed)
}

// write writes the answer to r, for which it waits. What has been written is sent before anything is waited for.
func (v *server) write(w *bufio.Writer, r *request) error {
	select {
	case <-r.answered:
	default:
		if err := w.Flush(); err != nil {
			return err
		}
		<-r.answered
	}
	_, err := w.Write(r.answer)
	if err == nil && len(v.begun) == 0 {
		err = w.Flush()
	}
	return err
}

// readAll reads requests until the input ends, or nothing is to be read any more.
func (v *server) readAll(in io.Reader) {
	defer close(v.read)
	from := bufio.NewReaderSize(inputs.Interruptibly(v.reading, in), 256<<10)
	var line []byte
	for n := 1; ; n++ {
		var tooLong bool
		var err error
		line, tooLong, err = service.ReadLine(from, line[:0], v.o.longest)
		if v.reading.Err() != nil {
			return
		}
		if len(bytes.TrimSpace(line)) > 0 {
			r := v.request(line, n, tooLong)
			if v.held.Acquire(v.reading, r.units) != nil {
				return
			}
			v.read <- r
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				v.err = fmt.Errorf("reading requests: %w", err)
			}
			return
		}
	}
}

// request returns the request of a line, which has an answer if it is refused.
func (v *server) request(line []byte, n int, tooLong bool) *request {
	units := int64(min(mostInFlight, 1+len(line)/unitBytes))
	r := &request{size: len(line), units: units, answered: make(chan struct{})}
	err := error(service.Errorf(service.TooLarge, fmt.Sprintf("line %d", n), "the line has more than %d bytes", v.o.longest))
	if !tooLong {
		err = r.parse(bytes.Clone(line), n)
	}
	if err == nil && r.op.Writes && v.o.ReadOnly {
		err = service.Errorf(service.ReadOnly, "", "nothing is changed here")
	}
	if err != nil {
		v.reply(r, 0, nil, err)
	}
	return r
}

// beginAll begins to do requests in their order, and returns the error of reading. Those that only read are done on
// other goroutines.
func (v *server) beginAll() error {
	defer close(v.begun)
	var reads sync.WaitGroup // which have not ended since the last write
	defer reads.Wait()
	slots := make(chan struct{}, runtime.GOMAXPROCS(0)) // of those that are done at the same time
	var behind *request                                 // which has been read, and not begun
	for {
		r := behind
		if behind = nil; r == nil {
			r = <-v.read
		}
		if r == nil {
			return v.err
		}
		v.begun <- r
		switch {
		case r.answer != nil:
		case r.op.Writes:
			reads.Wait()
			rs := []*request{r}
			for size := r.size; r.joins(r) && len(rs) < mostJoined; behind = nil {
				select {
				case behind = <-v.read:
				default:
				}
				if behind == nil || behind.answer != nil || !behind.joins(r) {
					break
				}
				if size += behind.size; size > mostJoinedBytes {
					break
				}
				v.begun <- behind
				rs = append(rs, behind)
			}
			v.do(v.working, rs...)
		default:
			slots <- struct{}{}
			reads.Go(func() {
				v.do(v.working, r)
				<-slots
			})
		}
	}
}
