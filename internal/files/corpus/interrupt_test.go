package corpus

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
)

// silence is a terminal at which nobody types.
type silence struct{}

func (silence) Read([]byte) (int, error) { select {} }

// A Reader that waits for its input ends when its context does, with the cause.
func TestContextEndsReading(t *testing.T) {
	pipe := namedPipe(t)
	why := errors.New("enough")
	for _, name := range []string{"-", pipe} {
		ctx, cancel := context.WithCancelCause(t.Context())
		r, err := Open([]string{name}, Options{Context: ctx, Stdin: silence{}, Format: Lines})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
		var doc document.Document
		if err := r.readDocument(&doc); !errors.Is(err, why) || errors.As(err, new(*BadError)) {
			t.Errorf("%s: %v, want the cause of the context", name, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The same holds for a pipe that a writer holds open without writing.
func TestContextEndsReadingOfASilentPipe(t *testing.T) {
	pipe := namedPipe(t)
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0) // does not block until there is a reader
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close() //nolint:errcheck // nothing was written that could be lost
	if _, err := writer.WriteString("one\ntw"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Open([]string{pipe}, Options{Context: ctx, Format: Lines})
	if err != nil {
		t.Fatal(err)
	}
	var doc document.Document
	if err := r.readDocument(&doc); err != nil || string(doc.Text) != "one" {
		t.Fatalf("%q, %v", doc.Text, err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := r.readDocument(&doc); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the cause of the context", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// When the context is done, the walk of a directory ends, and so does the reading of a file.
func TestContextEndsOpenAndFiles(t *testing.T) {
	files(t, map[string]string{"d/a": "A\nB\n"})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Open([]string{"d"}, Options{Context: ctx})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := r.readDocument(new(document.Document)); !errors.Is(err, context.Canceled) {
		t.Errorf("Next: %v", err)
	}
	if _, err := Open([]string{"d"}, Options{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
}

// A pipe is opened once. A trial opening would break a writer when it closes, and keep a later
// writer waiting.
func TestNamedPipeIsOpenedOnce(t *testing.T) {
	pipe := namedPipe(t)
	written := make(chan error, 1)
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err == nil {
			time.Sleep(20 * time.Millisecond) // a trial opening would be closed by now
			_, err = io.WriteString(w, strings.Repeat("a line\n", 20000))
			err = errors.Join(err, w.Close())
		}
		written <- err
	}()
	r, err := Open([]string{pipe}, Options{Context: t.Context(), Format: Lines})
	if err != nil {
		t.Fatal(err)
	}
	if name, ok := r.Once(); !ok || name != pipe {
		t.Errorf("Once is %q, %v, want the pipe", name, ok)
	}
	got := readAll(t, r)
	if err := <-written; err != nil || len(got) != 20000 || got[19999] != pipe+"#20000=a line" {
		t.Errorf("%d lines, the writer's error is %v", len(got), err)
	}
}

func TestOnce(t *testing.T) {
	files(t, map[string]string{"a": "A"})
	for inputs, want := range map[string]string{"a": "", "a -": "-", "- a": "-", ".": ""} {
		r, err := Open(strings.Fields(inputs), Options{Stdin: strings.NewReader("")})
		if err != nil {
			t.Fatal(err)
		}
		if name, ok := r.Once(); name != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", inputs, name, ok, want)
		}
	}
}

// Pipes and devices in a directory are not documents. The reader does not wait for them.
func TestPipesInDirectoriesArePassedOver(t *testing.T) {
	pipe := namedPipe(t)
	dir := filepath.Dir(pipe)
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("A"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := readAll(t, r), []string{filepath.ToSlash(filepath.Join(dir, "a")) + "=A"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A file of Arrow that is cut while it is read is told of once, and not for each row that is gone.
func TestArrowCutWhileRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files of Arrow are mapped")
	}
	data, err := os.ReadFile("../columns/testdata/arrow/file.arrow")
	path := filepath.Join(t.TempDir(), "a.arrow")
	if err = errors.Join(err, os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	r, err := Open([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() // opened for reading
	var told []error
	for _, err := range r.Documents() {
		if told = append(told, err); err == nil {
			err = os.Truncate(path, 0)
		}
		if err != nil && len(told) == 1 {
			t.Fatal(err)
		}
	}
	bad := (*BadError)(nil)
	if len(told) != 2 || !errors.As(told[1], &bad) || bad.Line != 0 || !errors.Is(bad.Err, disk.ErrFault) {
		t.Errorf("%v", told)
	}
}
