package dedup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/prefix"
	"simsearch/internal/quality/report"
)

// A run whose directory has a result of the same command does not read again what that has read. It takes up the
// parts of that result, reads the files that are new or have changed, and leaves one part more. What is decided
// follows from the documents, their sets and which of these are near; the pairs that were near still are, so that
// only new sets are compared with all.

// An earlier is what is known from the result of an earlier run. Its documents and sets come first, as its parts have
// them.
type earlier struct {
	*past
	spans           []span
	of              map[int]span      // of the files that are as they were
	again           map[int]span      // with Options.Append, of the others
	matched         map[uint32]uint32 // of documents of such files, the numbers that they had
	documents, sets int
	setOf           []uint32 // of the documents
	now             []uint32 // the number that each has now, or noDocument
}

// A span is the documents of a file, [from, to).
type span struct {
	savedFile
	from, to uint32
	bad      int
	format   string
}

// earlierDir returns the directory of an earlier result.
func (o *Options) earlierDir() string { return cmp.Or(o.From, o.State) }

// keeps reports whether the result has what was read.
func (o *Options) keeps() bool {
	return o.State != "" && o.By == Documents && o.Share.Of == 0 && o.Settings.Image == 0 && o.MaxDF == 0 && o.Ignore == ""
}

// partsBefore returns how many parts an earlier result has.
func (c *Collection) partsBefore() int {
	if c.earlier == nil {
		return 0
	}
	return c.earlier.Parts
}

// unchangedFor is how long before an earlier run a file must have been changed, so that no later change has left it
// the same time: the longest step in which file systems in use count time.
const unchangedFor = 2 * time.Second

// findEarlier takes up what an earlier result of the same command knows. The directory has been opened, and the files
// are known.
func (c *Collection) findEarlier(ctx context.Context) error {
	o := &c.Options
	if !o.keeps() || c.hasSomeRows() {
		return nil
	}
	was, err := readPast(part{o.FS, filepath.Join(o.earlierDir(), stateName)}, o.Threads)
	if err == nil {
		now := c.run
		now.Files, now.Began, now.Earlier = was.run.Files, was.run.Began, was.run.Earlier
		if o.From == "" && section.Checksum(now.encoded()) != section.Checksum(was.run.encoded()) {
			return nil
		}
		c.earlier = &earlier{past: was, of: map[int]span{}, again: map[int]span{}, matched: map[uint32]uint32{}}
		err = c.loadEarlier(ctx)
	}
	damaged := errors.Is(err, errAnew) || isAbsent(err) && c.earlier != nil || isDamage(err)
	if damaged {
		why := "but its state is damaged or of another version"
		if errors.Is(err, errNoSets) {
			why = "at a similarity of 1, without sets"
		}
		c.tell(fmt.Sprintf("%s has an earlier result, %s: all is read again", o.earlierDir(), why))
	}
	if err == nil && c.matchFiles() {
		c.run.Earlier = section.Checksum(was.run.encoded())
		return nil
	}
	for _, column := range c.columns() { // nothing is known
		column.cut()
	}
	c.known, c.features, c.file, c.earlier, c.readBefore = newDigestSets(), 0, 0, nil, nil
	c.Keys = newKeys(o.Keep, c.Keys != nil && c.Keys.Lenient)
	if errors.Is(err, fs.ErrNotExist) || damaged {
		return nil
	}
	return err
}

// loadEarlier takes up the parts of an earlier result.
func (c *Collection) loadEarlier(ctx context.Context) error {
	e, o := c.earlier, &c.Options
	for i := range e.Parts {
		if err := c.load(ctx, part{o.FS, filepath.Join(o.earlierDir(), storedName(i+1))}, i+1, false, 0); err != nil {
			return err
		}
	}
	e.documents, e.sets, e.setOf, c.file = len(c.Lengths), len(c.Sizes), slices.Clone(c.SetOf), 0
	beyond := func(pair uint64) bool { return pair>>32 >= uint64(e.sets) || pair<<32>>32 >= uint64(e.sets) }
	if !c.isSound() || len(e.Removed) != e.documents || e.Near != nil && slices.ContainsFunc(e.Near.Pairs, beyond) {
		return errAnew
	}
	return nil
}

// takeSpans takes up the files of a part of an earlier result, whose first document has a number.
func (c *Collection) takeSpans(f *section.File, h *partHeader, at int) error {
	var was savedRun
	if err := was.decode(f, h.About); err != nil || h.First+len(h.Counts) > len(was.Files) {
		return errAnew
	}
	from := uint32(at)
	for i, n := range h.Counts {
		c.earlier.spans = append(c.earlier.spans, span{was.Files[h.First+i], from, from + n, h.Bad[i], h.Formats[i]})
		from += n
	}
	if int(from) != len(c.Lengths) {
		return errAnew
	}
	return nil
}

// matchFiles finds the files that are as they were for an earlier run, and tells of them. It reports whether what is
// known is of use.
func (c *Collection) matchFiles() bool {
	e, o := c.earlier, &c.Options
	spans, named := make(map[savedFile]span, len(e.spans)), make(map[string]span, len(e.spans))
	for _, s := range e.spans {
		if s.from < s.to && e.Removed[s.from] != wasGone {
			spans[s.savedFile], named[s.Path] = s, s
		}
	}
	c.readBefore = map[string]bool{}
	documents, refs := 0, 0
	for i, f := range c.run.Files {
		if s, ok := spans[f]; ok && s.bad == 0 && (f.Version != "" || f.ModTime < e.run.Began-int64(unchangedFor)) {
			e.of[i], c.readBefore[f.Path] = s, true
			if documents += int(s.to - s.from); i < c.Refs {
				refs++
			}
		} else if s, ok := named[f.Path]; ok && o.Append {
			e.again[i] = s
		}
	}
	// Of documents without a key, it is not known which is the first one.
	if len(e.of)+len(e.again) == 0 || refs < c.Refs || c.Keys != nil && c.Keys.Unread > 0 {
		return false
	}
	gone := ""
	if n := len(e.run.Files) - len(e.of); n > 0 {
		gone = fmt.Sprintf(", not those of %s that changed, went, or had just been written", terminal.Plural(n, "file"))
	}
	stand := report.Is(documents) + " known" + terminal.If(o.Append, ", and what is decided of them stays")
	c.tell(fmt.Sprintf("%s has a result of this command: %s of %s %s%s; %s to read", o.earlierDir(),
		terminal.Plural(documents, "document"), terminal.Plural(len(e.of), "file"), stand, gone, terminal.Plural(len(c.Files)-len(e.of), "file")))
	return true
}

// keep writes what has been read to a part of the result, beside those of the earlier one, and puts all documents in
// the order of the files. The sets are read from these parts from now on, and the log is removed. If there are many
// parts, or the earlier ones are those of another directory, all is written to one.
func (c *Collection) keep(ctx context.Context) error {
	before, o, from := c.partsBefore(), &c.Options, c.log.ends[0]
	parts := make([]part, before, before+1)
	for i := range parts {
		parts[i] = part{o.FS, filepath.Join(o.earlierDir(), storedName(i+1))}
	}
	if len(c.Lengths) > from.Columns[0] {
		parts = append(parts, part{c.Dir, filepath.FromSlash(storedName(before + 1))})
		if !c.allRead {
			if err := c.writeStored(ctx, parts[before], before+1, from); err != nil {
				return err
			}
		}
	}
	err := c.openStored(parts)
	if err == nil {
		err = removeParts(c.Dir, 0)
	}
	if err != nil || before == 0 {
		return err
	}
	c.arrange()
	all := before >= mostStored || o.From != ""
	for i := 0; i < before && !all; i++ {
		linked, err := c.Dir.Keep(storedName(i + 1))
		if err != nil {
			return err
		}
		all = !linked
	}
	if err := c.growNear(ctx); err != nil || !all {
		return err
	}
	// From now on, all are in one part.
	one := part{c.Dir, filepath.FromSlash(storedName(1))}
	if err = c.writeStored(ctx, one, 1, mark{Columns: make([]int, len(from.Columns))}); err == nil {
		err = c.openStored([]part{one})
	}
	for i := 2; i <= before+1 && err == nil; i++ {
		if err = c.Dir.Remove(filepath.FromSlash(storedName(i))); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// writeStored writes a part of what is behind a mark.
func (c *Collection) writeStored(ctx context.Context, to part, number int, from mark) error {
	if _, err := disk.MkdirAll(to.fsys, filepath.Dir(to.path)); err != nil {
		return err
	}
	digests := c.known.digests()
	if s := c.stored; s != nil && s.places != nil {
		in := digests
		digests = nil
		for _, set := range s.places {
			digests = append(digests, in[2*set:2*set+2]...)
		}
	}
	o := &c.Options
	o.Next(counting)
	h := c.header(number, 0, len(c.counts))
	return to.write(h, c.behind(from), digests[2*from.Sets:], func(w *section.Writer) error {
		switch {
		case c.digests:
			return nil
		case o.ByDistance():
			w.Begin(secFeatures)
			return c.eachSet(ctx, func(_ uint32, prints []uint64) error {
				w.Uint64s(prints)
				return nil
			})
		}
		return prefix.Write(ctx, w, comparedSets{c, len(c.Sizes) - from.Sets}, 1, prefix.Options{Threads: o.Threads, Memory: o.Memory / 4,
			Disk: o.FS, Dir: o.Temp, NoPostings: true, Progress: o.Progress})
	})
}

// arrange puts the documents that are known and those that have been read in the order of the files, and numbers the
// sets as they come. Those of files that are gone are left out.
func (c *Collection) arrange() {
	e, at := c.earlier, uint32(c.earlier.documents)
	c.place, e.now = make([]uint32, 0, len(c.Lengths)), slices.Repeat([]uint32{noDocument}, e.documents)
	for file := range c.Files {
		s, ok := e.of[file]
		if ok {
			c.counts[file], c.Bad[file], c.formats[file] = s.to-s.from, s.bad, s.format
		} else {
			s.from, s.to = at, at+c.counts[file]
			at = s.to
		}
		if was, ok := e.again[file]; ok {
			c.matchDocuments(was, s, uint32(len(c.place)))
		}
		for doc := s.from; doc < s.to; doc++ {
			if ok {
				e.now[doc] = uint32(len(c.place))
			}
			c.place = append(c.place, doc)
		}
	}
	c.file = uint32(max(0, len(c.Files)-1))
	if c.Keys != nil {
		c.Keys.First = uint32(max(0, slices.Index(c.place, c.Keys.First)))
	}
	ids, idEnds := make([]byte, 0, len(c.IDs)), make([]uint64, 0, len(c.place))
	setOf, number := make([]uint32, 0, len(c.place)), slices.Repeat([]uint32{NoSet}, len(c.Sizes))
	c.features = 0
	sizes := make([]uint32, 0, len(c.Sizes))
	c.stored.places = make([]uint32, 0, len(c.Sizes))
	for _, doc := range c.place {
		ids = append(ids, c.ID(doc)...)
		idEnds = append(idEnds, uint64(len(ids)))
		set := c.SetOf[doc]
		if set != NoSet && number[set] == NoSet {
			number[set] = uint32(len(sizes))
			sizes, c.stored.places = append(sizes, c.Sizes[set]), append(c.stored.places, set)
			c.features += uint64(c.Sizes[set])
		}
		if set != NoSet {
			set = number[set]
		}
		setOf = append(setOf, set)
	}
	for _, column := range c.ofDocuments() {
		column.pick(c.place)
	}
	c.IDs, c.IDEnds, c.SetOf, c.Sizes = ids, idEnds, setOf, sizes
}

// matchDocuments finds those documents of a file that has been read again which it had when it was another one. Their
// numbers are those of now, from first on.
func (c *Collection) matchDocuments(was, is span, first uint32) {
	type document struct {
		id     string
		digest uint64
		length uint32
	}
	of := func(doc uint32) document { return document{string(c.ID(doc)), c.Digests[doc], c.Lengths[doc]} }
	at := map[document][]uint32{}
	for doc := was.from; doc < was.to; doc++ {
		at[of(doc)] = append(at[of(doc)], doc)
	}
	for doc := is.from; doc < is.to; doc++ {
		if was := at[of(doc)]; len(was) > 0 {
			c.earlier.matched[first+doc-is.from], at[of(doc)] = was[0], was[1:]
		}
	}
}

// wasDocument returns the number that a document had in an earlier result. ok is false if it was not there.
func (c *Collection) wasDocument(doc uint32) (was uint32, ok bool) {
	if c.earlier == nil {
		return 0, false
	}
	if was = c.place[doc]; int64(was) < int64(c.earlier.documents) {
		return was, true
	}
	was, ok = c.earlier.matched[doc]
	return was, ok
}
