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

	"simsearch/internal/files/inputs"
	"simsearch/internal/serve/service"
)

// patience is how long an agent's calls may take after its last line.
const patience = 10 * time.Second

// A pipe is a transport of messages that are lines, and its connection. A line that is no message is answered with an
// error, and the next one is read. The input ends when the calls in it have been answered: the session gives up what
// it is doing at the end of its input, and what has been piped in should be answered all the same.
type pipe struct {
	in     *bufio.Reader
	lines  int // that have been read
	closed context.Context
	close  func()

	mu    sync.Mutex // guards out
	out   io.Writer
	calls sync.Map // the ids of calls without an answer
}

func newPipe(in io.Reader, out io.Writer) *pipe {
	closed, end := context.WithCancelCause(context.Background())
	lines := bufio.NewReader(inputs.Interruptibly(closed, in))
	return &pipe{in: lines, closed: closed, close: func() { end(io.EOF) }, out: out}
}

// Connect is a method of mcp.Transport.
func (c *pipe) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID is a method of mcp.Connection.
func (*pipe) SessionID() string { return "" }

// Read is a method of mcp.Connection.
func (c *pipe) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, tooLong, err := service.ReadLine(c.in, nil, longestBody)
		c.lines++
		if text := bytes.TrimSpace(line); len(text) > 0 {
			m, bad := c.message(text, tooLong)
			if bad == nil {
				return m, nil
			}
			bad.Message = fmt.Sprintf("line %d: %s", c.lines, bad.Message)
			if err := c.refuse(text, bad); err != nil {
				return nil, err
			}
		}
		if err != nil {
			for late := time.Now().Add(patience); c.waits() && time.Now().Before(late); {
				time.Sleep(time.Millisecond)
			}
			return nil, err
		}
	}
}

// message returns the message that a line is, or what is wrong with it. It begins a call.
func (c *pipe) message(text []byte, tooLong bool) (m jsonrpc.Message, bad *jsonrpc.Error) {
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
		if err != nil {
			bad.Message = fmt.Sprintf("it is no message of JSON-RPC 2.0: %v", err)
			break
		}
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			if _, had := c.calls.LoadOrStore(r.ID.Raw(), true); had {
				bad.Message = "a call with this id has no answer yet"
				break
			}
		}
		return m, nil
	}
	return nil, bad
}

// refuse answers a line that is no message, with its id if it has one. The error is that of the output.
func (c *pipe) refuse(text []byte, why error) error {
	var of struct{ ID json.RawMessage }
	if json.Unmarshal(text, &of) != nil || len(of.ID) == 0 || of.ID[0] == '{' || of.ID[0] == '[' {
		of.ID = json.RawMessage("null")
	}
	told, err := service.Append(nil, why)
	if err != nil {
		return err
	}
	return c.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, of.ID, told))
}

// Write is a method of mcp.Connection.
func (c *pipe) Write(_ context.Context, m jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(m)
	if err == nil {
		err = c.write(line)
	}
	if r, ok := m.(*jsonrpc.Response); ok {
		c.calls.Delete(r.ID.Raw())
	}
	return err
}

func (c *pipe) write(line []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(line, '\n'))
	return err
}

// Close is a method of mcp.Connection. Nobody waits for answers any more.
func (c *pipe) Close() error {
	c.close()
	return nil
}

// waits reports whether a call has no answer, and somebody waits for it.
func (c *pipe) waits() (is bool) {
	c.calls.Range(func(any, any) bool {
		is = c.closed.Err() == nil
		return false
	})
	return is
}
