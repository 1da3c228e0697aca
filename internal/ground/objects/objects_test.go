package objects_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/objects/objectstest"
	"simsearch/internal/tests/testkit"
)

// Parts that are read, and pieces that are written, are small here.
const part, piece = objects.TestPart, objects.TestPiece

func random(size int, seed uint64) []byte {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(data)
	return data
}

func TestList(t *testing.T) {
	s := objectstest.New(t)
	want := []string{}
	for i := range 2345 {
		key := fmt.Sprintf("in/%d/%04d.txt", i%7, i)
		s.Put(key, fmt.Sprint(i))
		want = append(want, objectstest.Name(key))
	}
	s.Put("in/", "")
	s.Put("in/empty/", "")
	s.Put("in2/other", "not asked for")
	slices.Sort(want)
	for i, dir := range []string{"in", "in/"} {
		if i > 0 { // each second request fails, in the middle of the listing, too
			objects.SetPatience(objectstest.Patience)
			s.Fail(objectstest.EachNth(2, objectstest.Faults["503"]))
		}
		var got []string
		err := objects.List(t.Context(), objectstest.Name(dir), func(o *objects.Info) error {
			got = append(got, o.Object)
			if o.IsDir() || o.Size() == 0 || o.ETag == "" || time.Since(o.ModTime()) > time.Hour || o.Mode() != 0o600 {
				t.Errorf("%+v", o)
			}
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d objects, want %d, %v", dir, len(got), len(want), err)
		}
	}
	s.Fail(nil)
	stop := errors.New("stop")
	if err := objects.List(t.Context(), objectstest.Name("in"), func(*objects.Info) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}

func TestStat(t *testing.T) {
	s := objectstest.New(t)
	s.Put("a/b.txt", "text")
	for name, isDir := range map[string]bool{"a/b.txt": false, "a": true, "a/": true, "": true} {
		info, err := objects.Stat(t.Context(), objectstest.Name(name))
		if err != nil || info.IsDir() != isDir || !isDir && info.Size() != 4 {
			t.Errorf("%q: %+v %v", name, info, err)
		}
	}
	for _, name := range []string{objectstest.Name("b"), objectstest.Name("a/b"), objectstest.Name("a/b.txt/"), "s3://no-such-bucket/a"} {
		if info, err := objects.Stat(t.Context(), name); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %+v %v", name, info, err)
		}
	}
}

// An object is read as it is, in whatever pieces.
func TestRead(t *testing.T) {
	s := objectstest.New(t)
	sizes := []int{0, 1, 1000, part - 1, part, part + 1, 7*part + 13}
	for i, size := range sizes {
		want := random(size, uint64(i))
		key := fmt.Sprintf("a%d", size)
		s.Put(key, string(want))
		f, err := objects.Open(t.Context(), objectstest.Name(key))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
		r := rand.New(rand.NewPCG(1, uint64(i)))
		for range 50 {
			at, n := r.IntN(size+1), r.IntN(2*part)
			buf := make([]byte, n)
			got, err := f.ReadAt(buf, int64(at))
			end := min(size, at+n)
			if got != end-at || !bytes.Equal(buf[:got], want[at:end]) || (err != nil) != (got < n) || err != nil && !errors.Is(err, io.EOF) {
				t.Errorf("%d bytes at %d of %d: %d, %v", n, at, size, got, err)
			}
			if _, err := f.Seek(int64(at), io.SeekStart); err != nil {
				t.Error(err)
			}
			buf = buf[:min(n, end-at)]
			if _, err := io.ReadFull(f, buf); err != nil || !bytes.Equal(buf, want[at:at+len(buf)]) {
				t.Errorf("%d bytes behind %d of %d: %v", n, at, size, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Ranges are asked for in parallel, and no more of them than are read soon.
func TestReadsAhead(t *testing.T) {
	s := objectstest.New(t)
	s.Put("a", string(random(20*part, 1)))
	var now, most atomic.Int64
	s.Fail(func(int64, *http.Request) objectstest.Fault {
		return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			for n := now.Add(1); ; {
				if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			time.Sleep(20 * time.Millisecond)
			next.ServeHTTP(w, r)
			now.Add(-1)
		}
	})
	f, err := objects.Open(t.Context(), objectstest.Name("a"))
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1000)
	for range 2 {
		if _, err := io.ReadFull(f, buf); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond)
	if n := s.Requests.Load(); n > 6 {
		t.Errorf("%d requests for the first bytes", n)
	}
	if n, err := io.Copy(io.Discard, f); err != nil || n != 20*part-2000 {
		t.Error(n, err)
	}
	if m := most.Load(); m < 3 || m > 6 {
		t.Errorf("%d requests at a time", m)
	}
	if n := s.Requests.Load(); n != 21 {
		t.Errorf("%d requests, want one to ask for the size and 20 for the parts", n)
	}
}

// An object that is not any more as it was listed is an error, whenever it changes.
func TestChanged(t *testing.T) {
	s := objectstest.New(t)
	for _, before := range []bool{true, false} {
		s.Put("in/a", string(random(10*part, 1)))
		if _, err := objects.Look(t.Context(), objectstest.Name("in/a")); err != nil {
			t.Fatal(err)
		}
		if before {
			s.Put("in/a", string(random(10*part, 2)))
		}
		f, err := objects.Open(t.Context(), objectstest.Name("in/a"))
		if err != nil {
			t.Fatal(err)
		}
		if !before {
			if _, err := io.ReadFull(f, make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			s.Put("in/a", string(random(10*part, 2)))
		}
		if n, err := io.Copy(io.Discard, f); !errors.Is(err, objects.ErrChanged) || !objects.Fatal(err) || n > 5*part {
			t.Errorf("before %v: %d bytes, %v", before, n, err)
		}
	}
	s.Put("in/b", "text")
	if _, err := objects.Look(t.Context(), objectstest.Name("in/b")); err != nil {
		t.Fatal(err)
	}
	s.Do(http.MethodDelete, "in/b", nil)
	f, err := objects.Open(t.Context(), objectstest.Name("in/b"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(make([]byte, 10)); !errors.Is(err, fs.ErrNotExist) || objects.Fatal(err) {
		t.Error(err)
	}
}

// A store that sends other bytes than were asked for is not believed.
func TestOtherBytes(t *testing.T) {
	s := objectstest.New(t)
	s.Put("other/a", string(random(3*part, 1)))
	f, err := objects.Open(t.Context(), objectstest.Name("other/a"))
	if err != nil {
		t.Fatal(err)
	}
	s.Fail(func(int64, *http.Request) objectstest.Fault {
		return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", 1, part)) // as many, from another place
			next.ServeHTTP(w, r)
		}
	})
	if n, err := f.Read(make([]byte, 100)); err == nil || n > 0 || !strings.Contains(err.Error(), "other bytes") {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestPut(t *testing.T) {
	s := objectstest.New(t)
	for i, size := range []int{0, 1, piece, piece + 1, 2*piece + 5} {
		want := random(size, uint64(i))
		for range 2 { // the second time, it is there
			if err := objects.PutBytes(t.Context(), objectstest.Name("out/a"), want); err != nil {
				t.Fatal(err)
			}
			if got := s.Files("out/"); len(got) != 1 || got["a"] != string(want) {
				t.Errorf("%d bytes are written wrong", size)
			}
		}
		is, err := objects.Now(t.Context(), objectstest.Name("out/a"))
		if err != nil {
			t.Fatal(err)
		}
		if holds, err := objects.Holds(is, bytes.NewReader(want), int64(size)); err != nil || !holds {
			t.Errorf("%d bytes: %v %v", size, holds, err)
		}
		if size > 0 {
			want[size-1]++
			if holds, err := objects.Holds(is, bytes.NewReader(want), int64(size)); err != nil || holds {
				t.Errorf("%d other bytes: %v %v", size, holds, err)
			}
		}
	}
	for range 2 {
		if err := objects.Delete(t.Context(), objectstest.Name("out/a")); err != nil {
			t.Error(err)
		}
	}
	if n := s.Uploads(); n > 0 || len(s.Files("out/")) > 0 {
		t.Errorf("%d uploads are left", n)
	}
}

// Whatever is interrupted, at whatever request, the object that was there stays, and no piece of the other one.
func TestPutIsInterrupted(t *testing.T) {
	s := objectstest.New(t)
	s.Put("out/a", "old")
	for n := range int64(5) {
		ctx, cancel := context.WithCancel(t.Context())
		s.Fail(func(i int64, _ *http.Request) objectstest.Fault {
			if i == n+1 {
				cancel()
				return objectstest.Faults["reset"]
			}
			return nil
		})
		if err := objects.PutBytes(ctx, objectstest.Name("out/a"), random(3*piece, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("request %d: %v", n, err)
		}
		cancel()
		s.Fail(nil)
		if got := s.Files("out/"); len(got) != 1 || got["a"] != "old" || s.Uploads() > 0 && n > 0 {
			t.Errorf("request %d: %d objects, %d uploads", n, len(got), s.Uploads())
		}
		objects.GiveUp(t.Context(), objectstest.Name("out"), func(name string) bool { return name == objectstest.Name("out/a") })
		if n := s.Uploads(); n > 0 {
			t.Errorf("%d uploads are left", n)
		}
	}
}

// work does all that can be done with objects, and returns what is not as it should be.
func work(ctx context.Context, s *objectstest.Server, small, large []byte) error {
	keys := []string{}
	err := objects.List(ctx, objectstest.Name("in"), func(o *objects.Info) error {
		keys = append(keys, o.Object)
		return nil
	})
	if err != nil {
		return err
	}
	if len(keys) != 2 {
		return fmt.Errorf("listed %q", keys)
	}
	for i, want := range [][]byte{large, small} {
		f, err := objects.Open(ctx, keys[i])
		if err != nil {
			return err
		}
		got, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return errors.New("other bytes were read")
		}
		if err := objects.PutBytes(ctx, objectstest.Name("out/a"), want); err != nil {
			return err
		}
		if is := s.Files("out/")["a"]; is != string(want) {
			return errors.New("other bytes were written")
		}
	}
	return objects.Delete(ctx, objectstest.Name("out/a"))
}

// A store that fails at each n-th request is asked again. One that always fails is given up in one line, soon. No
// byte is wrong, and no object is there by half.
func TestFaults(t *testing.T) {
	s := objectstest.New(t)
	small, large := random(1000, 1), random(2*piece+7, 2)
	for name, fault := range objectstest.Faults {
		if !testkit.IsLong() && !slices.Contains([]string{"503", "cut", "lost"}, name) {
			continue
		}
		every := []int64{2, 3, 5}
		if !testkit.IsLong() {
			every = every[1:2]
		}
		for _, n := range append(every, 1) {
			s.Fail(nil)
			s.Do(http.MethodPut, "in/small", small)
			s.Do(http.MethodPut, "in/large", append([]byte(fmt.Sprint(name, n)), large...))
			all := append([]byte(fmt.Sprint(name, n)), large...) // of another version each time, so that nothing is known of it
			patience := objectstest.Patience
			if name == "stall" {
				patience.Idle = 500 * time.Millisecond
			}
			objects.SetPatience(patience)
			s.Fail(objectstest.EachNth(n, fault))
			began := time.Now()
			err := work(t.Context(), s, small, all)
			took := time.Since(began)
			switch {
			case n > 1 && err != nil:
				t.Errorf("%s at each %d. request: %v", name, n, err)
			case n == 1 && (!errors.Is(err, objects.ErrStore) || !objects.Fatal(err) || strings.Contains(err.Error(), "\n") ||
				!strings.Contains(err.Error(), "tried 6 times")):
				t.Errorf("%s always: %v", name, err)
			case took > 20*time.Second:
				t.Errorf("%s at each %d. request took %v", name, n, took)
			case err != nil && strings.Contains(err.Error(), objectstest.Secret):
				t.Errorf("%s: a secret is told: %v", name, err)
			}
			s.Fail(nil)
			if n := s.Uploads(); n > 0 && name != "lost" && name != "cut" { // which make uploads that nobody is told of
				t.Errorf("%s: %d uploads are left", name, n)
			}
			objects.GiveUp(t.Context(), objectstest.Name("out"), func(string) bool { return true })
		}
	}
}

// A write that fails at each of its requests leaves what was there.
func TestNoHalfObject(t *testing.T) {
	s := objectstest.New(t)
	for _, name := range slices.Sorted(maps.Keys(objectstest.Faults)) {
		if name == "lost" || !testkit.IsLong() && name != "503" && name != "reset" {
			continue
		}
		for _, from := range []int64{1, 2, 3, 4} {
			if !testkit.IsLong() && from%2 == 0 {
				continue
			}
			s.Fail(nil)
			s.Put("out/a", "old")
			patience := objectstest.Patience
			if name == "stall" {
				patience.Idle = 500 * time.Millisecond
			}
			objects.SetPatience(patience)
			s.Fail(func(i int64, r *http.Request) objectstest.Fault {
				if i >= from && r.Method != http.MethodDelete {
					return objectstest.Faults[name]
				}
				return nil
			})
			err := objects.PutBytes(t.Context(), objectstest.Name("out/a"), random(2*piece+1, 3))
			s.Fail(nil)
			switch got := s.Files("out/"); {
			case len(got) != 1 || got["a"] != "old" && name != "cut": // the store has done what it was asked for, and says so too briefly
				t.Errorf("%s from request %d on: the object has %d bytes", name, from, len(got["a"]))
			case err == nil:
				t.Errorf("%s from request %d on: no error", name, from)
			case s.Uploads() > 0 && (name != "cut" || from != 1):
				t.Errorf("%s from request %d on: %d uploads are left", name, from, s.Uploads())
			}
			objects.GiveUp(t.Context(), objectstest.Name("out"), func(string) bool { return true })
		}
	}
}

// What a store says that it has taken, and has not, is an error, also if an object of the same size is there.
func TestLies(t *testing.T) {
	s := objectstest.New(t)
	for name, lie := range objectstest.Lies {
		for _, there := range []string{"", string(random(1000, 1))} {
			if s.Fail(nil); there != "" {
				s.Put("out/"+name, there)
			}
			s.Fail(func(_ int64, r *http.Request) objectstest.Fault {
				if r.Method == http.MethodPut {
					return lie
				}
				return nil
			})
			if err := objects.PutBytes(t.Context(), objectstest.Name("out/"+name), random(1000, 2)); !errors.Is(err, objects.ErrStore) {
				t.Errorf("%s, with %d bytes there: %v", name, len(there), err)
			}
		}
	}
	s.Fail(nil)
	if err := objects.PutBytes(t.Context(), objectstest.Name("out/half"), random(1000, 2)); err != nil {
		t.Error(err)
	}
}

// Errors say what to do.
func TestErrors(t *testing.T) {
	s := objectstest.New(t)
	s.Put("a", "text")
	for status, want := range map[int]string{http.StatusForbidden: "AWS_ACCESS_KEY_ID", http.StatusMovedPermanently: "AWS_REGION",
		http.StatusBadRequest: "400"} {
		s.Fail(func(int64, *http.Request) objectstest.Fault {
			return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(status) }
		})
		_, err := objects.Open(t.Context(), objectstest.Name("a"))
		if err == nil || !strings.Contains(err.Error(), want) || s.Requests.Load() > 2 {
			t.Errorf("%d: %v after %d requests", status, err, s.Requests.Load())
		}
	}
	s.Fail(nil)
	const address, refused = "want the address", "no connection to 127.0.0.1:1: connection refused (tried 6 times"
	for url, want := range map[string]string{"http://127.0.0.1:1": refused, "store.example": address, "ftp://127.0.0.1": address,
		"http://me:" + objectstest.Secret + "@127.0.0.1:1": address} {
		t.Setenv("AWS_ENDPOINT_URL", url)
		_, err := objects.Open(t.Context(), objectstest.Name("a"))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), objectstest.Secret) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestNames(t *testing.T) {
	for name, below := range map[string]string{"s3://b/a/b": "b", "s3://b/a//b": "/b"} {
		if got, ok := objects.Below(name, "s3://b/a"); got != below || !ok {
			t.Errorf("%s: %q %v", name, got, ok)
		}
	}
	for _, name := range []string{"s3://", "s3:///a", "s3://a/b", "s3://UP per/b", "s3://../b", "s3://bucket/" + strings.Repeat("a", 1025),
		"s3://bucket/\xff"} {
		_, err := objects.Stat(t.Context(), name)
		if err == nil || !strings.Contains(err.Error(), "want") && !strings.Contains(err.Error(), "bucket") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
