package dedup

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// A Store has sets in order.
type Store interface {
	// Scan calls do with the sets, which have the given lengths.
	Scan(length func(i int) (n int, ok bool), do func(i int, features []uint64) error) error
	Close() error
}

// An adder is a Store to which sets are added. spill.Lists is one.
type adder interface {
	Store
	// Add appends a copy of a set.
	Add(features []uint64)
	// Flush writes to files what exceeds the memory. All sets that have been added are those of documents that the
	// Collection has.
	Flush() error
}

// A log is an adder whose files are parts, so that another run can go on where this one was interrupted. A part is as
// good as absent if its checksums are not right, and so are those after it.
type log struct {
	c    *Collection
	hold int // about how many bytes are in memory, beside those that are being written

	ends    []mark      // of the parts, behind the place at which the log begins
	recent  spill.Lists // the sets of no part
	digests []uint64    // of these
	bytes   int
	written chan error // has the error of the last part when that has been written; nil if it is known
}

// partName returns the name of part number i, from 1, in Options.State.
func partName(i int) string { return fmt.Sprintf("read-%06d", i) }

// partPattern matches the names of parts.
const partPattern = "read-[0-9]*"

func newLog(c *Collection) *log {
	l := &log{c: c, hold: c.Options.holds(), ends: []mark{c.now()}}
	l.forget()
	return l
}

// forget empties what is in memory.
func (l *log) forget() {
	l.recent = spill.Lists{Bytes: spill.NewBytes(l.c.Options.FS, "", 1<<62)}
	l.digests, l.bytes = nil, 0
}

// parts returns the number of parts.
func (l *log) parts() int { return len(l.ends) - 1 }

// Add appends a copy of a set.
func (l *log) Add(features []uint64) {
	l.recent.Add(features)
	l.bytes += 8 * len(features)
}

// Close waits for what is being written. It removes nothing: another run may go on.
func (l *log) Close() error { return l.wait() }

// Flush writes a part if it has become large.
func (l *log) Flush() error {
	if l.bytes < l.hold {
		return nil
	}
	return l.write()
}

// write begins to write a part with all that the last one does not have, when that has been written. Reading goes on
// meanwhile.
func (l *log) write() error {
	if err := l.wait(); err != nil {
		return err
	}
	c, number := l.c, l.parts()+1
	from, first := l.ends[number-1], 0
	if number > 1 {
		first = from.File
	}
	h := c.header(number, first, int(c.file)+1)
	if number > 1 {
		h.About = nil
	}
	digests, recent, written := l.digests, l.recent, make(chan error, 1)
	columns := c.behind(from)
	go func() {
		written <- part{c.Dir, partName(number)}.write(h, columns, digests, func(w *section.Writer) error {
			if c.digests {
				return nil
			}
			w.Begin(secFeatures)
			_, err := io.Copy(w, recent.Reader()) // as they are in a part
			return err
		})
	}()
	l.written = written
	l.ends = append(l.ends, c.now())
	l.forget()
	return nil
}

// behind returns what the columns have behind a mark now.
func (c *Collection) behind(from mark) []column {
	columns := c.columns()
	for i, column := range columns {
		columns[i] = column.since(from.Columns[i])
	}
	return columns
}

// wait waits until the last part has been written.
func (l *log) wait() error {
	if l.written == nil {
		return nil
	}
	err := <-l.written
	l.written = nil
	return err
}

// lengthsOf returns a function for the lengths of sets.
func lengthsOf(sizes []uint32) func(i int) (int, bool) {
	return func(i int) (int, bool) {
		if i >= len(sizes) {
			return 0, false
		}
		return int(sizes[i]), true
	}
}

// Scan reads the parts, and what is in memory.
func (l *log) Scan(length func(i int) (n int, ok bool), do func(i int, features []uint64) error) error {
	from := l.ends[0]
	for i, end := range l.ends[1:] {
		err := part{l.c.Dir, partName(i + 1)}.mapped(0, func(f *section.File) error {
			all := section.Integers[uint64](f, secFeatures, end.Features-from.Features)
			for at, begin := from.Sets, uint64(0); at < end.Sets; at++ {
				n, _ := length(at)
				to := begin + uint64(n)
				if err := do(at, all.Range(begin, to)); err != nil {
					return err
				}
				begin = to
			}
			return nil
		})
		if err != nil {
			return err
		}
		from = end
	}
	rest := func(i int) (int, bool) { return length(from.Sets + i) }
	return l.recent.Scan(rest, func(i int, features []uint64) error { return do(from.Sets+i, features) })
}

// load takes up the parts that an interrupted run has left, as far as they are whole. The error is errAnew if a part
// is whole, and not one that this run would write there.
func (l *log) load(ctx context.Context, run uint32) error {
	for {
		number := l.parts() + 1
		err := l.c.load(ctx, part{l.c.Dir, partName(number)}, number, true, run)
		if isAbsent(err) {
			return nil
		}
		if err != nil {
			return err
		}
		l.ends = append(l.ends, l.c.now())
	}
}

// removeParts removes the parts but for the first ones.
func removeParts(out disk.FS, but int) error {
	names, err := out.ReadDir(".")
	if err != nil {
		return err
	}
	for _, name := range names {
		part, _ := filepath.Match(partPattern, name)
		if stays := len(name) == len(partName(0)) && name <= partName(but); part && !stays {
			if err := out.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}
