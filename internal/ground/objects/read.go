package objects

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/minio/minio-go/v7"
)

// Objects are read in parts of partBytes. While one is worked on, the next aheadParts of the same object are on their
// way. What was read last stays in memory, up to cacheBytes of all objects together: dedup reads a file and copies it
// at once, and a table is read at many places.
const (
	aheadParts = 4
	cacheBytes = 96 << 20
)

var partBytes int64 = 4 << 20 // tests have less

// A partKey names a part of a version of an object.
type partKey struct {
	store           *store
	object, version string
	n               int64
}

// A part is read by a goroutine of its own. data and err are there when done is closed.
type part struct {
	key  partKey
	size int64
	done chan struct{}
	data []byte
	err  error
}

// parts are those that are in memory or on their way, the one that was wanted last at the front.
var parts = cache{of: map[partKey]*list.Element{}}

type cache struct {
	mu    sync.Mutex
	of    map[partKey]*list.Element
	order list.List
	bytes int64
}

// get returns a part. If it is not there, it is made, and read is called on another goroutine.
func (c *cache) get(key partKey, size int64, read func() ([]byte, error)) *part {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.of[key]; e != nil {
		c.order.MoveToFront(e)
		return e.Value.(*part)
	}
	p := &part{key: key, size: size, done: make(chan struct{})}
	c.of[key] = c.order.PushFront(p)
	for c.bytes += size; c.bytes > cacheBytes && c.order.Len() > 1; {
		c.remove(c.order.Back())
	}
	go func() {
		defer close(p.done)
		if p.data, p.err = read(); p.err != nil { // so that it can be tried again
			c.mu.Lock()
			defer c.mu.Unlock()
			if e := c.of[key]; e != nil && e.Value == p {
				c.remove(e)
			}
		}
	}()
	return p
}

// remove forgets a part. Who has it may go on with it.
func (c *cache) remove(e *list.Element) {
	p := c.order.Remove(e).(*part)
	delete(c.of, p.key)
	c.bytes -= p.size
}

// An object is open for reading.
type object struct {
	*Info
	ctx   context.Context
	at    int64
	reads int
	now   *part // the one that Read is in, or nil
}

// Begin begins to read an object that has been listed and is soon to be opened, so that it need not be waited for:
// its first part. It does nothing with a file.
func Begin(ctx context.Context, name string) {
	if !Is(name) {
		return
	}
	if o := remembered(name); o != nil && o.bytes > 0 {
		(&object{Info: o, ctx: ctx}).part(0)
	}
}

// SoonOpened is of how many objects, at most, the first parts are read before they are opened.
const SoonOpened = 8

func (o *Info) open(ctx context.Context) File { return &object{Info: o, ctx: ctx} }

func (o *object) Stat() (fs.FileInfo, error) { return o.Info, nil }

func (o *object) Close() error {
	o.now = nil
	return nil
}

// Seek moves to where Read goes on.
func (o *object) Seek(at int64, from int) (int64, error) {
	switch from {
	case io.SeekCurrent:
		at += o.at
	case io.SeekEnd:
		at += o.bytes
	}
	if at < 0 {
		return o.at, fmt.Errorf("%s: a place at %d", o.Object, at)
	}
	o.at = at
	return at, nil
}

// Read reads on. From the second time on, it reads ahead: the first one may be only to see what the object is.
func (o *object) Read(p []byte) (int, error) {
	switch {
	case o.IsDir():
		return 0, &Error{"read", o.Object, "it stands for the objects below it", fs.ErrInvalid}
	case o.at >= o.bytes:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	n := o.at / partBytes
	o.reads++
	if o.now == nil || o.now.key.n != n || o.reads == 2 {
		o.now = o.part(n)
		for i := n + 1; o.reads > 1 && i <= n+aheadParts && i*partBytes < o.bytes; i++ {
			o.part(i)
		}
	}
	data, err := o.wait(o.now)
	if err != nil {
		return 0, err
	}
	read := copy(p, data[o.at-n*partBytes:])
	o.at += int64(read)
	return read, nil
}

// ReadAt reads at any place.
func (o *object) ReadAt(p []byte, at int64) (read int, err error) {
	if at < 0 {
		return 0, fmt.Errorf("%s: a place at %d", o.Object, at)
	}
	for len(p) > 0 && at < o.bytes {
		n := at / partBytes
		data, err := o.wait(o.part(n))
		if err != nil {
			return read, err
		}
		is := copy(p, data[at-n*partBytes:])
		p, at, read = p[is:], at+int64(is), read+is
	}
	if len(p) > 0 {
		return read, io.EOF
	}
	return read, nil
}

// part returns a part that is there, or on its way.
func (o *object) part(n int64) *part {
	from := n * partBytes
	size := min(partBytes, o.bytes-from)
	return parts.get(partKey{o.store, o.Object, o.ETag, n}, size, func() ([]byte, error) { return o.get(o.ctx, from, size) })
}

// wait returns the bytes of a part. If another reader has begun to read it, and was interrupted, it is read again.
func (o *object) wait(p *part) ([]byte, error) {
	for {
		select {
		case <-p.done:
		case <-o.ctx.Done():
			return nil, context.Cause(o.ctx)
		}
		if err := p.err; err == nil || context.Cause(o.ctx) != nil || !errors.Is(err, context.Canceled) {
			return p.data, err
		}
		p = o.part(p.key.n)
	}
}

// get reads a range of the object, in the version that is known. What has come before a failure is not asked for again.
func (o *Info) get(ctx context.Context, from, size int64) ([]byte, error) {
	data, have := make([]byte, size), int64(0)
	bucket, key, err := parse(o.Object)
	if err != nil {
		return nil, err
	}
	err = o.store.try(ctx, "read", o.Object, func(ctx context.Context, alive func()) error {
		var how minio.GetObjectOptions
		first, last := from+have, from+size-1
		if err := errors.Join(how.SetRange(first, last), how.SetMatchETag(o.ETag)); err != nil {
			return err
		}
		body, is, header, err := o.store.core.GetObject(ctx, bucket, key, how)
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }() // it is read to its end, or does not matter any more
		switch got := header.Get("Content-Range"); {
		case is.ETag != o.ETag:
			return ErrChanged
		case got == fmt.Sprintf("bytes %d-%d/%d", first, last, o.bytes):
		case got == "" && first == 0 && last == o.bytes-1 && is.Size == o.bytes:
		default:
			return errOther
		}
		n, err := io.ReadFull(living{body, alive}, data[have:])
		have += int64(n)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	})
	return data, err
}
