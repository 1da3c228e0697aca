package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"simsearch/bench/machine"
)

// A load is clients that send requests, each on a connection of its own. They do as little as clients can, since they
// run on the processors of the server.
type load struct {
	clients int
	n       int           // requests of all clients together, or
	lasts   time.Duration // until so much time has passed, or
	while   *atomic.Bool  // while this is so
	rate    float64       // requests a second that are due, of all clients together; 0 sends the next when the last is answered
	sheds   bool          // a server that sheds load with 429 or 503, or closes connections, is no error
	status  int           // of answers, if it is not one of success
	dial    func(client int) (conn, error)
}

// A conn is a connection of one client.
type conn interface {
	// exchange sends the request i, and returns the status of the answer.
	exchange(i int) (status int, err error)
	Close() error
}

// A result is what a load has shown. Times are in ascending order. One that is due counts from then on, if the answer
// before came late.
type result struct {
	took   []time.Duration
	shed   int
	wall   time.Duration
	client float64 // seconds of processor time
}

func (r *result) quantile(q float64) time.Duration {
	if len(r.took) == 0 {
		return 0
	}
	return r.took[min(int(q*float64(len(r.took))), len(r.took)-1)]
}

func (r *result) each(size int) float64 { return float64(len(r.took)*size) / r.wall.Seconds() }

// run sends the requests of a load.
func (l *load) run() (*result, error) {
	r := &result{}
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs error
	before, begun := machine.ProcessorTime(), time.Now()
	for client := range l.clients {
		wg.Go(func() {
			took, shed, err := l.client(client, begun, &next)
			mu.Lock()
			defer mu.Unlock()
			r.took, r.shed, errs = append(r.took, took...), r.shed+shed, errors.Join(errs, err)
		})
	}
	wg.Wait()
	r.wall, r.client = time.Since(begun), machine.ProcessorTime()-before
	slices.Sort(r.took)
	return r, errs
}

func (l *load) client(number int, begun time.Time, next *atomic.Int64) (took []time.Duration, shed int, err error) {
	c, err := l.dial(number)
	if err != nil {
		return nil, 0, err
	}
	defer func() { c.Close() }()
	free := begun
	for i := 0; ; i++ {
		if l.n > 0 && next.Add(1) > int64(l.n) || l.lasts > 0 && time.Since(begun) > l.lasts || l.while != nil && !l.while.Load() {
			return took, shed, nil
		}
		from := time.Now()
		if l.rate > 0 {
			due := begun.Add(time.Duration((float64(number)/float64(l.clients) + float64(i)) * float64(l.clients) / l.rate * float64(time.Second)))
			time.Sleep(time.Until(due))
			if from = time.Now(); due.Before(free) {
				from = due // the answer before came late
			}
		}
		status, err := c.exchange(i)
		free = time.Now()
		switch {
		case err != nil && l.sheds: // the connection was closed before the body was sent whole
			shed++
			c.Close()
			time.Sleep(10 * time.Millisecond)
			if c, err = l.dial(number); err != nil {
				return took, shed, err
			}
		case err != nil && (status == 0 || status != l.status):
			return took, shed, err
		case status/100 == 2 || status == l.status:
			took = append(took, free.Sub(from))
		case l.sheds && (status == 429 || status == 503):
			shed++
			time.Sleep(10 * time.Millisecond)
		default:
			return took, shed, fmt.Errorf("answered with status %d", status)
		}
	}
}

// An overHTTP is a connection to a server of HTTP.
type overHTTP struct {
	net.Conn
	client    int
	request   func(to []byte, client, i int) []byte
	in        *bufio.Reader
	out, body []byte
}

// dialer returns what dials a server of HTTP.
func dialer(address string, request func(to []byte, client, i int) []byte) func(client int) (conn, error) {
	return func(client int) (conn, error) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return nil, err
		}
		return &overHTTP{Conn: c, client: client, request: request, in: bufio.NewReaderSize(c, 64<<10)}, nil
	}
}

func (c *overHTTP) exchange(i int) (status int, err error) {
	c.out = c.request(c.out[:0], c.client, i)
	if _, err := c.Write(c.out); err != nil {
		return 0, err
	}
	status, c.body, err = readAnswer(c.in, c.body[:0])
	if err == nil && status/100 == 4 && status != 429 {
		err = fmt.Errorf("answered %d: %.500s", status, c.body)
	}
	return status, err
}

// readAnswer reads the status and the body of an answer that has a length.
func readAnswer(in *bufio.Reader, to []byte) (status int, body []byte, err error) {
	length := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, to, err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch name, value, found := bytes.Cut(line, []byte(":")); {
		case len(line) == 0 && status == 204:
			return status, to, nil
		case len(line) == 0 && length < 0:
			return 0, to, errors.New("an answer without a length")
		case len(line) == 0:
			to = slices.Grow(to, length)[:length]
			for read := 0; read < length; {
				n, err := in.Read(to[read:])
				if err != nil {
					return 0, to, err
				}
				read += n
			}
			return status, to, nil
		case status == 0 && len(line) >= 12:
			status, err = strconv.Atoi(string(line[9:12]))
		case found && bytes.EqualFold(name, []byte("content-length")):
			length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
		if err != nil {
			return 0, to, err
		}
	}
}

// Kinds of bodies.
const (
	object = "application/json"
	lines  = "application/x-ndjson"
)

// post appends a request to a buffer.
func post(to []byte, path, kind string, body []byte) []byte {
	to = fmt.Appendf(to, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", path, kind, len(body))
	return append(to, body...)
}
