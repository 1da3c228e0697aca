// Package objects opens what names lead to: files of the disk, and objects of stores that speak the protocol of S3.
// It is the one place that knows such stores.
//
// A name of an object is s3://BUCKET/KEY. One that ends with a slash, or is s3://BUCKET, stands for all objects whose
// keys begin so, as a directory does for files. The server, its region and the credentials come from the environment,
// as other programs read it: see newStore. No store is asked unless such a name is given. Secrets are in no message.
//
// What can be tried again is tried again: see Attempts. An object is read in the version that its listing has told
// of, and is written as a whole or not at all.
package objects

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/ground/disk"
)

// Scheme is what names of objects begin with.
const Scheme = "s3://"

// Is reports whether a name is that of an object, or of all objects below it, and not of a file.
func Is(name string) bool { return strings.HasPrefix(name, Scheme) }

// Local returns what a name of an object has behind Scheme. Other names stay.
func Local(name string) string { return strings.TrimPrefix(name, Scheme) }

// letters are those of names of buckets.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_"

// maxKey is the length in bytes of the longest key.
const maxKey = 1024

// parse returns the two parts of a name of an object.
func parse(name string) (bucket, key string, err error) {
	bucket, key, _ = strings.Cut(Local(name), "/")
	switch {
	case !Is(name) || bucket == "":
		err = fmt.Errorf("%s: want %sBUCKET/NAME", name, Scheme)
	case strings.Trim(bucket, letters) != "" || len(bucket) < 3 || len(bucket) > 63 || strings.Contains(bucket, "..") || bucket[0] == '.' ||
		bucket[0] == '-':
		err = fmt.Errorf("%s: %q cannot be the name of a bucket", name, bucket)
	case len(key) > maxKey || !utf8.ValidString(key):
		err = fmt.Errorf("%s: want a name of up to %d bytes, in UTF-8", name, maxKey)
	}
	return bucket, key, err
}

// storeOf returns the store of a name of an object, and its two parts.
func storeOf(name string) (s *store, bucket, key string, err error) {
	if bucket, key, err = parse(name); err != nil {
		return nil, "", "", err
	}
	s, err = newStore()
	return s, bucket, key, err
}

// Join returns the name of what is called below in a directory, which may be that of a store.
func Join(dir, below string) string {
	if !Is(dir) {
		return filepath.Join(dir, filepath.FromSlash(below))
	}
	return strings.TrimSuffix(dir, "/") + "/" + below
}

// Below returns the rest of a name behind that of a directory of a store. ok is false if it is not in there.
func Below(name, dir string) (rest string, ok bool) {
	return strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// A File is a file or an object that is open for reading. ReadAt may be called by several goroutines at once, and
// does not move where Read goes on.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// Open opens a file or an object. Reading an object ends when ctx is done. The error of a file is that of os.Open,
// and that of an object an *Error.
func Open(ctx context.Context, name string) (File, error) {
	if !Is(name) {
		return os.Open(name)
	}
	info, err := find(ctx, name)
	if err != nil {
		return nil, err
	}
	return info.open(ctx), nil
}

// Stat returns what is known of a file or an object. It says of an object what the listing has said that has found
// it, if one has, and so does what Open returns. The error of a file is that of os.Stat, and that of an object an
// *Error.
func Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	if !Is(name) {
		return os.Stat(name)
	}
	return find(ctx, name)
}

// Look is Stat for an object that is going to be read. From then on, Open and Stat take it to be as it is now.
func Look(ctx context.Context, name string) (*Info, error) {
	o, err := ask(ctx, name)
	if err == nil && !o.IsDir() {
		listed.Store(name, o)
	}
	return o, err
}

// Now is Stat for an object as it is at this moment, whatever a listing has told.
func Now(ctx context.Context, name string) (*Info, error) {
	s, bucket, key, err := storeOf(name)
	if err != nil {
		return nil, err
	}
	return s.head(ctx, name, bucket, key)
}

// CacheDir returns the directory of this machine for what is made for a directory of a store: one of its own for each
// server, each name, and what else it depends on.
func CacheDir(name string, of ...string) (string, error) {
	p, err := placeOf()
	if err != nil {
		return "", err
	}
	if _, _, err := parse(name); err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%s: where can it be made before it is published? Set XDG_CACHE_HOME or HOME: %w", name, err)
	}
	digest := murmur3.New128()
	fmt.Fprintf(digest, "%q", append([]string{p.host, strings.TrimSuffix(name, "/")}, of...))
	return filepath.Join(cache, "simsearch", hex.EncodeToString(digest.Sum(nil))), nil
}

// An Info is what is known of an object, or of a directory of a store. It is an fs.FileInfo.
type Info struct {
	Object string // the whole name
	ETag   string // of the version, or "" of a directory
	bytes  int64
	time   time.Time
	store  *store
}

// Name returns the last part of the name.
func (o *Info) Name() string { return path.Base(o.Object) }

// Size returns the number of bytes.
func (o *Info) Size() int64 { return o.bytes }

// ModTime returns when the object was written.
func (o *Info) ModTime() time.Time { return o.time }

// IsDir reports whether the name stands for all objects below it.
func (o *Info) IsDir() bool { return o.ETag == "" }

// Sys returns nil.
func (o *Info) Sys() any { return nil }

// Mode says that others may read an object only if nobody has to say who he is.
func (o *Info) Mode() fs.FileMode {
	mode := fs.FileMode(0o600)
	if o.store.anonymous() {
		mode = 0o644
	}
	if o.IsDir() {
		mode |= fs.ModeDir
	}
	return mode
}

// See makes readers those who may read a file, or an object that has been listed.
func See(readers *disk.Readers, name string) {
	if !Is(name) {
		readers.See(name)
		return
	}
	if o := remembered(name); o != nil {
		readers.SeeMode(o.Mode())
	}
}

// Version returns what tells the contents of an object from those that it has had before, or "" of a file.
func Version(info fs.FileInfo) string {
	if o, ok := info.(*Info); ok {
		return o.ETag
	}
	return ""
}

// Classes of errors. Others of an *Error are that of the context, fs.ErrNotExist and fs.ErrPermission.
var (
	// ErrChanged is returned for an object that is not any more as its listing has told.
	ErrChanged = errors.New("it has changed meanwhile")
	// ErrStore is returned if a store does not answer, or not as it should. The same may succeed later.
	ErrStore = errors.New("the store does not answer as it should")
)

// An Error says what could not be done with an object, and why.
type Error struct {
	Doing, Object string
	Why           string // in words, with advice
	Class         error
}

func (e *Error) Error() string { return fmt.Sprintf("cannot %s %s: %s", e.Doing, e.Object, e.Why) }

func (e *Error) Unwrap() error { return e.Class }

// Whole returns the error about an object that is in err, without what those have added who read it.
func Whole(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	return err
}

// Reason returns err without the name of the object, for those who tell it themselves.
func Reason(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s%w", e.Why, silent{e.Class})
	}
	return err
}

// A silent error has a class and no text.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (e silent) Unwrap() error { return e.error }

// Fatal reports whether an error of reading is about more than the one object: the others would fail, too, or what
// has been read of it before is of no use.
func Fatal(err error) bool { return errors.Is(err, ErrStore) || errors.Is(err, ErrChanged) }
