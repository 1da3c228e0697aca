package client

import (
	"context"
	"errors"
	"strings"
	"time"

	"simsearch/internal/cli"
	"simsearch/internal/corpus"
	"simsearch/internal/document"
	"simsearch/internal/intake"
	"simsearch/internal/service"
	"simsearch/internal/terminal"
)

// A Command is a run of near or index with --server.
type Command struct {
	*cli.Flags
	Open   func(bits int, changes ...func(*corpus.Options)) (*corpus.Reader, error) // opens the inputs
	Inputs *intake.Teller
	Rows   *terminal.Rows
	Tell   func(format string, values ...any) // a message, if messages are wanted
	Say    func(format string, values ...any) // a summary, likewise

	client *Client
	info   service.Info
}

// connect finds the collection of the flags. It is an error of the service if there is none.
func (c *Command) connect() error {
	token, err := c.Token()
	if err != nil {
		return err
	}
	if c.client, err = New(c.Server.Value, token); err != nil {
		return err
	}
	c.client.Waiting = func(wait time.Duration, why string) { c.Tell("%s; trying again in %v", why, wait) }
	c.info, err = c.client.Info(c.Context)
	return err
}

// bits returns the width of the fingerprints of the collection, 0 if it is the usual one.
func (c *Command) bits() int { return c.info.Settings.Bits }

// keep makes documents be read with the fields that the collection keeps.
func (c *Command) keep(o *corpus.Options) { o.KeepFields = c.info.Settings.Fields }

// documents are read in batches, so that a server answers each within its time, and neither side needs much memory.
const (
	batchDocuments = 1000
	batchBytes     = 4 << 20
)

// errPicture is the error of a document that is a picture.
var errPicture = errors.New("pictures cannot be sent to a server")

// content returns what is compared of a document.
func (c *Command) content(doc *document.Document) (content service.Content, err error) {
	switch text := string(doc.Text); {
	case doc.Picture != document.Picture{}:
		return content, errPicture
	case doc.HasFingerprint:
		content.Fingerprint = fingerprintText(doc.Long(), c.bits())
	case c.info.Settings.Holds == "sets":
		content.Set = strings.Fields(text)
	default:
		content.Text = &text
	}
	return content, nil
}

// A sending is a batch of which the answer has not come.
type sending[T any] struct {
	done chan struct{}
	all  []T
	err  error
}

// start sends a batch in the background.
func start[In, Out any](ctx context.Context, do func(context.Context, []In) ([]Out, error), batch []In) *sending[Out] {
	s := &sending[Out]{done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.all, s.err = do(ctx, batch)
	}()
	return s
}

// wait returns the answer.
func (s *sending[T]) wait() ([]T, error) {
	<-s.done
	return s.all, s.err
}
