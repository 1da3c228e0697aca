package dedup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"simsearch/corpus"
	"simsearch/internal/terminal"
)

const (
	mostSources = 100 // that a Result tells apart
	fewSources  = 10  // that are files, though each may have one document
	nearlyAll   = 0.9 // of a source: a loss that is told of
	leastSource = 10  // documents of such a source
	mostLost    = 5   // sources that warnings name
)

// A Source is a file or, if there are many, a directory with all that is in it.
type Source struct {
	Path                           string // of a directory with a slash at its end, of small files in one with a star
	Documents, Removed, Exact, Bad int
}

func (s *Source) add(other Source) {
	s.Documents, s.Removed, s.Exact, s.Bad = s.Documents+other.Documents, s.Removed+other.Removed, s.Exact+other.Exact, s.Bad+other.Bad
}

// losesNearlyAll reports whether a loss is to be told of.
func (s Source) losesNearlyAll() bool {
	return s.Documents >= leastSource && float64(s.Removed) > nearlyAll*float64(s.Documents)
}

// A directory is one that files are in, at any depth.
type directory struct {
	Source
	files []int // ascending
	whole bool  // it is a file, or has too much to be told apart
}

// sourcesOf returns the sources that files make, in their order: the files or, if they are many or of one document each,
// directories. Beginning with the directory that all files are in, the one with the most documents is replaced by what is in
// it, as long as there are not too many. If too many are in the first one, and not small, the largest are told apart. within
// has the source of each file.
func sourcesOf(files []Source) (sources []Source, within []int) {
	within = make([]int, len(files))
	if len(files) <= fewSources || len(files) <= mostSources && !single(files) {
		for i := range files {
			within[i] = i
		}
		return files, within
	}
	all := directory{}
	for i, f := range files {
		all.add(f)
		all.files = append(all.files, i)
	}
	open := []directory{all}
	for {
		at := -1
		for i, d := range open {
			if !d.whole && (at < 0 || d.Documents > open[at].Documents) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		parts := open[at].parts(files)
		if len(open)-1+len(parts) > mostSources {
			if len(open) > 1 || parts[mostSources/2].Documents < leastSource {
				open[at].whole = true
				continue
			}
			parts = mostOf(open[at], parts)
		}
		open = slices.Replace(open, at, at+1, parts...)
	}
	slices.SortFunc(open, func(a, b directory) int { return cmp.Compare(a.files[0], b.files[0]) })
	for i, d := range open {
		sources = append(sources, d.Source)
		for _, file := range d.files {
			within[file] = i
		}
	}
	return sources, within
}

// single reports whether no file has more than one document. One by one, such files say nothing about where documents come from.
func single(files []Source) bool {
	return !slices.ContainsFunc(files, func(f Source) bool { return f.Documents > 1 })
}

// parts returns the files and directories that are in a directory, those with the most documents first. Small files are
// one part.
func (d directory) parts(files []Source) (parts []directory) {
	at := map[string]int{}
	for _, i := range d.files {
		path := files[i].Path
		end := strings.IndexByte(path[len(d.Path):], '/') + 1
		switch {
		case end > 0:
			path = path[:len(d.Path)+end]
		case files[i].Documents < leastSource:
			path = d.Path + "*"
		}
		p, ok := at[path]
		if !ok {
			p = len(parts)
			at[path] = p
			parts = append(parts, directory{Source: Source{Path: path}, whole: end == 0})
		}
		parts[p].add(files[i])
		parts[p].files = append(parts[p].files, i)
	}
	slices.SortStableFunc(parts, func(a, b directory) int { return cmp.Compare(b.Documents, a.Documents) })
	return parts
}

// mostOf returns the first parts of a directory, and the others as one.
func mostOf(d directory, parts []directory) (most []directory) {
	most = parts[:mostSources-1]
	rest := directory{whole: true}
	for _, p := range parts[mostSources-1:] {
		rest.add(p.Source)
		rest.files = append(rest.files, p.files...)
	}
	slices.Sort(rest.files)
	rest.Path = fmt.Sprintf("%s (%d others)", d.Path, len(parts)-len(most))
	for i := range most {
		most[i].whole = true
	}
	return append(most, rest)
}

// noDocuments is the warning for inputs without documents.
const noDocuments = "The input has no documents."

// called returns what a source is called in a sentence.
func called(path string) string {
	if path == corpus.Stdin.Path {
		return "Standard input"
	}
	return path
}

// losses returns a sentence for each of the sources that lose nearly all of their documents, those that lose most first.
// Files are told of if their source is not.
func losses(files, sources []Source, within []int, mode Mode) (sentences []string) {
	var lost []Source
	for _, s := range sources {
		if s.losesNearlyAll() {
			lost = append(lost, s)
		}
	}
	for i, f := range files {
		if s := sources[within[i]]; f.losesNearlyAll() && !s.losesNearlyAll() {
			lost = append(lost, f)
		}
	}
	slices.SortStableFunc(lost, func(a, b Source) int { return cmp.Compare(b.Removed, a.Removed) })
	for i, s := range lost {
		if i == mostLost {
			return append(sentences, fmt.Sprintf("%s more sources %s more than %.0f %% of their documents.", terminal.Thousands(len(lost)-i), strings.Replace(mode.loses(), "loses", "lose", 1), 100*nearlyAll))
		}
		sentences = append(sentences, fmt.Sprintf("%s %s %s of its %s.", called(s.Path), mode.loses(), terminal.Thousands(s.Removed), terminal.Plural(s.Documents, "document")))
	}
	return sentences
}
