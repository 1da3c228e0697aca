package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"simsearch/internal/serve/service"
)

// patience is how long an agent's calls may take after its last line.
const patience = 10 * time.Second

// A pipe is a transport of messages that are lines, and its connection. A line that is no message is answered with an
// error, and the next one is read. The input ends when the calls in it have been answered: the session gives up what
// it is doing at the end of its input, and what has been piped in should be answered all the same.
type pipe struct {
	mcp.Connection // of the lines that are messages
	in             io.ReadCloser
	out            io.WriteCloser
	closed         atomic.Bool

	mu    sync.Mutex   // guards out, too
	calls map[any]bool // the ids of calls without an answer
}

// Connect is a method of mcp.Transport.
func (c *pipe) Connect(ctx context.Context) (_ mcp.Connection, err error) {
	from, to := io.Pipe()
	c.Connection, err = (&mcp.IOTransport{Reader: from, Writer: c.out, MaxLineLength: -1}).Connect(ctx)
	go func() {
		err := c.scan(to)
		for late := time.Now().Add(patience); c.waits() && time.Now().Before(late); {
			time.Sleep(time.Millisecond)
		}
		to.CloseWithError(err)
	}()
	return c, err
}

// scan passes messages on until the input ends or the connection is closed. A read that waits then is left waiting.
func (c *pipe) scan(to io.Writer) error {
	r := bufio.NewReader(c.in)
	var line []byte
	for n := 1; ; n++ {
		var tooLong bool
		var err error
		line, tooLong, err = service.ReadLine(r, line[:0], longestBody)
		if text := bytes.TrimSpace(line); len(text) > 0 {
			var failed error
			if bad := c.check(text, tooLong); bad != nil {
				bad.Message = fmt.Sprintf("line %d: %s", n, bad.Message)
				failed = c.refuse(text, bad)
			} else {
				_, failed = to.Write(append(text, '\n'))
			}
			if failed != nil {
				return failed
			}
		}
		if err != nil {
			return err
		}
	}
}

// check returns what is wrong with a line, if it is no message. It begins a call.
func (c *pipe) check(text []byte, tooLong bool) *jsonrpc.Error {
	bad := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}
	switch {
	case tooLong:
		bad.Message = fmt.Sprintf("it has more than %d bytes", longestBody)
	case !json.Valid(text):
		bad.Code, bad.Message = jsonrpc.CodeParseError, "it is not one value of JSON"
	case text[0] == '[':
		bad.Message = "it is a batch: send each message as a line of its own"
	default:
		m, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			bad.Message = fmt.Sprintf("it is no message of JSON-RPC 2.0: %v", err)
			break
		}
		r, ok := m.(*jsonrpc.Request)
		if !ok || !r.IsCall() {
			return nil
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.calls[r.ID.Raw()] {
			c.calls[r.ID.Raw()] = true
			return nil
		}
		bad.Message = "a call with this id has no answer yet"
	}
	return bad
}

// refuse answers a line that is no message, with its id if it has one. The error is that of the output.
func (c *pipe) refuse(text []byte, why error) error {
	refused := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{}
	if json.Unmarshal(text, &refused) != nil || len(refused.ID) == 0 || refused.ID[0] == '{' || refused.ID[0] == '[' {
		refused.ID = json.RawMessage("null")
	}
	refused.Version, refused.Error = "2.0", why
	answer, err := service.Append(nil, refused)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.out.Write(append(answer, '\n'))
	return err
}

// Write is a method of mcp.Connection.
func (c *pipe) Write(ctx context.Context, m jsonrpc.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := m.(*jsonrpc.Response); ok {
		defer delete(c.calls, r.ID.Raw())
	}
	return c.Connection.Write(ctx, m)
}

// Close is a method of mcp.Connection. Nobody waits for answers any more.
func (c *pipe) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	return errors.Join(c.in.Close(), c.Connection.Close())
}

// waits reports whether a call has no answer, and somebody waits for it.
func (c *pipe) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls) > 0 && !c.closed.Load()
}
