package objects

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"
)

// listed are the objects that List has found: an *Info for each name.
var listed sync.Map

// remembered returns what a listing has told of an object, or nil.
func remembered(name string) *Info {
	o, _ := listed.Load(name)
	info, _ := o.(*Info)
	return info
}

// List calls do for each object below the directory dir, in ascending order of the keys. From then on, Open and Stat
// take them to be as they are now. A key that ends with a slash stands for a directory, and is left out if it is
// empty, as other programs make them.
func List(ctx context.Context, dir string, do func(*Info) error) error {
	s, bucket, prefix, err := storeOf(dir)
	if err != nil {
		return err
	}
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	return s.list(ctx, bucket, prefix, 0, func(o *Info) error {
		if strings.HasSuffix(o.Object, "/") && o.bytes == 0 {
			return nil
		}
		listed.Store(o.Object, o)
		return do(o)
	})
}

// list calls do for each object whose key begins with a prefix, or only for the first ones if most is not 0. What has
// been listed before a failure is not listed again.
func (s *store) list(ctx context.Context, bucket, prefix string, most int, do func(*Info) error) error {
	last, n := "", 0
	var stopped error
	err := s.try(ctx, "list", Scheme+bucket+"/"+prefix, func(ctx context.Context, alive func()) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // ends the listing
		how := minio.ListObjectsOptions{Prefix: prefix, Recursive: true, StartAfter: last, MaxKeys: most}
		for o := range s.core.ListObjectsIter(ctx, bucket, how) {
			if o.Err != nil {
				return o.Err
			}
			alive()
			last = o.Key
			stopped = do(&Info{
				Object: Scheme + bucket + "/" + o.Key, ETag: strings.Trim(o.ETag, `"`), bytes: o.Size, time: o.LastModified, store: s,
			})
			if n++; stopped != nil || n == most {
				return nil
			}
		}
		return context.Cause(ctx)
	})
	return errors.Join(stopped, err)
}

// find returns what is known of an object or a directory, or asks.
func find(ctx context.Context, name string) (*Info, error) {
	if o := remembered(name); o != nil {
		return o, nil
	}
	return ask(ctx, name)
}

// ask finds out what is known of an object or a directory.
func ask(ctx context.Context, name string) (*Info, error) {
	s, bucket, key, err := storeOf(name)
	if err != nil {
		return nil, err
	}
	if key != "" && !strings.HasSuffix(key, "/") {
		o, err := s.head(ctx, name, bucket, key)
		if !errors.Is(err, fs.ErrNotExist) {
			return o, err
		}
		key += "/"
	}
	dir := &Info{Object: strings.TrimSuffix(name, "/"), store: s}
	found := false
	if err := s.list(ctx, bucket, key, 1, func(*Info) error { found = true; return nil }); err != nil {
		return nil, err
	}
	if !found {
		return nil, &Error{"read", name, "there is no such object, and none below it", fs.ErrNotExist}
	}
	return dir, nil
}

// head asks for an object.
func (s *store) head(ctx context.Context, name, bucket, key string) (*Info, error) {
	var o *Info
	err := s.try(ctx, "read", name, func(ctx context.Context, _ func()) error {
		is, err := s.core.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
		o = &Info{Object: name, ETag: is.ETag, bytes: is.Size, time: is.LastModified, store: s}
		return err
	})
	return o, err
}
