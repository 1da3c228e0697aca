package filesync

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"simsearch/internal/ground/objects"
	"simsearch/internal/index/store"
)

// A digester takes digests of files. The zero value is ready.
type digester struct {
	hash hash.Hash
	buf  []byte
}

// of returns the digest of the contents of a file. ctx is looked at between two reads.
func (g *digester) of(ctx context.Context, path string) (d store.FileDigest, err error) {
	if g.hash == nil {
		g.hash, g.buf = sha256.New(), make([]byte, 256<<10)
	}
	g.hash.Reset()
	f, err := objects.Open(ctx, path)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for {
		n, err := f.Read(g.buf)
		_, _ = g.hash.Write(g.buf[:n]) // never fails
		switch {
		case errors.Is(err, io.EOF):
			copy(d[:], g.hash.Sum(nil))
			return d, nil
		case err != nil:
			return d, err
		case ctx.Err() != nil:
			return d, context.Cause(ctx)
		}
	}
}
