package agent

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long an agent's calls may take after its last line.
const patience = 10 * time.Second

// A pipe is a transport whose input ends when the calls in it have been answered: the session gives up what it is doing at the end of its
// input, and what has been piped in should be answered all the same.
type pipe struct{ mcp.IOTransport }

// Connect is a method of mcp.Transport.
func (p *pipe) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.IOTransport.Connect(ctx)
	return &piped{Connection: c, none: make(chan struct{}, 1)}, err
}

// piped is the connection of a pipe.
type piped struct {
	mcp.Connection
	mu    sync.Mutex
	calls int           // without an answer
	none  chan struct{} // has a value when there are none after one was answered
}

// Read is a method of mcp.Connection.
func (c *piped) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.count(1)
	}
	if err == nil {
		return m, nil
	}
	late := time.After(patience)
	for !c.idle() {
		select {
		case <-c.none:
		case <-ctx.Done():
			return m, err
		case <-late:
			return m, err
		}
	}
	return m, err
}

// Write is a method of mcp.Connection.
func (c *piped) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		c.count(-1)
	}
	return err
}

func (c *piped) count(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls += more; c.calls == 0 {
		select {
		case c.none <- struct{}{}:
		default:
		}
	}
}

func (c *piped) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls <= 0
}
