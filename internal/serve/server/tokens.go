package server

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"simsearch/internal/serve/service"
)

// Tokens are what clients show to be let in. A file of them has one a line, followed by the right it gives, and by
// the names of collections if it gives it on these alone:
//
//	# what the crawler uses
//	b4f0c1d2e3f4a5b6 write news,blogs
//	0123456789abcdef read
//
// Empty lines, and what follows a #, are passed over.
type Tokens struct{ all []token }

// A token is what its holder may do. The token itself is not kept.
type token struct {
	hash        [sha256.Size]byte
	write       bool
	collections []string // nil for all
}

// minToken is how many characters a token has at least: 64 bits, in hexadecimal digits.
const minToken = 16

// ReadTokens reads tokens. Errors have the number of the line, and nothing of the token.
func ReadTokens(r io.Reader) (*Tokens, error) {
	t := &Tokens{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if err := t.add(words); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(t.all) == 0 {
		return nil, errors.New("there is no token in it")
	}
	return t, nil
}

func (t *Tokens) add(words []string) error {
	switch {
	case len(words) < 2 || len(words) > 3 || words[1] != "read" && words[1] != "write":
		return errors.New("want a token, read or write, and collections with commas between if it is for these alone")
	case len(words[0]) < minToken:
		return fmt.Errorf("the token has fewer than %d characters, and might be guessed: openssl rand -hex 16 makes one", minToken)
	}
	one := token{hash: sha256.Sum256([]byte(words[0])), write: words[1] == "write"}
	if len(words) == 3 {
		one.collections = strings.Split(words[2], ",")
	}
	if slices.ContainsFunc(t.all, func(other token) bool { return other.hash == one.hash }) {
		return errors.New("the token is there twice")
	}
	t.all = append(t.all, one)
	return nil
}

var (
	errNoToken  = service.Errorf(service.Unauthorized, "Authorization", "want the header Authorization: Bearer TOKEN, with a token of the server's file")
	errReadOnly = service.Errorf(service.Forbidden, "Authorization", "the token is for reading")
	errNotFor   = service.Errorf(service.Forbidden, "Authorization", "the token is not for this collection")
	everything  = &token{write: true}
)

// of returns what the sender of a request may do. The time it takes does not depend on which token is like the one
// sent.
func (t *Tokens) of(r *http.Request) (*token, error) {
	if t == nil {
		return everything, nil
	}
	sent := ""
	if kind, rest, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "bearer") {
		sent = strings.TrimSpace(rest)
	} else if _, password, ok := r.BasicAuth(); ok { // as browsers send it
		sent = password
	}
	hash := sha256.Sum256([]byte(sent))
	var found *token
	for i := range t.all {
		if subtle.ConstantTimeCompare(hash[:], t.all[i].hash[:]) == 1 {
			found = &t.all[i]
		}
	}
	if found == nil {
		return nil, errNoToken
	}
	return found, nil
}

// sees reports whether a collection is one of those that the token is for.
func (t *token) sees(collection string) bool {
	return t.collections == nil || slices.Contains(t.collections, collection)
}

// may returns an error unless the holder may do what writes, or does not write, on a collection; "" is the list of
// them.
func (t *token) may(write bool, collection string) error {
	switch {
	case collection != "" && !t.sees(collection):
		return errNotFor
	case write && !t.write:
		return errReadOnly
	}
	return nil
}
