package dedup

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/prefix"
)

// Boilerplate is what is left out of the sets before they are compared: features of Options.Ignore, and those that more
// documents have than Options.MaxDF allows. Sets that become equal become one. All else sees only what remains.
//
// Documents with equal sets count as one: a text with many copies is no boilerplate. A set that loses all of its
// features gets one of its own in their place. So documents with the same features stay equal, and are near no other.
// If all empty sets were equal, documents would be removed for others of which they share nothing but boilerplate.
type boilerplate struct {
	Ignored  int    // features
	More     uint32 // features that more sets have are frequent; 0: none is
	Frequent int    // features
	Emptied  int    // documents that may be removed, and have nothing left
}

// checkMaxDF returns an error unless Options.MaxDF has a meaning.
func checkMaxDF(most float64) error {
	if most == 0 || most > 0 && most < 1 || most >= 2 && most <= maxDocuments {
		return nil
	}
	return fmt.Errorf("features of at most %v documents: want a share between 0 and 1, such as 0.1, or a number from 2 on", most)
}

// maxIgnored is the size in bytes of the largest file of texts to ignore.
const maxIgnored = 64 << 20

// readIgnored returns the features of the lines of a file, ascending, and a digest of its content.
func readIgnored(ctx context.Context, a *analysis.Analysis, path string) (features []uint64, digest analysis.Digest, err error) {
	if path == "" {
		return nil, digest, nil
	}
	f, err := inputs.OpenIrregular(ctx, path)
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		return nil, digest, fmt.Errorf("cannot read %s: %w", path, pe.Err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(inputs.Interruptibly(ctx, f), maxIgnored+1))
	switch {
	case err != nil:
		return nil, digest, fmt.Errorf("cannot read %s: %w", path, err)
	case len(text) > maxIgnored:
		return nil, digest, fmt.Errorf("%s has more than %d MiB of texts to ignore", path, maxIgnored>>20)
	case bytes.IndexByte(text, 0) >= 0:
		return nil, digest, fmt.Errorf("%s is no text: it has a zero byte", path)
	}
	var scratch analysis.Scratch
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		if len(bytes.TrimSpace(line)) > 0 {
			features = append(features, a.Set(&scratch, bytes.TrimRight(line, "\r\n"))...)
		}
	}
	ints.Sort(features, make([]uint64, len(features)))
	digest[0], digest[1] = murmur3.Sum128(text)
	return slices.Compact(features), digest, nil
}

// leaveOut leaves boilerplate out of all sets of c. ignored are features of it. It scans the sets twice and writes
// them to another temporary file.
func (b *boilerplate) leaveOut(ctx context.Context, c *Collection, ignored []uint64) (err error) {
	if c.Options.MaxDF == 0 && len(ignored) == 0 {
		return nil
	}
	c.Options.Next(leavingOut)
	b.Ignored = len(ignored)
	rest := remaining{c: c, left: map[uint64]bool{}}
	for _, f := range ignored {
		rest.left[f] = true
	}
	if most := c.Options.MaxDF; most > 0 {
		if most < 1 {
			most = most*float64(len(c.Sizes)) + 1e-9 // 100*0.29 is less than 29
		}
		b.More = max(1, uint32(min(most, maxDocuments)))
		frequent, err := prefix.Frequent(ctx, comparedSets{c, len(c.Sizes)}, b.More, prefix.Options{Threads: c.Options.Threads, Memory: c.Options.Memory / 4})
		if err != nil {
			return err
		}
		b.Frequent = len(frequent)
		for _, f := range frequent {
			rest.left[f.Feature] = true
		}
	}
	whole, sizes := c.sets, c.Sizes
	c.known, c.Sizes, c.features = newDigestSets(), nil, 0
	c.addTo(&spill.Lists{Bytes: spill.NewBytes(c.Options.FS, c.Options.Temp, c.Options.holds())})
	err = c.scan(ctx, whole, sizes, func(_ uint32, features []uint64) error {
		rest.add(features)
		return c.adds.Flush()
	})
	c.known = digestSets{}
	if err = errors.Join(err, whole.Close()); err != nil {
		return err
	}
	for doc, set := range c.SetOf {
		if set == NoSet {
			continue
		}
		c.SetOf[doc] = rest.of[set]
		if rest.emptied[set] && uint32(doc) >= c.Starts[c.Refs] {
			b.Emptied++
		}
	}
	return nil
}

// Remaining is what remains of sets.
type remaining struct {
	c       *Collection
	left    map[uint64]bool // what is left out
	of      []uint32        // what each set becomes
	emptied []bool          // whether it has nothing left
	kept    []uint64
	bytes   []byte
}

// add adds the next set, strictly ascending.
func (r *remaining) add(features []uint64) {
	r.kept = r.kept[:0]
	for _, f := range features {
		if !r.left[f] {
			r.kept = append(r.kept, f)
		}
	}
	empty := len(r.kept) == 0
	if empty {
		r.kept = append(r.kept, r.digest(features)[0])
	}
	set := r.c.setOf(unit{digest: r.digest(r.kept), set: r.kept})
	r.of, r.emptied = append(r.of, set), append(r.emptied, empty)
}

// digest identifies a set, as analysis.Digest does.
func (r *remaining) digest(set []uint64) (d analysis.Digest) {
	r.bytes, _ = binary.Append(r.bytes[:0], binary.LittleEndian, set) // numbers have a size
	d[0], d[1] = murmur3.Sum128(r.bytes)
	return d
}
