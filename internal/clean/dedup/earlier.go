package dedup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"time"

	"simsearch/internal/clean/keptsets"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/setjoin"
)

// A run whose directory has a result of the same command does not read again what that has read. It takes the documents of files that are as
// they were from the state of that result, and reads the others. What is decided follows from the documents, their sets and which of these
// are near; the pairs that were near still are, so that only new sets are compared with all.

// setsName returns the name of a file with sets, from 1, in the directory of a result.
func setsName(i int) string { return fmt.Sprintf("state/sets-%02d", i) }

// mostSetFiles is how many files sets are in. Instead of one more, all are written to one.
const mostSetFiles = 16

// Names of sections of a state.
const (
	secStored       = "sets.stored" // the number of each set in the files
	secNear         = "near.pairs"
	secSimilarities = "near.similarities"
	secStands       = "documents.stands" // with Options.Append
)

// A grown is a store of sets in files that stay.
type grown struct {
	*keptsets.Some
	in disk.FS
}

func (g *grown) Add([]uint64) { panic("collected: all sets have been added") }

func (g *grown) Flush() error { return nil }

func (g *grown) Scan(_ func(i int) (n int, ok bool), do func(i int, features []uint64) error) error {
	return g.Some.Scan(do)
}

// Kept returns the sets in files that stay. The near pairs must be known.
func (c *Collection) Kept() *keptsets.Some { return c.grown.Some }

// openSets opens the files with sets in a directory.
func openSets(fsys disk.FS, dir string, files, threads int) (*keptsets.Sets, error) {
	var paths []string
	for i := range files {
		paths = append(paths, filepath.Join(dir, setsName(i+1)))
	}
	return keptsets.Open(fsys, paths, threads)
}

// takeGrown takes up what a state has of sets, whose documents are known. The files are opened later.
func (c *Collection) takeGrown(f *section.File) error {
	at := f.Uint32s(secStored, uint64(len(c.Sizes)))
	if c.grown = (&grown{Some: &keptsets.Some{At: slices.Clone(at)}}); c.Decided.Near == nil {
		return nil
	}
	pairs := f.Uint64s(secNear, section.Any)
	similarities := f.Uint64s(secSimilarities, uint64(len(pairs)))
	beyond := func(pair uint64) bool { return pair>>32 >= uint64(len(at)) || pair<<32>>32 >= uint64(len(at)) }
	unlike := func(bits uint64) bool { s := math.Float64frombits(bits); return !(s > 0 && s <= 1) }
	if slices.ContainsFunc(pairs, beyond) || slices.ContainsFunc(similarities, unlike) {
		return errAnew
	}
	c.Near = &keptsets.List{At: *c.Decided.Near, Pairs: slices.Clone(pairs), Similarities: slices.Clone(similarities)}
	return nil
}

// openGrown opens the sets of a state that has been taken up.
func (c *Collection) openGrown(fsys disk.FS, dir string) error {
	sets, err := openSets(fsys, dir, c.Decided.SetFiles, c.Options.Threads)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(c.grown.At, func(at uint32) bool { return int(at) >= sets.Len() }) {
		return errors.Join(section.ErrCorrupt, sets.Close())
	}
	c.grown.Sets, c.grown.in = sets, fsys
	c.sets = c.grown
	return nil
}

// keepSets writes all sets, of the given sizes, to one file that stays, and reads them from there from now on.
func (c *Collection) keepSets(ctx context.Context, sizes []uint32) error {
	sets := func(yield func(keptsets.Set, error) bool) {
		err := c.scan(ctx, c.sets, sizes, func(set uint32, features []uint64) error {
			is := keptsets.Set{Features: features}
			if c.digests != nil {
				is.Digest = [2]uint64{c.digests[2*set], c.digests[2*set+1]}
			}
			if !yield(is, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(keptsets.Set{}, err)
		}
	}
	if err := c.writeSets(ctx, 1, nil, sets); err != nil {
		return err
	}
	kept, err := openSets(c.Dir, "", 1, c.Options.Threads)
	if err != nil {
		return err
	}
	at := make([]uint32, kept.Len())
	for i := range at {
		at[i] = uint32(i)
	}
	if g := c.grown; g != nil { // what compares them goes on with the new file
		was := g.Sets
		g.Sets, g.At, g.in = kept, at, c.Dir
		return was.Close()
	}
	was := c.sets
	c.grown = &grown{&keptsets.Some{Sets: kept, At: at}, c.Dir}
	c.sets = c.grown
	if was == c.log {
		return nil
	}
	return was.Close()
}

// errStopped ends a scan that nobody wants to go on.
var errStopped = errors.New("stopped")

func (c *Collection) writeSets(ctx context.Context, file int, like *keptsets.Sets, sets iter.Seq2[keptsets.Set, error]) error {
	if _, err := disk.MkdirAll(c.Dir, filepath.Dir(setsName(file))); err != nil {
		return err
	}
	return keptsets.Write(ctx, c.Dir, filepath.FromSlash(setsName(file)), like, sets, keptsets.Options{Threads: c.Options.Threads})
}

// An earlier is what is known from the result of an earlier run.
type earlier struct {
	*Collection
	of    map[int]int // the number that a file had, of those that are as they were
	again map[int]int // with Options.Append, of the others
}

// earlier returns the directory of an earlier result.
func (o *Options) earlier() string { return cmp.Or(o.From, o.State) }

// unchangedFor is how long before an earlier run a file must have been changed, so that no later change has left it the same time: the
// longest step in which file systems in use count time.
const unchangedFor = 2 * time.Second

// findEarlier finds out what an earlier result of the same command knows. The directory has been opened, and the files are known.
func (c *Collection) findEarlier(ctx context.Context) error {
	o := &c.Options
	if o.By != Documents || o.Share.Of > 0 || o.Settings.Image != 0 || o.MaxDF > 0 || o.Ignore != "" || c.hasSomeRows() {
		return nil
	}
	state := part{fsys: o.FS, path: filepath.Join(o.earlier(), StateName)}
	was, err := state.about(o.Threads)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case isDamage(err):
		c.tell(fmt.Sprintf("%s has an earlier result, but its file %s is damaged or of another version: all is read again", o.earlier(), StateName))
		return nil
	case err != nil:
		return err
	}
	now := c.run
	now.Files, now.Began, now.Earlier = was.Files, was.Began, was.Earlier
	if o.From == "" && section.Checksum(now.encoded()) != section.Checksum(was.encoded()) {
		return nil
	}
	e := &earlier{newCollection(was.Refs, was.Inputs, c.Options), map[int]int{}, map[int]int{}}
	e.Collection.run = was
	for _, f := range was.Files {
		e.Files = append(e.Files, corpus.File{Path: f.Path})
		if f.Ref {
			e.Refs++
		}
	}
	e.counts, e.Bad, e.formats, e.Keys = make([]uint32, len(e.Files)), make([]int, len(e.Files)), make([]string, len(e.Files)), newKeys(o.Keep, true)
	l := newLog(e.Collection)
	if err := l.load(ctx, state); errors.Is(err, errAnew) || err == nil && (e.Decided == nil || !e.Decided.Grows) {
		return nil
	} else if err != nil {
		return err
	}
	if e.Keys != nil && e.Keys.Unread > 0 {
		return nil // which of them is the first one is not known
	}
	switch err := e.openGrown(o.FS, o.earlier()); {
	case isDamage(err) || errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	c.matchFiles(e, was)
	documents, refs := 0, 0
	for file, at := range e.of {
		documents += int(e.counts[at])
		if file < c.Refs {
			refs++
		}
	}
	if len(e.of)+len(e.again) == 0 || refs < c.Refs {
		c.readBefore = nil
		return e.Close()
	}
	e.begins()
	c.earlier, c.run.Earlier = e, section.Checksum(was.encoded())
	gone := ""
	if n := len(e.Files) - len(e.of); n > 0 {
		gone = fmt.Sprintf(", not those of %s that changed, went, or had just been written", terminal.Plural(n, "file"))
	}
	stand := "are known"
	if o.Append {
		stand = "are known, and what is decided of them stays"
	}
	c.tell(fmt.Sprintf("%s has a result of this command: %s of %s %s%s; %s to read", o.earlier(),
		terminal.Plural(documents, "document"), terminal.Plural(len(e.of), "file"), stand, gone, terminal.Plural(len(c.Files)-len(e.of), "file")))
	return nil
}

// matchFiles finds the files that are as they were for an earlier run.
func (c *Collection) matchFiles(e *earlier, was savedRun) {
	at, named := make(map[savedFile]int, len(was.Files)), make(map[string]int, len(was.Files))
	for i, f := range was.Files {
		at[f], named[f.Path] = i, i
	}
	c.readBefore = map[string]bool{}
	for i, f := range c.run.Files {
		known, ok := at[f]
		if ok && e.counts[known] > 0 && e.Bad[known] == 0 && (f.Version != "" || f.ModTime < was.Began-int64(unchangedFor)) {
			e.of[i], c.readBefore[f.Path] = known, true
		} else if known, ok := named[f.Path]; ok && c.Options.Append {
			e.again[i] = known
		}
	}
}

// grow puts what an earlier run knows together with what has been read, as if all had been read. It finds the near pairs, if those of the
// earlier run are known.
func (c *Collection) grow(ctx context.Context) (err error) {
	e := c.earlier
	if e == nil || c.Decided != nil {
		return nil
	}
	c.earlier, c.readBefore = nil, nil
	defer func() { err = errors.Join(err, e.Close()) }()
	// Which of the sets that have been read are new, and where they are in the files.
	stored, n := make([]uint32, len(c.Sizes)), uint32(e.grown.Len())
	for i := range stored {
		stored[i] = NoSet
	}
	lives := make([]bool, n) // of the others, it is not known any more what is near them
	for _, at := range e.grown.At {
		lives[at] = true
	}
	for set, digest := range e.grown.EachDigest {
		if is, ok := c.known.of(digest); ok && lives[set] {
			stored[is] = set
		}
	}
	from := n
	for i, at := range stored {
		if at == NoSet {
			stored[i] = n
			n++
		}
	}
	kept, err := c.growSets(ctx, e, stored, from)
	if err != nil {
		return err
	}
	sizes := make([]uint32, n)
	for i, at := range e.grown.At {
		sizes[at] = e.Sizes[i]
	}
	for i, at := range stored {
		sizes[at] = c.Sizes[i]
	}
	c.Was, c.WasDocument = make(map[int]uint32, len(e.of)), map[uint32]uint32{}
	for file, at := range e.of {
		c.Was[file] = e.Starts[at]
	}
	number := c.merge(e, stored, sizes, kept)
	return c.growNear(ctx, e, from, number)
}

// growSets keeps the files of the earlier sets, and writes a file of those from number from on. If there are many files, it writes all
// sets to one.
func (c *Collection) growSets(ctx context.Context, e *earlier, stored []uint32, from uint32) (*keptsets.Sets, error) {
	all := len(e.grown.Files) >= mostSetFiles || c.Options.From != ""
	files := len(e.grown.Files)
	for i := 0; i < files && !all; i++ {
		linked, err := c.Dir.Keep(setsName(i + 1))
		if err != nil {
			return nil, err
		}
		all = !linked
	}
	digests := c.known.digests(len(c.Sizes))
	sets := func(yield func(keptsets.Set, error) bool) {
		if all {
			var memory keptsets.Scratch
			var features []uint64
			for set, digest := range e.grown.EachDigest {
				features = e.grown.Sets.Append(features[:0], set, &memory)
				if !yield(keptsets.Set{Digest: digest, Features: features}, nil) {
					return
				}
			}
		}
		err := c.scan(ctx, c.sets, c.Sizes, func(set uint32, features []uint64) error {
			if stored[set] >= from && !yield(keptsets.Set{Digest: [2]uint64{digests[2*set], digests[2*set+1]}, Features: features}, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(keptsets.Set{}, err)
		}
	}
	like := e.grown.Sets
	if all {
		files, like = 0, nil
	}
	if err := c.writeSets(ctx, files+1, like, sets); err != nil {
		return nil, err
	}
	return openSets(c.Dir, "", files+1, c.Options.Threads)
}

// merge takes the documents of all files, each from where it is known, with sets of the given sizes. stored says where the sets are that
// have been read. It returns the new number of each, or NoSet for those of documents that are gone.
func (c *Collection) merge(e *earlier, stored, sizes []uint32, kept *keptsets.Sets) (number []uint32) {
	read := &documents{Lengths: c.Lengths, Digests: c.Digests, ids: c.ids, idEnds: c.idEnds, SetOf: c.SetOf, offsets: c.offsets, spans: c.spans,
		formats: c.formats, counts: c.counts, Bad: c.Bad, Keys: c.Keys}
	read.begins()
	if c.Keys != nil {
		c.Keys = &Keys{Keep: c.Keys.Keep, Lenient: c.Keys.Lenient, savedKeys: c.Keys.savedKeys}
		c.Keys.Any = c.Keys.Any || e.Keys.Any
	}
	g := &grown{&keptsets.Some{Sets: kept}, c.Dir}
	number = make([]uint32, len(sizes))
	for i := range number {
		number[i] = NoSet
	}
	c.features = 0
	n := 0
	for file, of := range c.counts {
		if known, ok := e.of[file]; ok {
			of = e.counts[known]
		}
		n += int(of)
	}
	c.Lengths, c.Digests, c.SetOf, c.idEnds = make([]uint32, 0, n), make([]uint64, 0, n), make([]uint32, 0, n), make([]uint64, 0, n)
	c.offsets, c.spans, c.ids = make([]uint64, 0, n), make([]uint32, 0, n), make([]byte, 0, len(e.ids)+len(read.ids))
	g.At, c.Sizes = make([]uint32, 0, len(sizes)), make([]uint32, 0, len(sizes))
	take := func(at uint32) uint32 {
		if number[at] == NoSet {
			number[at] = uint32(len(g.At))
			g.At, c.Sizes = append(g.At, at), append(c.Sizes, sizes[at])
			c.features += uint64(sizes[at])
		}
		return number[at]
	}
	for file := range c.Files {
		of, from, at := read, file, stored
		if known, ok := e.of[file]; ok {
			of, from, at = &e.documents, known, e.grown.At
		}
		lo, hi := of.Starts[from], of.Starts[from+1]
		if k := c.Keys; k != nil {
			if of == read && read.Keys.Unread > 0 && read.Keys.First >= lo && read.Keys.First < hi {
				k.First = uint32(len(c.Lengths)) + read.Keys.First - lo
			}
			k.Values, k.Whole = append(k.Values, of.Keys.Values[lo:hi]...), append(k.Whole, of.Keys.Whole[lo:hi]...)
		}
		for doc := lo; doc < hi; doc++ {
			c.ids = append(c.ids, of.ID(doc)...)
			c.idEnds = append(c.idEnds, uint64(len(c.ids)))
			set := of.SetOf[doc]
			if set != NoSet {
				set = take(at[set])
			}
			c.SetOf = append(c.SetOf, set)
		}
		c.Lengths, c.Digests = append(c.Lengths, of.Lengths[lo:hi]...), append(c.Digests, of.Digests[lo:hi]...)
		c.offsets, c.spans = append(c.offsets, of.offsets[lo:hi]...), append(c.spans, of.spans[lo:hi]...)
		c.counts[file], c.Bad[file], c.formats[file] = hi-lo, of.Bad[from], of.formats[from]
		if known, ok := e.again[file]; ok {
			c.matchDocuments(e, known, uint32(len(c.Lengths))-(hi-lo))
		}
	}
	c.file = uint32(max(0, len(c.Files)-1))
	c.digests = []uint64{} // they are in the files
	c.grown, c.sets = g, g
	return number
}

// matchDocuments finds those documents of a file that has been read again, from number first on, which it had when it was file from.
func (c *Collection) matchDocuments(e *earlier, from int, first uint32) {
	type document struct {
		id     string
		digest uint64
		length uint32
	}
	at := map[document][]uint32{}
	for doc := e.Starts[from]; doc < e.Starts[from+1]; doc++ {
		is := document{string(e.ID(doc)), e.Digests[doc], e.Lengths[doc]}
		at[is] = append(at[is], doc)
	}
	for doc := first; int(doc) < len(c.Lengths); doc++ {
		is := document{string(c.ID(doc)), c.Digests[doc], c.Lengths[doc]}
		if was := at[is]; len(was) > 0 {
			c.WasDocument[doc], at[is] = was[0], was[1:]
		}
	}
}

// growNear finds the near pairs: those that were near, and those of the sets from number from on in the files. number has the numbers
// of the sets now. If there are many of either, it is better to compare all.
func (c *Collection) growNear(ctx context.Context, e *earlier, from uint32, number []uint32) error {
	n := len(c.Sizes)
	if e.Near == nil || e.Near.At > c.Options.Threshold || c.Options.Contained > 0 || 4*(c.grown.Len()-int(from)) > n {
		return nil
	}
	c.Options.Next(run.Comparing)
	near, most := &keptsets.List{At: e.Near.At}, setjoin.MostListed(n)
	e.Near.Each(func(a, b uint32, similarity float64) {
		if a, b = number[e.grown.At[a]], number[e.grown.At[b]]; a != NoSet && b != NoSet {
			near.Add(a, b, similarity)
		}
	})
	added, err := c.grown.Near(ctx, from, near.At, max(0, most-len(near.Pairs)), keptsets.Options{Threads: c.Options.Threads, Progress: c.Progress})
	if errors.Is(err, keptsets.ErrMany) {
		return nil
	}
	for _, p := range added {
		if a, b := number[p.A], number[p.B]; a != NoSet && b != NoSet {
			near.Add(a, b, p.Similarity)
		}
	}
	c.Near = near
	return err
}
