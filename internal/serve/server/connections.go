package server

import (
	"net"
	"sync"
	"time"
)

// A limited listener has no more connections open at once, with the other listeners, than there are places. One too
// many is told to come again, so that files of indexes can be opened whatever clients do.
type limited struct {
	net.Listener
	places  chan struct{}
	refused func()
}

// tooMany is all that a connection too many is sent.
const tooMany = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\n\r\n" +
	`{"error":{"code":"unavailable","message":"the server has as many connections as it may have"}}` + "\n"

// Accept waits for a connection. It is a method of net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.places <- struct{}{}:
			return &counted{conn, sync.OnceFunc(func() { <-l.places })}, nil
		default:
		}
		l.refused()
		_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Millisecond)) // it goes into a buffer of the system
		_, _ = conn.Write([]byte(tooMany))
		_ = conn.Close()
	}
}

// A counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
