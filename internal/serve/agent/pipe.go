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

	"simsearch/internal/serve/service"
)

// patience is how long an agent's calls may take after its last line.
const patience = 10 * time.Second

// A pipe is a transport of messages that are lines, and its connection. A line that is no message is answered with an error, and the next
// one is read. The input ends when the calls in it have been answered: the session gives up what it is doing at the end of its input, and
// what has been piped in should be answered all the same.
type pipe struct {
	in       io.ReadCloser
	out      io.WriteCloser
	messages chan jsonrpc.Message // is closed at the end of the input
	err      error                // that ends the input
	closed   chan struct{}
	closing  sync.Once

	mu    sync.Mutex   // guards out, too
	calls map[any]bool // the ids of calls without an answer
}

func newPipe(in io.ReadCloser, out io.WriteCloser) *pipe {
	return &pipe{in: in, out: out, messages: make(chan jsonrpc.Message), closed: make(chan struct{}), calls: map[any]bool{}}
}

// Connect is a method of mcp.Transport.
func (c *pipe) Connect(context.Context) (mcp.Connection, error) {
	go func() {
		defer close(c.messages)
		c.err = c.scan()
		for late := time.Now().Add(patience); c.waits() && time.Now().Before(late); {
			time.Sleep(time.Millisecond)
		}
	}()
	return c, nil
}

// scan reads messages until the input ends or the connection is closed. A read that waits then is left waiting.
func (c *pipe) scan() error {
	r := bufio.NewReader(c.in)
	var line []byte
	for n := 1; ; n++ {
		var tooLong bool
		var err error
		line, tooLong, err = service.ReadLine(r, line[:0], longestBody)
		if text := bytes.TrimSpace(line); len(text) > 0 {
			m, bad := message(text, tooLong)
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && !c.begin(r.ID.Raw()) {
				bad = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a call with this id has no answer yet"}
			}
			if bad != nil {
				bad.Message = fmt.Sprintf("line %d: %s", n, bad.Message)
				if failed := c.refuse(text, bad); failed != nil {
					return failed
				}
			} else {
				select {
				case c.messages <- m:
				case <-c.closed:
					return io.EOF
				}
			}
		}
		if err != nil {
			return err
		}
	}
}

// message returns the message of a line, or what is wrong with it.
func message(text []byte, tooLong bool) (m jsonrpc.Message, bad *jsonrpc.Error) {
	bad = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}
	switch {
	case tooLong:
		bad.Message = fmt.Sprintf("it has more than %d bytes", longestBody)
	case !json.Valid(text):
		bad.Code, bad.Message = jsonrpc.CodeParseError, "it is not one value of JSON"
	case text[0] == '[':
		bad.Message = "it is a batch: send each message as a line of its own"
	default:
		m, err := jsonrpc.DecodeMessage(text)
		if err == nil {
			return m, nil
		}
		bad.Message = fmt.Sprintf("it is no message of JSON-RPC 2.0: %v", err)
	}
	return nil, bad
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

// Read is a method of mcp.Connection.
func (c *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-c.messages:
		if !ok {
			return nil, c.err
		}
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write is a method of mcp.Connection.
func (c *pipe) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		_, err = c.out.Write(append(text, '\n'))
	}
	if r, ok := m.(*jsonrpc.Response); ok {
		delete(c.calls, r.ID.Raw())
	}
	return err
}

// Close is a method of mcp.Connection.
func (c *pipe) Close() (err error) {
	c.closing.Do(func() {
		close(c.closed)
		if err = c.in.Close(); err == nil {
			err = c.out.Close()
		}
	})
	return err
}

// SessionID is a method of mcp.Connection.
func (c *pipe) SessionID() string { return "" }

// begin begins a call, unless one with its id has no answer yet.
func (c *pipe) begin(id any) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	is := c.calls[id]
	c.calls[id] = true
	return !is
}

// waits reports whether a call has no answer, and somebody waits for it.
func (c *pipe) waits() bool {
	select {
	case <-c.closed:
		return false
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls) > 0
}
