package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"simsearch/internal/operations"
)

// patience is how long an agent's calls may take after its last line.
const patience = 10 * time.Second

// A pipe is a transport of messages that are lines. A line that is no message is answered with an error, and the next one is read. The input
// ends when the calls in it have been answered: the session gives up what it is doing at the end of its input, and what has been piped in
// should be answered all the same.
type pipe struct {
	in  io.ReadCloser
	out io.WriteCloser
}

// Connect is a method of mcp.Transport.
func (p *pipe) Connect(context.Context) (mcp.Connection, error) {
	c := &piped{pipe: p, lines: make(chan incoming), closed: make(chan struct{}), calls: map[any]bool{}, none: make(chan struct{}, 1)}
	go c.scan()
	return c, nil
}

// piped is the connection of a pipe.
type piped struct {
	*pipe
	lines   chan incoming
	closed  chan struct{}
	closing sync.Once

	writing sync.Mutex // guards out

	mu    sync.Mutex
	calls map[any]bool  // the ids of calls without an answer
	none  chan struct{} // has a value when there are none after one was answered
}

// An incoming message, or the error that ends the input.
type incoming struct {
	m   jsonrpc.Message
	err error
}

// scan reads messages until the input ends or the connection is closed. A read that waits then is left waiting.
func (c *piped) scan() {
	r := bufio.NewReader(c.in)
	var line []byte
	for n := 1; ; n++ {
		var tooLong bool
		var err error
		line, tooLong, err = operations.ReadLine(r, line[:0], longestBody)
		if text := bytes.TrimSpace(line); len(text) > 0 {
			m, bad := message(text, n, tooLong)
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && !c.begin(r.ID.Raw()) {
				bad = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("line %d: a call with this id has no answer yet", n)}
			}
			if bad == nil && !c.hand(incoming{m: m}) {
				return
			}
			if bad != nil {
				if failed := c.refuse(text, bad); failed != nil {
					err = failed
				}
			}
		}
		if err != nil {
			c.hand(incoming{err: err})
			return
		}
	}
}

func (c *piped) hand(in incoming) bool {
	select {
	case c.lines <- in:
		return true
	case <-c.closed:
		return false
	}
}

// message returns the message of line n, or a *jsonrpc.Error.
func message(text []byte, n int, tooLong bool) (jsonrpc.Message, error) {
	refused := func(code int64, format string, args ...any) (jsonrpc.Message, error) {
		return nil, &jsonrpc.Error{Code: code, Message: fmt.Sprintf("line %d: ", n) + fmt.Sprintf(format, args...)}
	}
	switch {
	case tooLong:
		return refused(jsonrpc.CodeInvalidRequest, "it has more than %d bytes", longestBody)
	case !json.Valid(text):
		return refused(jsonrpc.CodeParseError, "it is not one value of JSON")
	case text[0] == '[':
		return refused(jsonrpc.CodeInvalidRequest, "it is a batch: send each message as a line of its own")
	}
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return refused(jsonrpc.CodeInvalidRequest, "it is no message of JSON-RPC 2.0: %v", err)
	}
	return m, nil
}

// refuse answers a line that is no message, with its id if it has one. The error is that of the output.
func (c *piped) refuse(text []byte, why error) error {
	refused := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{}
	if json.Unmarshal(text, &refused) != nil || len(refused.ID) == 0 || refused.ID[0] == '{' || refused.ID[0] == '[' {
		refused.ID = json.RawMessage("null")
	}
	refused.Version, refused.Error = "2.0", why
	answer, err := operations.Append(nil, refused)
	if err != nil {
		return err
	}
	return c.line(answer)
}

func (c *piped) line(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// Read is a method of mcp.Connection.
func (c *piped) Read(ctx context.Context) (jsonrpc.Message, error) {
	var in incoming
	select {
	case in = <-c.lines:
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if in.err == nil {
		return in.m, nil
	}
	late := time.After(patience)
	for !c.idle() {
		select {
		case <-c.none:
		case <-ctx.Done():
			return nil, in.err
		case <-late:
			return nil, in.err
		}
	}
	return nil, in.err
}

// Write is a method of mcp.Connection.
func (c *piped) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err == nil {
		err = c.line(text)
	}
	if r, ok := m.(*jsonrpc.Response); ok {
		c.end(r.ID.Raw())
	}
	return err
}

// Close is a method of mcp.Connection.
func (c *piped) Close() (err error) {
	c.closing.Do(func() {
		close(c.closed)
		if err = c.in.Close(); err == nil {
			err = c.out.Close()
		}
	})
	return err
}

// SessionID is a method of mcp.Connection.
func (c *piped) SessionID() string { return "" }

// begin begins a call, unless one with its id has no answer yet.
func (c *piped) begin(id any) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[id] {
		return false
	}
	c.calls[id] = true
	return true
}

// end ends a call, which has been answered.
func (c *piped) end(id any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.calls, id); len(c.calls) == 0 {
		select {
		case c.none <- struct{}{}:
		default:
		}
	}
}

func (c *piped) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls) == 0
}
