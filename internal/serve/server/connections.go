package server

import (
	"net"
	"sync"
	"time"
)

// connections are those that are open at once. One too many is told to come again, so that files of indexes can be opened whatever
// clients do.
type connections struct {
	places  chan struct{}
	refused func()
}

func newConnections(most int, refused func()) *connections {
	return &connections{make(chan struct{}, max(1, most)), refused}
}

// limit returns a listener whose connections count.
func (c *connections) limit(l net.Listener) net.Listener { return &limited{l, c} }

type limited struct {
	net.Listener
	all *connections
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
		case l.all.places <- struct{}{}:
			return &counted{Conn: conn, all: l.all}, nil
		default:
		}
		l.all.refused()
		_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Millisecond)) // it goes into a buffer of the system
		_, _ = conn.Write([]byte(tooMany))
		_ = conn.Close()
	}
}

// A counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	all  *connections
	once sync.Once
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.all.places })
	return err
}
