package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"simsearch/internal/cli"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/serve/agent"
	"simsearch/internal/serve/explorer"
	"simsearch/internal/serve/lines"
	"simsearch/internal/serve/server"
	"simsearch/internal/serve/service"
)

// garbageOfServing is how much garbage there may be before it is collected, in percent of what is in use: answers
// leave much, and little is in use beside indexes, which are mapped. --memory is the limit all the same.
const garbageOfServing = 100

// runServe serves indexes or, by an index that is gone when the command ends, the texts that the arguments name.
func runServe(t *task) (err error) {
	page := explorer.Options{Title: t.served(), PassageWords: t.PassageWords.Value}
	if page.Boilerplate, page.Common, err = t.Base(); err != nil {
		return err
	}
	if !t.HasInputs() {
		return t.serve(page)
	}
	if err := t.CheckServedTexts(); err != nil {
		return err
	}
	t.Passages.Value = t.Format.Value != corpus.Image
	x := &indexing{task: t}
	err = x.inTemporary(func(string) error {
		page.Bad = x.in.Bad
		return t.serve(page)
	})
	if !errors.Is(err, errReported) || x.total.Added == 0 {
		return err
	}
	return nil
}

// serve serves indexes, with such pages.
func (t *task) serve(page explorer.Options) (err error) {
	addresses, err := t.Addresses()
	mounts, wrong := t.Mounts()
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	var boilerplate []string
	for _, b := range page.Boilerplate {
		boilerplate = append(boilerplate, b.Text)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(garbageOfServing))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(t.Memory.Value - t.Memory.Value/8)) // stacks, connections and the program take the rest
	idle := make([]byte, min(64<<20, t.Memory.Value/16))                                // so that little use does not mean frequent collection; no page of it is ever touched
	defer runtime.KeepAlive(idle)
	svc, err := service.Open(service.Options{
		Data: t.Data.Value, Index: t.Index.Value, Mounts: mounts, ReadOnly: t.ServesReadOnly(), Memory: t.Memory.Value, Threads: t.Threads.Value,
		Passages: t.Bounds(), Boilerplate: boilerplate,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Close()) }()
	version, _ := built()
	tools := func(write bool) *agent.Agent {
		return agent.New(svc, agent.Options{Version: version, Write: write && t.Write.Value, Log: t.stderr})
	}
	switch out := (unbuffered{t.stdout}); {
	case t.Stdio.Value:
		return lines.Serve(t.Context, svc, t.stdin, out, lines.Options{ReadOnly: t.ServesReadOnly(), Log: t.stderr})
	case t.MCP.Value:
		return tools(true).Serve(t.Context, t.stdin, out)
	}
	return t.listen(svc, page, addresses, version, tools)
}

// served returns what the page calls the collection default: the names of the folders and files that are served.
func (t *task) served() string {
	paths := t.Args
	if !t.HasInputs() && t.Index.Value != "" {
		paths = []string{t.Index.Value}
	}
	var names []string
	for _, path := range paths {
		if whole, err := filepath.Abs(path); err == nil {
			path = whole // of which . has a name
		}
		names = append(names, filepath.Base(path))
	}
	return terminal.Shorten(strings.Join(names, ", "), 80)
}

// An unbuffered stream is written to at once.
type unbuffered struct{ to *bufio.Writer }

func (u unbuffered) Write(b []byte) (int, error) {
	n, err := u.to.Write(b)
	return n, errors.Join(err, u.to.Flush())
}

// listen serves a service over HTTP until the command is interrupted, which is how it ends well.
func (t *task) listen(
	svc *service.Service, page explorer.Options, addresses []string, version string, tools func(write bool) *agent.Agent,
) (err error) {
	page.Kept, page.Unpacked = min(explorer.Kept, t.Memory.Value/32), min(explorer.Unpacked, t.Memory.Value/64)
	repeated := []cli.AnyFlag{&t.Index, &t.Format, &t.TextField, &t.Include}
	page.Pairs = "simsearch pairs --passages " + cli.Arguments(t.Args, repeated)
	o := server.Options{
		Hosts: t.Host.Value, ReadOnly: t.ServesReadOnly(), Version: version, Log: t.stderr, Agent: func(write bool) http.Handler { return tools(write).Handler() },
		Page:   explorer.New(svc, page),
		Memory: t.Memory.Value / bodiesShare, MaxBody: min(server.MaxBody, t.Memory.Value/bodiesShare/4),
	}
	if t.TokenFile.Given {
		if o.Tokens, err = t.tokens(t.TokenFile.Value); err != nil {
			return err
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runnersOfProcessor * runtime.GOMAXPROCS(0)))
	s := server.New(svc, o)
	var listeners []net.Listener
	for _, address := range addresses {
		l, err := new(net.ListenConfig).Listen(t.Context, "tcp", address)
		if err != nil {
			return fmt.Errorf("cannot listen at %s: %w", address, errors.Unwrap(err))
		}
		defer l.Close() //nolint:errcheck // Serve has closed it, unless another cannot be opened
		listeners = append(listeners, l)
	}
	for _, l := range listeners {
		url := "http://" + l.Addr().String() + "/"
		if t.JSON.Value {
			err = t.printObject(map[string]any{"v": 1, "url": url})
		} else {
			_, err = fmt.Fprintln(t.stdout, url)
		}
		if err = errors.Join(err, t.stdout.Flush()); err != nil {
			return err
		}
	}
	if err := s.Serve(t.Context, listeners...); err != nil {
		return err
	}
	t.say("stopped: every request that was taken has been answered")
	return nil
}

// runnersOfProcessor is how many goroutines may run on a processor. The runtime of Go lets one run for up to 10 ms
// before the next, and the system lets threads take turns much sooner. With more than one, a query does not wait
// while a batch is added or segments are merged. While texts were added on two busy processors, p99 of queries was 39
// ms with one, 8.4 with two and 4.8 with four. What is left are turns of the system. Threads of a lower priority or
// with shorter turns for batches and merges made no difference beyond the noise, nor did a fifth of the collections
// of garbage. Threads of the class idle kept the runtime from stopping the world for up to 133 ms.
const runnersOfProcessor = 4

// bodiesShare is the part of --memory that requests and answers under way take at most.
const bodiesShare = 16

// tokens reads the file of --token-file.
func (t *task) tokens(path string) (tokens *server.Tokens, err error) {
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.warn("%s: others can read the tokens; chmod 600 keeps them out", terminal.Plain(path))
	}
	text, err := disk.ReadSecret(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, cmp.Or(errors.Unwrap(err), err))
	}
	if tokens, err = server.ReadTokens(bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tokens, nil
}
