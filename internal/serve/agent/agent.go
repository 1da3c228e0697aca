// Package agent offers what a service can do as tools of an agent, by the Model Context Protocol: on standard input,
// or as a handler of HTTP. With them an agent finds what is near a text, and keeps notes without duplicates.
package agent

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"simsearch/internal/serve/service"
)

// Options say what agents may do.
type Options struct {
	Version string    // of the program
	Write   bool      // there are tools that change collections
	Log     io.Writer // gets what agents are not told
}

// An Agent is tools. It is safe for concurrent use.
type Agent struct {
	service service.API
	server  *mcp.Server
	log     *log.Logger
}

// instructions are what an agent is told when it connects.
const instructions = `simsearch finds near-duplicate texts: the same text with some words changed, added or left out. It compares words, not
meanings. Before you keep a note or a document, ask check_and_add (or near, if there is no check_and_add): it says whether the same
thing is kept already, and under which id. Similarity is given as jaccard: the share of the words of two texts that both have, from 0
to 1.`

// New returns the tools of a service.
func New(s service.API, o Options) *Agent {
	a := &Agent{s, mcp.NewServer(&mcp.Implementation{Name: "simsearch", Title: "near-duplicate search", Version: o.Version},
		&mcp.ServerOptions{Instructions: strings.ReplaceAll(instructions, "\n", " "), Capabilities: &mcp.ServerCapabilities{}}),
		log.New(cmp.Or(o.Log, io.Discard), "simsearch: ", 0)}
	a.addReading()
	if o.Write {
		a.addWriting()
	}
	return a
}

// Serve answers an agent that has started this program, until in ends or ctx is done. A goroutine may be left then that
// waits for in.
func (a *Agent) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	err := a.server.Run(ctx, newPipe(in, out))
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// longestBody is how many bytes a request of HTTP has at most. A document in it is smaller.
const longestBody = 64 << 20

// Handler answers agents by HTTP. Hosts, origins and tokens have been checked before it is called. It keeps nothing
// between requests, so that agents need not tell when they leave.
func (a *Agent) Handler() http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return a.server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: longestBody, DisableLocalhostProtection: true, PropagateRequestCancellation: true,
	})
}

// noneYet begins the error of a call where there is no collection.
const noneYet = "there is none yet"

// collection returns the name of the collection that a call is about. A call need not name the only one. What is kept
// first makes the collection that it names.
func (a *Agent) collection(ctx context.Context, name string, write bool) (string, error) {
	if name != "" && !write {
		return name, nil
	}
	names, err := a.names(ctx)
	switch {
	case err != nil:
		return "", err
	case name != "" && len(names) > 0:
		return name, nil
	case len(names) == 1:
		return names[0], nil
	case len(names) > 1:
		return "", service.Errorf(service.BadRequest, "collection", "which one? There are %s", strings.Join(names, ", "))
	case !write:
		return "", service.Errorf(service.NotFound, "collection", noneYet+", so that nothing is near anything")
	}
	name = cmp.Or(name, service.DefaultCollection)
	_, _, err = a.service.Create(ctx, name, &service.Settings{Keep: "text"})
	return name, err
}

func (a *Agent) names(ctx context.Context) (names []string, err error) {
	all, err := a.service.List(ctx)
	for _, i := range all {
		names = append(names, i.Name)
	}
	return names, err
}
