package cli

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// ServeFlags returns the flags of serve.
func (c *Flags) ServeFlags() []AnyFlag {
	return slices.Concat([]AnyFlag{
		c.Data.As("data", "serve the collections in `DIR`, which is made if there is none; clients make and remove collections in it"),
		c.Index.As("index", "serve one index, the `DIR` of it, as the collection default").Once(),
		c.Mount.As("mount", "serve an index, too, as a collection that clients cannot change: `NAME=DIR`; it is followed when it grows or is replaced"),
		c.ReadOnly.As("read-only", "let no client change anything"),
		c.Write.As("write", "let clients change the index of --index, and agents what other clients may change"),
	}, InGroup(ServingGroup, []AnyFlag{
		c.Listen.As("listen", "answer requests at `ADDRESS`, a host and a port; 0 is a free port; given again, at several").
			Or([]string{defaultListen}).Told(defaultListen),
		c.TokenFile.As("token-file", "let in clients with a token of `FILE` alone: lines of a token, read or write, and names of collections "+
			"if it is for these alone"),
		c.Host.As("host", "let clients call the server by `NAME`, too; given again, by several"),
		c.Stdio.As("stdio", "answer requests on standard input, one a line, and listen at no port"),
		c.MCP.As("mcp", "be a server of the Model Context Protocol on standard input, for an agent, and listen at no port"),
	}), InGroup(SearchedGroup, c.passageBounds()), c.CorpusFlags(), c.CommonFlags())
}

// CheckServedTexts returns an error if serve is to serve texts, and the flags name something else, too.
func (c *Flags) CheckServedTexts() error {
	named := FirstGiven(&c.Data, &c.Mount, &c.Write)
	if c.Index.typed {
		named = "index"
	}
	return Mistakes{
		{named != "", "serve either names texts, or has --" + named + ": the index of texts that are named is gone when the command ends"},
		{c.Stdio.Value || c.MCP.Value, "texts that are named are served at a port: make an index for --stdio and --mcp, by simsearch index --index DIR INPUT..., and serve that by --index DIR"},
	}.First()
}

// ServesReadOnly reports whether clients of serve change nothing: they may change collections of --data, and the
// index of --index with --write.
func (c *Flags) ServesReadOnly() bool {
	return c.ReadOnly.Value || c.Data.Value == "" && !c.Write.Value
}

// defaultListen is the address of --listen.
const defaultListen = "127.0.0.1:8080"

// Addresses returns the addresses of --listen, and checks what the flags of serve say together.
func (c *Flags) Addresses() ([]string, error) {

	port := FirstGiven(&c.Listen, &c.TokenFile, &c.Host)
	pipe := c.Stdio.Value || c.MCP.Value
	err := Mistakes{
		{c.Data.Value == "" && c.Index.Value == "" && len(c.Mount.Value) == 0, "serve what? name texts, such as a folder of them, an index with --index DIR, or a directory of collections with --data DIR"},
		{c.Data.Value != "" && c.Index.Value != "", "--data and --index exclude each other: --mount NAME=DIR serves an index beside the collections of --data"},
		{c.Write.Value && c.ReadOnly.Value, "--write and --read-only exclude each other"},
		{c.Write.Value && c.Data.Value == "" && c.Index.Value == "", "--write is for --data or --index: what is mounted cannot be changed"},
		{c.Stdio.Value && c.MCP.Value, "--stdio and --mcp exclude each other"},
		{pipe && port != "", "--" + port + " is for a server at a port, which --stdio and --mcp do without"},
	}.First()
	if err != nil {
		return nil, err
	}
	for _, address := range c.Listen.Value {
		if err := checkListen(address, c.TokenFile.Value != ""); err != nil {
			return nil, err
		}
	}
	return c.Listen.Value, nil
}

// checkListen returns an error if there may be no server at an address: without tokens, other machines must not reach
// it.
func checkListen(address string, tokens bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen %s: want a host and a port, such as 127.0.0.1:8080", address)
	}
	if addr, err := netip.ParseAddr(host); tokens || host == "localhost" || err == nil && addr.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--listen %s lets other machines in: give --token-file, too, or listen at 127.0.0.1", address)
}

// Mounts returns the names and the directories of --mount.
func (c *Flags) Mounts() (map[string]string, error) {
	mounts := map[string]string{}
	for _, mount := range c.Mount.Value {
		name, dir, ok := strings.Cut(mount, "=")
		if !ok || name == "" || dir == "" {
			return nil, fmt.Errorf("--mount %s: want a name and a directory, such as news=/srv/news", mount)
		}
		if mounts[name] != "" {
			return nil, errors.New("--mount gives two directories to " + name)
		}
		mounts[name] = dir
	}
	return mounts, nil
}
