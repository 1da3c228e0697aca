// Package lines serves requests that come a line each, for programs that run this one as a child: NDJSON on standard input, answers in
// the order of the requests on standard output. A request is {"id":1,"op":"near","collection":"default","body":{"text":"…"}}, and
// its answer {"id":1,"status":200,"body":{"matches":[],"total":0}}.
//
// A program need not wait for an answer before it sends the next request. Requests that only read are worked on at the same time. One
// that writes waits for those before it, and those behind wait for it, so that all effects are as if each request had waited. Writes of
// one kind that come one behind the other are made together, and so are durable together.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"simsearch/internal/operations"
	"simsearch/internal/service"
)

// Limits of what is in memory at once.
const (
	longestLine  = 64 << 20 // bytes, as of a body in HTTP
	mostInFlight = 512      // requests whose answers have not been written
	mostBytes    = 64 << 20 // of these requests, if they are more than one
)

// grace is how long requests that have been read may take when the program is told to end.
const grace = 10 * time.Second

// Serve answers the requests of in until it ends, or until ctx is done: then no more are read, and those that were get their answers.
// A line that is no request gets an error for an answer. The error of Serve is one of in or out. When ctx is done, a goroutine may be
// left that waits for in.
func Serve(ctx context.Context, s operations.Service, in io.Reader, out io.Writer, o Options) error {
	return newServer(ctx, s, o).serve(in, out)
}

// Options say how lines are served.
type Options struct {
	ReadOnly bool      // nothing is changed
	Log      io.Writer // gets what is no answer

	longest int // bytes of a line, in tests
}

// A server answers requests.
type server struct {
	ctx, working context.Context // working lasts somewhat longer than ctx
	abandon      context.CancelFunc
	service      operations.Service
	o            Options
	log          *log.Logger
	// ask does an operation, and call is it without panics.
	ask     func(context.Context, *operations.Operation, *operations.Call) error
	queue   chan *request  // in the order of the input
	tasks   chan *task     // likewise, for the workers
	running sync.WaitGroup // workers

	mu       sync.Mutex
	freed    sync.Cond // an answer was written, or stopped is set
	stopped  bool      // queue is closed
	err      error     // of reading
	inFlight int
	bytes    int // of the requests in flight

	// The order of effects: a task waits for written, and a write for reads, too.
	written chan struct{}   // is closed when the last write is done
	reads   *sync.WaitGroup // since the last write
	open    *task           // the last write, if nothing came behind it and it has not begun
}

func newServer(ctx context.Context, s operations.Service, o Options) *server {
	if o.longest == 0 {
		o.longest = longestLine
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	working, abandon := context.WithCancel(context.WithoutCancel(ctx))
	written := make(chan struct{})
	close(written)
	v := &server{ctx: ctx, working: working, abandon: abandon, service: s, o: o, log: log.New(o.Log, "simsearch: ", 0),
		ask:   func(ctx context.Context, o *operations.Operation, c *operations.Call) error { return o.Do(ctx, c) },
		queue: make(chan *request, mostInFlight), tasks: make(chan *task, mostInFlight), written: written, reads: new(sync.WaitGroup)}
	v.freed.L = &v.mu
	return v
}

// serve reads requests in another goroutine, and writes answers in this one.
func (v *server) serve(in io.Reader, out io.Writer) error {
	defer v.abandon()
	defer context.AfterFunc(v.ctx, func() {
		v.stop(nil)
		time.AfterFunc(grace, v.abandon)
	})()
	for range runtime.GOMAXPROCS(0) {
		v.running.Go(v.work)
	}
	go func() { v.stop(v.read(in)) }()
	w := bufio.NewWriterSize(out, 64<<10)
	var failed error
	for r := range v.queue {
		if failed == nil {
			failed = v.write(w, r)
		} else if r.ended != nil {
			r.ended()
		}
		if failed != nil { // nobody listens
			v.stop(nil)
			v.abandon()
		}
		v.mu.Lock()
		v.inFlight--
		v.bytes -= r.size
		v.freed.Signal()
		v.mu.Unlock()
	}
	v.running.Wait()
	return errors.Join(failed, v.err)
}

// write writes the answer to r, for which it waits. What has been written is sent before anything is waited for.
func (v *server) write(w *bufio.Writer, r *request) error {
	if r.ended != nil {
		v.stream(r, w)
		r.ended()
	}
	select {
	case <-r.answered:
	default:
		if err := w.Flush(); err != nil {
			return err
		}
		<-r.answered
	}
	_, err := w.Write(r.answer)
	if err == nil && len(v.queue) == 0 {
		err = w.Flush()
	}
	return err
}

// stop ends the queue: nothing is read any more. err is why, if that is an error.
func (v *server) stop(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stopped {
		return
	}
	v.stopped, v.err = true, err
	close(v.queue)
	close(v.tasks)
	v.freed.Broadcast()
}

// read reads requests until the input ends, or v is stopped.
func (v *server) read(in io.Reader) error {
	r := bufio.NewReaderSize(in, 256<<10)
	var line []byte
	for n := 1; ; n++ {
		var tooLong bool
		var err error
		line, tooLong, err = operations.ReadLine(r, line[:0], v.o.longest)
		if len(bytes.TrimSpace(line)) > 0 && !v.take(line, n, tooLong) || errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading requests: %w", err)
		}
	}
}

// take puts a request into the queue, and hands its task to the workers. It waits while too much is in flight, and returns false if v is stopped.
func (v *server) take(line []byte, n int, tooLong bool) bool {
	r := &request{size: len(line), answered: make(chan struct{})}
	var err error
	if tooLong {
		err = service.Errorf(service.TooLarge, fmt.Sprintf("line %d", n), "the line has more than %d bytes", v.o.longest)
	} else {
		err = r.parse(bytes.Clone(line), n)
	}
	if err == nil && r.op.Writes && v.o.ReadOnly {
		err = service.Errorf(service.ReadOnly, "", "nothing is changed here")
	}
	if err != nil {
		v.reply(r, 0, nil, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for !v.stopped && (v.inFlight == mostInFlight || v.inFlight > 0 && v.bytes+r.size > mostBytes) {
		v.freed.Wait()
	}
	if v.stopped {
		return false
	}
	v.inFlight++
	v.bytes += r.size
	switch {
	case err != nil:
	case r.op.Streams: // it is done when those before it have been answered
		v.open = nil
		v.reads.Add(1)
		r.ended = v.reads.Done
	case r.op.Writes:
		v.startWrite(r)
	default:
		v.startRead(r)
	}
	v.queue <- r
	return true
}

// startRead hands a task to the workers that writes nothing. v.mu is locked.
func (v *server) startRead(r *request) {
	v.open = nil
	v.reads.Add(1)
	v.tasks <- &task{requests: []*request{r}, written: v.written, end: v.reads.Done}
}

// startWrite hands a task to the workers that writes, or joins it to one that has not begun. v.mu is locked.
func (v *server) startWrite(r *request) {
	if v.open != nil && v.open.join(r) {
		return
	}
	done := make(chan struct{})
	t := &task{requests: []*request{r}, bytes: r.size, written: v.written, reads: v.reads, end: func() { close(done) }}
	v.written, v.reads, v.open = done, new(sync.WaitGroup), t
	v.tasks <- t
}

// work does tasks. It waits for those that a task is to come after. They came out of the channel before it, so that the first of all that
// are not done waits for none.
func (v *server) work() {
	for t := range v.tasks {
		<-t.written
		if t.reads != nil {
			t.reads.Wait()
			v.mu.Lock()
			if v.open == t {
				v.open = nil
			}
			v.mu.Unlock()
		}
		v.do(v.working, t)
		t.end()
	}
}

// call does an operation. One that panics has an error.
func (v *server) call(ctx context.Context, o *operations.Operation, c *operations.Call) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("%s: %v\n%s", o.Name, why, debug.Stack())
		}
	}()
	return v.ask(ctx, o, c)
}
