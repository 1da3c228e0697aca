package filesync

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"simsearch/internal/catalogue"
)

// digest returns the digest of the contents of a file.
func digest(ctx context.Context, path string) (d catalogue.Digest, err error) {
	f, err := os.Open(path)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	buf := make([]byte, 256<<10)
	for {
		n, err := f.Read(buf)
		_, _ = h.Write(buf[:n]) // never fails
		switch {
		case errors.Is(err, io.EOF):
			copy(d[:], h.Sum(nil))
			return d, nil
		case err != nil:
			return d, err
		case ctx.Err() != nil:
			return d, context.Cause(ctx)
		}
	}
}
