package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/disk"
)

// remoteFlags name a server. The token of --token-file is for it.
type remoteFlags struct{ Server text }

// ServerFlags returns the flags of a command that can ask a server in place of an index.
func (c *Flags) ServerFlags() []AnyFlag {
	return InGroup(SearchedGroup, []AnyFlag{
		c.Server.As("server", "ask the server at `URL`, such as http://127.0.0.1:8080, in place of an index; #NAME behind it names a collection other than default").Once(),
		c.TokenFile.As("token-file", "with --server, show it the token in `FILE`"),
	})
}

// besideServer are the flags that have a place beside --server, but for those of inputs.
var besideServer = map[string][]string{
	"":      {"server", "token-file", "json", "threads", "memory", "quiet"},
	"near":  {"text", "fingerprint", "id", "jaccard", "k", "contained", "nearest", "limit", "where"},
	"index": {"keep-fields"},
}

// checkServer returns an error if flags are given that have no place beside --server, or are for it alone.
func (c *Flags) checkServer() error {
	if c.Command.Name == "serve" {
		return nil
	}
	if !c.Server.Given {
		if name := FirstGiven(&c.TokenFile); name != "" {
			return fmt.Errorf("--%s is for --server", name)
		}
		return nil
	}
	for _, f := range c.Command.Flags {
		given, _ := f.(AnyFlag)
		name := f.Names()[0]
		switch {
		case !given.IsSet() || slices.Contains(c.Inputs, f) || slices.Contains(besideServer[""], name) || slices.Contains(besideServer[c.Command.Name], name):
		case name != "index":
			return fmt.Errorf("--%s has no place beside --server: the settings of the collection decide, and the server", name)
		case c.Index.isTyped():
			return errors.New("--index and --server exclude each other: ask an index, or a collection of a server")
		}
	}
	c.Index.Value, c.Index.Given = "", false // of the environment
	return nil
}

// Token returns the token of --token-file, or "" if there is none: the first word of its first line that has one and is no remark.
func (c *Flags) Token() (string, error) {
	if !c.TokenFile.Given {
		return "", nil
	}
	text, err := disk.ReadSecret(c.TokenFile.Value)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			return words[0], nil
		}
	}
	return "", fmt.Errorf("--token-file %s: there is no token in it", c.TokenFile.Value)
}
