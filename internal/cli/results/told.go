// Package results prints what commands have found or done: as texts for people, and as JSON where an
// answer is more than columns.
package results

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"simsearch/internal/clean/filesync"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// Indexed is what has become of the documents that were read for an index.
type Indexed struct {
	index.Result
	Bad      int // documents that could not be read or were refused
	Passed   Passed
	Bytes    int64
	Learning time.Duration // 0 if nothing was learnt
	Indexing time.Duration
}

// String returns a line about it.
func (r Indexed) String() string {
	text := "added " + terminal.Plural(r.Added, "document") + terminal.Some(r.Replaced, " and replaced %s") +
		fmt.Sprintf(" from %s in %v", terminal.Bytes(r.Bytes), rounded(r.Indexing))
	return text + terminal.If(r.Learning > 0, ", after %v of learning", rounded(r.Learning)) + r.rest()
}

// Compared returns a line about the documents of inputs, which are compared and do not stay in an index.
func (r Indexed) Compared(name string) string {
	text := fmt.Sprintf("%s: %s compared", terminal.Plain(name), terminal.Plural(r.Added, "document")) +
		terminal.Some(r.Unchanged, "; %s not: with an id and a text that were read already")
	r.Unchanged = 0
	return text + r.rest()
}

// rest says which documents are as they were, or left out.
func (r Indexed) rest() string {
	return terminal.Some(r.Empty, "; %s of them of one colour, near nothing") +
		terminal.Some(r.Unchanged, "; %s unchanged") + terminal.Some(r.Deleted, "; %s deleted") +
		terminal.Some(r.Bad, "; %s bad and left out") + terminal.If(r.Passed.any(), "; %v", r.Passed)
}

// Passed are the files that were passed over, because they cannot be what is read.
type Passed struct {
	Files       int
	Convertible int  // of these, PDFs and the like
	Pictures    int  // of these, pictures
	OfPictures  bool // pictures are read, and these are none
	OfSources   bool // sources are read, and some of these are none
	Irregular   int  // pipes, sockets and devices, which are not among Files
	Links       int  // symbolic links, which are not, either
}

// PassedOf returns what r has passed over. ofPictures says that r reads pictures.
func PassedOf(r *corpus.Reader, ofPictures bool) Passed {
	p := Passed{OfPictures: ofPictures}
	for _, left := range r.LeftOut() {
		if !left.Reported && corpus.IsNoText(left.Why) {
			p.Files++
		}
		switch {
		case errors.Is(left.Why, corpus.ErrIrregular):
			p.Irregular++
		case errors.Is(left.Why, corpus.ErrLink):
			p.Links++
		case errors.Is(left.Why, corpus.ErrNoCode):
			p.OfSources = true
		case left.Reported:
		case corpus.IsConvertible(left.Why):
			p.Convertible++
		case errors.Is(left.Why, corpus.ErrPicture):
			p.Pictures++
		}
	}
	return p
}

// any reports whether anything was passed over.
func (p Passed) any() bool { return p.Files+p.Irregular+p.Links > 0 }

// String says how many there are, and what can be done.
func (p Passed) String() string {
	over := func(n int, noun string) string {
		return terminal.If(n > 0, "; %s passed over", terminal.Plural(n, noun))
	}
	files := over(p.Files, "file") + ", which are no " + map[bool]string{true: "sources", false: "pictures"}[p.OfSources]
	if !p.OfPictures && !p.OfSources {
		kinds := terminal.Some(p.Pictures, "; pictures: %s, which --format image makes hashes of") +
			terminal.Some(p.Convertible, "; PDFs or archives: %s, whose texts a converter such as pdftotext finds")
		files = over(p.Files, "binary file") + terminal.If(kinds != "", " (%s)", strings.TrimPrefix(kinds, "; "))
	}
	return strings.TrimPrefix(terminal.If(p.Files > 0, "%s", files)+over(p.Links, "symbolic link")+
		over(p.Irregular, "special file"), "; ")
}

// Beside says at the end of a summary how many records could not be read, and what was passed over, or returns "".
func (p Passed) Beside(bad int) string {
	return NotCompared(bad, 0, 0, "") + terminal.If(p.any(), "; %v", p)
}

// NotCompared says at the end of a summary how many records, files, and files of --against were not compared, or
// returns "" if none. The directory out has the list of the files, unless it is "".
func NotCompared(records, files, reference int, out string) string {
	n, verb := records+files+reference, "were"
	if n == 1 {
		verb = "was"
	}
	what := terminal.If(records > 0, " and %s", terminal.Plural(records, "record")) +
		terminal.If(files > 0, " and %s", terminal.Plural(files, "file")) +
		terminal.If(reference > 0, " and %s of --against", terminal.Plural(reference, "file"))
	return terminal.If(n > 0, "; %s %s not compared", strings.TrimPrefix(what, " and "), verb) +
		terminal.If(files+reference > 0 && out != "", " (%s)", terminal.Plain(objects.Join(out, run.LeftOutName)))
}

func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

// Synced is what index --sync has found of files.
type Synced filesync.Counts

// String returns a line about it.
func (s Synced) String() string {
	text := terminal.Plural(s.Files, "file") +
		terminal.If(s.New+s.Changed+s.Gone+s.LeftOut+s.Failed+s.Touched == 0, ", and none has changed")
	parts := terminal.Some(s.New, "; %s new") + terminal.Some(s.Changed, "; %s read again") +
		terminal.Some(s.Gone, "; %s gone") + terminal.Some(s.Renamed, "; %s of these renamed") +
		terminal.Some(s.LeftOut, "; %s not among the inputs") +
		terminal.Some(s.Touched, "; %s with another time and the same contents") +
		terminal.Some(s.Failed, "; %s that cannot be read: what the index has of them stays") +
		terminal.Some(s.Meanwhile, "; %s changed meanwhile: the next --sync reads them again")
	if parts != "" {
		text += ":" + parts[1:]
	}
	return text +
		terminal.If(s.Repeated > 0, "; %s left out whose id an earlier file has", terminal.Plural(s.Repeated, "document")) +
		terminal.If(s.Elsewhere > 0, "; the index also has %s from elsewhere", terminal.Plural(s.Elsewhere, "document"))
}

// Many says that very many pairs follow, and what shows as much in fewer lines. collapsed says that equal documents
// are paired with the first of them only.
func (n Nearness) Many(m index.Many) string {
	about := terminal.If(m.About, "about ")
	if m.AtMost {
		about = "at most "
	}
	if n.Kind.Texts { // which are yet to be judged
		return "many pairs may follow; simsearch groups prints each document once"
	}
	told := fmt.Sprintf("%s%s of %s in %s%s follow; simsearch groups prints each of these documents once",
		about, terminal.Plural(int(m.Pairs), "pair"), terminal.Plural(int(m.Documents), "document"), about, terminal.Plural(int(m.Groups), "group"))
	equal := int64(m.Largest) * int64(m.Largest-1) / 2
	return told + terminal.If(2*equal >= m.Pairs, "; %s are equal", terminal.Plural(m.Largest, "document"))
}

// For so many documents the nearest is looked for among all sets, and for so many among all fingerprints. It
// takes some 10 ms.
const scanDocuments, scanFingerprints = 60_000, 1 << 20

// nearestInstead says in a line which document of ix is nearest to a query that has no match. The document that is
// the query itself does not count; nil if none is. It returns "" if finding out would take long, or if there are no
// nearest by the kind of nearness.
func (n Nearness) nearestInstead(ctx context.Context, ix *index.Snapshot, q index.Query, itself *uint32) (string, error) {
	by := n.OfSets()
	if by.Kind.NoNearest != "" || ix.Len() > map[bool]int{false: scanFingerprints, true: scanDocuments}[n.BySets()] {
		return "", nil
	}
	want := terminal.Plural(n.Distance, "bit")
	if !n.Kind.Bare {
		want = fmt.Sprintf("%s of %v", n.Kind.Name, n.Threshold)
	}
	a, err := ix.Near(ctx, q, index.Options{Predicate: by, Nearest: 2, Turned: true})
	near := others(a.Matches, itself)
	judged := func(m index.Match) bool { return m.Value >= index.CopyFloor }
	if err == nil && n.Kind == index.Copy && slices.ContainsFunc(near, judged) {
		likely := n.Kind.Predicate(math.SmallestNonzeroFloat64, 0) // of those that a judge sees, if there are any
		a, err = ix.Near(ctx, q, index.Options{Predicate: likely, Limit: 2})
		if seen := others(a.Matches, itself); len(seen) > 0 {
			by, near = likely, seen
		}
	}
	if err != nil {
		return "", err
	}
	if len(near) > 0 {
		m := near[0]
		id := terminal.Plain(string(m.ID))
		value := terminal.Plain(by.Kind.Of(&m.Measures))
		if share, ok := by.Kind.Of(&m.Measures).(float64); ok {
			value = roundedDown(share)
		}
		if by.Kind != n.Kind {
			value = fmt.Sprintf("%s of %s", by.Kind.Name, value)
		}
		if n.Kind.Banded && n.Reached(&m.Measures) {
			return fmt.Sprintf("the bands find nothing within %s, and miss %s with %s; --recall 1 misses nothing", want, id, value), nil
		}
		excerpt := ""
		if by.Kind == index.Jaccard && m.Value < index.CopyFloor {
			excerpt, err = excerptHint(ctx, ix, q, itself)
		}
		return fmt.Sprintf("nothing within %s; the nearest is %s with %s%s", want, id, value, excerpt), err
	}
	switch {
	case itself != nil && ix.Len() == 1:
		return "the query is the only document that is searched: name others", nil
	case n.BySets():
		return fmt.Sprintf("nothing within %s; no document shares anything with the query", want), nil
	}
	return "", nil
}

// excerptShare is the share of the words of a query from which on it may be a part of another text.
const excerptShare = 0.9

// excerptHint says which document has most words of a query, and how to find parts of texts, or returns "".
func excerptHint(ctx context.Context, ix *index.Snapshot, q index.Query, itself *uint32) (string, error) {
	a, err := ix.Near(ctx, q, index.Options{Predicate: index.Contained.Predicate(excerptShare, 0), Limit: 2})
	if near := others(a.Matches, itself); len(near) > 0 {
		id, share := terminal.Plain(string(near[0].ID)), near[0].Value
		return fmt.Sprintf("; %s has %.0f %% of its words, and --passages finds texts that share a part", id, 100*share), err
	}
	return "", err
}

// roundedDown returns a similarity of more than 0 with two digits, which are not above it: 0.8 is not said of
// what is not within 0.8.
func roundedDown(similarity float64) string {
	if similarity < 0.01 {
		return "less than 0.01"
	}
	return fmt.Sprintf("%.2f", math.Floor(100*similarity)/100)
}

// Work returns one line about the work of searches, which have made and kept tables of the given size
// in memory.
func Work(s *index.Stats, bytes int64) string {
	n := func(x int64) string { return terminal.Thousands(int(x)) }
	text := fmt.Sprintf("queries answered: %s; headers or bands looked up: %s; entries compared: %s",
		n(s.Queries), n(s.LookUps), n(s.Compared))
	return text + terminal.Some(int(s.Steps), "; steps of binary search behind the first: %s") +
		terminal.If(s.Candidates > 0, "; candidates: %s, of which sets were compared: %s", n(s.Candidates), n(s.Verified)) +
		terminal.Some(int(s.Scans), "; queries that scanned a segment: %s") +
		terminal.If(bytes > 0, "; tables made in memory: %s", terminal.Bytes(bytes))
}
