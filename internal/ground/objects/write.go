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
	"io/fs"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"simsearch/internal/ground/parallel"
)

// An object of more than pieceBytes is written in pieces, up to piecesAtOnce at a time. A store takes up to 10,000 of
// them.
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

// Put writes an object, and returns the ETag of its version. It reads from several times if the store fails. It
// appears as a whole, or not at all; one that is there is replaced then. Nothing is left of one that fails or is
// interrupted, as far as the store can be reached. A store may acknowledge what it does not keep: Check finds that
// out.
func Put(ctx context.Context, name string, from io.ReaderAt, size int64) (tag string, err error) {
	s, bucket, key, err := storeOf(name)
	if err != nil {
		return "", err
	}
	w := &writing{store: s, name: name, bucket: bucket, key: key, from: from, size: size, piece: pieceOf(size)}
	if size <= w.piece {
		err = w.whole(ctx)
		return w.tag, err
	}
	if err = w.pieces(ctx); errors.Is(err, errGone) { // an answer was lost, or somebody has given the upload up
		if is, err := s.head(ctx, name, bucket, key); err == nil {
			if holds, err := Holds(is, from, size); holds || err != nil {
				return is.ETag, err
			}
		}
		err = w.pieces(ctx)
	}
	return w.tag, err
}

// Check returns an error unless a store has an object as Put has left it: size bytes of from, in the version tag that
// Put has returned, or "". is is what a listing says of the object, or nil. What does not fit is asked for once more,
// and then read.
func Check(ctx context.Context, is *Info, name string, from io.ReaderAt, size int64, tag string) (*Info, error) {
	right := func() bool { return is != nil && is.bytes == size && (is.ETag == tag || is.ETag == "" || tag == "") }
	if right() {
		return is, nil
	}
	is, err := Now(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("no such object")
	case err != nil || right():
		return is, err
	case is.bytes != size:
		err = fmt.Errorf("%d of %d bytes", is.bytes, size)
	default: // some stores give a version another ETag than they have answered
		same, failed := is.equals(ctx, from)
		if same || failed != nil {
			return is, failed
		}
		err = errors.New("another object")
	}
	return nil, &Error{"write", name, fmt.Sprintf("the store said that it has taken it, and has %v: run the same command again", err), ErrStore}
}

// equals reports whether an object has the bytes of from, which has as many.
func (o *Info) equals(ctx context.Context, from io.ReaderAt) (bool, error) {
	if holds, err := Holds(o, from, o.bytes); holds || err != nil {
		return holds, err
	}
	f := o.open(ctx)
	is, want := md5.New(), md5.New() //nolint:gosec // no secret
	_, err1 := io.Copy(is, f)
	_, err2 := io.Copy(want, io.NewSectionReader(from, 0, o.bytes))
	return bytes.Equal(is.Sum(nil), want.Sum(nil)), errors.Join(err1, err2, f.Close())
}

// A writing is an object that is written.
type writing struct {
	*store
	name, bucket, key string
	from              io.ReaderAt
	size, piece       int64
	tag               string // of the version that was written last
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
		is, err := w.core.PutObject(ctx, w.bucket, w.key, living{io.NewSectionReader(w.from, 0, w.size), alive}, w.size,
			base64.StdEncoding.EncodeToString(sum), "", minio.PutObjectOptions{DisableContentSha256: true, ContentType: "application/octet-stream"})
		w.tag = strings.Trim(is.ETag, `"`)
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
		is, err := w.core.CompleteMultipartUpload(ctx, w.bucket, w.key, upload, done, minio.PutObjectOptions{})
		if answer, ok := answered(err); ok && again && answer.Code == "NoSuchUpload" {
			return fmt.Errorf("%w: %w", errGone, err)
		}
		again, w.tag = true, strings.Trim(is.ETag, `"`)
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

// PutBytes writes an object that is in memory, and checks that the store has it.
func PutBytes(ctx context.Context, name string, data []byte) error {
	from, size := bytes.NewReader(data), int64(len(data))
	tag, err := Put(ctx, name, from, size)
	if err == nil {
		_, err = Check(ctx, nil, name, from, size, tag)
	}
	return err
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

// GiveUp makes a store forget what killed runs have begun to write below the directory dir, of the objects that ours
// says. It is no error if the store does not say what that is.
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

// Holds reports whether a version of an object is what from has, as far as its ETag tells: it is a digest of all, or
// of the digests of the pieces. If the store makes it otherwise, Holds does not know, and says no.
func Holds(o *Info, from io.ReaderAt, size int64) (bool, error) {
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
