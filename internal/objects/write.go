package objects

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the protocol has it, against errors on the way
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"simsearch/internal/parallel"
)

// An object of more than pieceBytes is written in pieces, up to piecesAtOnce at a time. A store takes up to 10,000 of them.
const (
	piecesAtOnce = 4
	mostPieces   = 10_000
)

var pieceBytes int64 = 16 << 20 // tests have less

// pieceOf returns how large the pieces are of an object, but for the last.
func pieceOf(size int64) int64 {
	const step = 1 << 20
	return max(pieceBytes, (size+mostPieces*step-1)/(mostPieces*step)*step)
}

// A Source is what an object is written from. It is read several times if a store fails.
type Source interface{ io.ReaderAt }

// Put writes an object. It appears as a whole, or not at all; one that is there is replaced then. Nothing is left of one that fails or
// is interrupted, as far as the store can be reached.
func Put(ctx context.Context, name string, from Source, size int64) error {
	s, bucket, key, err := storeOf(name)
	if err != nil {
		return err
	}
	w := &writing{s, name, bucket, key, from, size, pieceOf(size)}
	if size <= w.piece {
		return w.whole(ctx)
	}
	if err = w.pieces(ctx); errors.Is(err, errGone) { // an answer was lost, or somebody has given the upload up
		if is, err := s.head(ctx, name, bucket, key); err == nil {
			if holds, err := Holds(is, from, size); holds || err != nil {
				return err
			}
		}
		err = w.pieces(ctx)
	}
	return err
}

// A writing is an object that is written.
type writing struct {
	*store
	name, bucket, key string
	from              Source
	size, piece       int64
}

// errGone is returned if a store does not know an upload any more.
var errGone = errors.New("the store does not know the upload")

// sum returns the digest of a piece, which tells the store of errors on the way.
func (w *writing) sum(from, size int64) ([]byte, error) {
	digest := md5.New() //nolint:gosec // as above
	_, err := io.Copy(digest, io.NewSectionReader(w.from, from, size))
	return digest.Sum(nil), err
}

// whole writes the object by one request.
func (w *writing) whole(ctx context.Context) error {
	sum, err := w.sum(0, w.size)
	if err != nil {
		return err
	}
	return w.try(ctx, "write", w.name, func(ctx context.Context, alive func()) error {
		_, err := w.core.PutObject(ctx, w.bucket, w.key, living{io.NewSectionReader(w.from, 0, w.size), alive}, w.size,
			base64.StdEncoding.EncodeToString(sum), "", minio.PutObjectOptions{DisableContentSha256: true, ContentType: "application/octet-stream"})
		return err
	})
}

// pieces writes the object in pieces, which the store then puts together.
func (w *writing) pieces(ctx context.Context) (err error) {
	var upload string
	err = w.try(ctx, "write", w.name, func(ctx context.Context, _ func()) (err error) {
		upload, err = w.core.NewMultipartUpload(ctx, w.bucket, w.key, minio.PutObjectOptions{ContentType: "application/octet-stream"})
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.giveUp(ctx, upload)
		}
	}()
	n := int((w.size + w.piece - 1) / w.piece)
	var done []minio.CompletePart
	put := func(ctx context.Context, i int) (string, error) { return w.put(ctx, upload, i) }
	if err := parallel.Ordered(ctx, piecesAtOnce, n, put, func(tag string) error {
		done = append(done, minio.CompletePart{PartNumber: len(done) + 1, ETag: tag})
		return nil
	}); err != nil {
		return err
	}
	again := false
	return w.try(ctx, "write", w.name, func(ctx context.Context, _ func()) error {
		_, err := w.core.CompleteMultipartUpload(ctx, w.bucket, w.key, upload, done, minio.PutObjectOptions{})
		if answer, ok := answered(err); ok && again && answer.Code == "NoSuchUpload" {
			return fmt.Errorf("%w: %w", errGone, err)
		}
		again = true
		return err
	})
}

// put writes a piece.
func (w *writing) put(ctx context.Context, upload string, i int) (tag string, err error) {
	from := int64(i) * w.piece
	size := min(w.piece, w.size-from)
	sum, err := w.sum(from, size)
	if err != nil {
		return "", err
	}
	err = w.try(ctx, "write", w.name, func(ctx context.Context, alive func()) error {
		is, err := w.core.PutObjectPart(ctx, w.bucket, w.key, upload, i+1, living{io.NewSectionReader(w.from, from, size), alive}, size,
			minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum), DisableContentSha256: true})
		tag = is.ETag
		return err
	})
	return tag, err
}

// giveUp makes the store forget the pieces of an upload, even after an interrupt.
func (w *writing) giveUp(ctx context.Context, upload string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = w.try(ctx, "write", w.name, func(ctx context.Context, _ func()) error { // the error is told that it was given up for
		return w.core.AbortMultipartUpload(ctx, w.bucket, w.key, upload)
	})
}

// PutBytes writes an object that is in memory.
func PutBytes(ctx context.Context, name string, data []byte) error {
	return Put(ctx, name, bytes.NewReader(data), int64(len(data)))
}

// Delete removes an object. One that is not there is no error.
func Delete(ctx context.Context, name string) error {
	s, bucket, key, err := storeOf(name)
	if err != nil {
		return err
	}
	return s.try(ctx, "delete", name, func(ctx context.Context, _ func()) error {
		return s.core.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{})
	})
}

// GiveUp makes a store forget what killed runs have begun to write below the directory dir, of the objects that ours says. It is no
// error if the store does not say what that is.
func GiveUp(ctx context.Context, dir string, ours func(name string) bool) {
	s, bucket, prefix, err := storeOf(strings.TrimSuffix(dir, "/") + "/")
	if err != nil {
		return
	}
	_ = once(ctx, func(ctx context.Context, alive func()) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for o := range s.core.ListIncompleteUploads(ctx, bucket, prefix, true) {
			if o.Err != nil {
				return o.Err
			}
			alive()
			if ours(Scheme + bucket + "/" + o.Key) {
				_ = s.core.AbortMultipartUpload(ctx, bucket, o.Key, o.UploadID)
			}
		}
		return nil
	})
}

// Holds reports whether a version of an object is what from has, as far as its ETag tells: it is a digest of all, or of the digests of the
// pieces. If the store makes it otherwise, Holds does not know, and says no.
func Holds(o *Info, from Source, size int64) (bool, error) {
	if o.bytes != size {
		return false, nil
	}
	w := &writing{from: from, size: size, piece: pieceOf(size)}
	if !strings.Contains(o.ETag, "-") {
		sum, err := w.sum(0, size)
		return hex.EncodeToString(sum) == o.ETag, err
	}
	n, all := (size+w.piece-1)/w.piece, []byte(nil)
	for i := range n {
		sum, err := w.sum(i*w.piece, min(w.piece, size-i*w.piece))
		if err != nil {
			return false, err
		}
		all = append(all, sum...)
	}
	digest := md5.Sum(all) //nolint:gosec // as above
	return fmt.Sprintf("%s-%d", hex.EncodeToString(digest[:]), n) == o.ETag, nil
}
