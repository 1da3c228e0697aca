// Package client asks a server of simsearch over HTTP: what near and index do with --server.
package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"simsearch/internal/operations"
	"simsearch/internal/service"
	"simsearch/internal/terminal"
)

// A Client asks about one collection of a server. It is safe for concurrent use.
type Client struct {
	base  string // the URL of the collection
	token string
	http  http.Client
	// Waiting, if not nil, is told that a request is sent again after a while, and why.
	Waiting func(wait time.Duration, why string)

	shortest time.Duration // wait, which doubles with each try
	reached  atomic.Bool   // the server has answered
}

// How often a request is sent that a server has no time for, and how long a server may let it wait.
const (
	tries       = 8
	longestWait = time.Minute
)

// longestAnswer is how many bytes an answer may have. It is far more than a batch has.
const longestAnswer = 1 << 30

// New returns a client of a collection. server is the URL that serve prints, with # and the name behind it unless that is default. token is what the server lets in, "" if it lets in all.
func New(server, token string) (*Client, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("--server %s: want a URL such as http://127.0.0.1:8080", terminal.Plain(server))
	}
	collection := cmp.Or(u.Fragment, "default")
	u.Fragment, u.RawFragment = "", ""
	c := &Client{base: u.JoinPath("v1", "collections", url.PathEscape(collection)).String(), token: token, shortest: 500 * time.Millisecond}
	// A token is for the server that was named.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// Info describes the collection.
func (c *Client) Info(ctx context.Context) (info service.Info, err error) {
	err = one(ctx, c, "GET", "/info", nil, &info)
	return info, err
}

// Create makes the collection, or finds one of these settings.
func (c *Client) Create(ctx context.Context, s *service.Settings) (info service.Info, err error) {
	err = one(ctx, c, "PUT", "", s, &info)
	return info, err
}

// Near finds what is near a query. If nothing is, the answer may have the nearest document.
func (c *Client) Near(ctx context.Context, r *service.NearRequest) (a service.NearAnswer, err error) {
	err = one(ctx, c, "POST", "/near", r, &a)
	return a, err
}

// NearAll finds what is near each query.
func (c *Client) NearAll(ctx context.Context, rs []service.NearRequest) ([]service.NearAnswer, error) {
	return many[service.NearRequest, service.NearAnswer](ctx, c, "/near", "", rs)
}

// Put adds documents, which take the places of those with their ids.
func (c *Client) Put(ctx context.Context, docs []service.Document) ([]service.Outcome, error) {
	return many[service.Document, service.Outcome](ctx, c, "/documents", "", docs)
}

// CheckAndAdd adds documents unless something is near them. If its answer is lost, it is sent again with the same key, so that the answer
// is the same.
func (c *Client) CheckAndAdd(ctx context.Context, rs []service.CheckRequest) ([]service.CheckAnswer, error) {
	return many[service.CheckRequest, service.CheckAnswer](ctx, c, "/check-and-add", rand.Text(), rs)
}

// A sent request.
type sent struct {
	method, path, kind string
	key                string // makes the server answer the request as it did, if it has done it before
	body               []byte
	read               func(text []byte) error // reads the answer
}

// one sends a request that is a JSON object, or nothing, and reads an answer that is one.
func one(ctx context.Context, c *Client, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = operations.Append(nil, in); err != nil {
			return err
		}
	}
	return c.send(ctx, &sent{method: method, path: path, kind: "application/json", body: body, read: func(text []byte) error {
		return readAnswer(text, out)
	}})
}

// many sends a batch, a line each, and reads as many answers.
func many[In, Out any](ctx context.Context, c *Client, path, key string, in []In) ([]Out, error) {
	var body []byte
	for i := range in {
		var err error
		if body, err = operations.Append(body, &in[i]); err != nil {
			return nil, err
		}
		body = append(body, '\n')
	}
	var out []Out
	err := c.send(ctx, &sent{method: "POST", path: path, kind: "application/x-ndjson", key: key, body: body, read: func(text []byte) error {
		out = make([]Out, 0, len(in))
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			var a Out
			if err := readAnswer(line, &a); err != nil {
				return fmt.Errorf("line %d: %w", len(out)+1, err)
			}
			out = append(out, a)
		}
		if len(out) != len(in) {
			return fmt.Errorf("%d answers to %d lines", len(out), len(in))
		}
		return nil
	}})
	return out, err
}

// An again is an error after which a request may succeed when it is sent once more.
type again struct {
	error
	wait time.Duration // that the server asks for, 0 for none
}

func (e again) Unwrap() error { return e.error }

// send sends a request. It sends it again while the server has no time for it, or if the connection to a server that has answered before
// was lost: a request that was done may be done again.
func (c *Client) send(ctx context.Context, s *sent) error {
	for try, wait := 1, c.shortest; ; try, wait = try+1, 2*wait {
		err := c.try(ctx, s)
		var retry again
		switch {
		case !errors.As(err, &retry):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case try == tries:
			return retry.error
		}
		wait = min(max(wait, retry.wait), longestWait)
		if c.Waiting != nil {
			c.Waiting(wait, retry.Error())
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// try sends a request once.
func (c *Client) try(ctx context.Context, s *sent) error {
	r, err := http.NewRequestWithContext(ctx, s.method, c.base+s.path, bytes.NewReader(s.body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"Content-Type": s.kind, "Idempotency-Key": s.key} {
		if s.body != nil && value != "" {
			r.Header.Set(name, value)
		}
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	a, err := c.http.Do(r)
	if err != nil {
		return c.lost(err)
	}
	defer a.Body.Close() //nolint:errcheck // what counts of it has been read
	c.reached.Store(true)
	switch a.StatusCode {
	case http.StatusOK, http.StatusCreated:
		text, err := io.ReadAll(io.LimitReader(a.Body, longestAnswer+1))
		switch {
		case err != nil:
			return c.lost(err)
		case len(text) > longestAnswer:
			err = fmt.Errorf("it has more than %d bytes", longestAnswer)
		default:
			err = s.read(text)
		}
		if err != nil {
			return fmt.Errorf("asking %s: the answer is not one of a server of simsearch: %s", c.base, terminal.Plain(err.Error()))
		}
		return nil
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		seconds, _ := strconv.Atoi(a.Header.Get("Retry-After"))
		return again{c.refused(a), time.Duration(min(max(seconds, 0), int(longestWait/time.Second))) * time.Second}
	}
	return c.refused(a)
}

// lost returns the error of a request that has no answer, or not all of it.
func (c *Client) lost(err error) error {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		err = of.Err // which has the address
	}
	told := fmt.Errorf("asking %s: %w", c.base, err)
	var broken net.Error
	if c.reached.Load() && (errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)) {
		return again{told, 0}
	}
	return told
}

// refused returns the error of an answer that is no success. It is a *service.Error, if it is of a server like ours.
func (c *Client) refused(a *http.Response) error {
	const most = 64 << 10
	text, err := io.ReadAll(io.LimitReader(a.Body, most))
	if err != nil {
		return c.lost(err)
	}
	var f operations.Failure
	if json.Unmarshal(text, &f) != nil || f.Error == nil {
		return fmt.Errorf("asking %s: the answer is %s, and not one of a server of simsearch", c.base, terminal.Plain(a.Status))
	}
	hint := ""
	if f.Error.Code == service.Unauthorized || f.Error.Code == service.Forbidden {
		hint = " (--token-file names a file with a token)"
	}
	return fmt.Errorf("asking %s: %w%s", c.base, f.Error, hint)
}
