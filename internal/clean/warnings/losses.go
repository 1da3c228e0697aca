// Package warnings says what should make one look before a collection loses its near duplicates, or after: sources
// that lose nearly all, texts that add only boilerplate, groups that are one form with other facts, and what the run
// is going to take.
package warnings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
)

// A Source is a file or, if there are many, a directory with all that is in it, whose path has a slash at its end
// then, and what became of its documents.
type Source struct {
	Path      string `json:"path"`
	Documents int    `json:"documents"`
	Removed   int    `json:"removed"`
	Exact     int    `json:"exact"`
	Words     int    `json:"words"`
	Near      int    `json:"near"`
	Bad       int    `json:"bad"`
}

const (
	// NearlyAll is the share of the documents of a source that is a loss to be told of.
	NearlyAll = 0.9
	// Least is the number of documents of such a source.
	Least = 10

	mostSources = 100 // that are told apart
	fewSources  = 10  // that are files, though each may have one document
	mostLost    = 5   // sources that warnings name
)

func addSource(to *Source, s Source) {
	to.Documents, to.Removed, to.Bad = to.Documents+s.Documents, to.Removed+s.Removed, to.Bad+s.Bad
	to.Exact, to.Words, to.Near = to.Exact+s.Exact, to.Words+s.Words, to.Near+s.Near
}

// losesNearlyAll reports whether a loss is to be told of.
func losesNearlyAll(s Source) bool {
	return s.Documents >= Least && float64(s.Removed) > NearlyAll*float64(s.Documents)
}

// Sources returns the sources that files make, in their order: the files or, if they are many or of one document each,
// the directories that they are in, as deep as these are not too many. within has the source of each file.
func Sources(files []Source) (sources []Source, within []int) {
	single, deepest := true, 0 // one by one, files of one document each say nothing about where documents come from
	for i, f := range files {
		single, deepest = single && f.Documents <= 1, max(deepest, strings.Count(f.Path, "/"))
		within = append(within, i)
	}
	if len(files) <= fewSources || len(files) <= mostSources && !single {
		return files, within
	}
	for depth := deepest; ; depth-- {
		if sources, within = directories(files, depth); len(sources) <= mostSources {
			return sources, within
		}
	}
}

// directories returns the directories that files are in, with so many slashes in their names or fewer, and single
// files.
func directories(files []Source, depth int) (dirs []Source, within []int) {
	at := map[string]int{}
	for _, f := range files {
		end := 0
		for range depth {
			end += strings.IndexByte(f.Path[end:], '/') + 1
		}
		i, ok := at[f.Path[:end]]
		if ok {
			dirs[i].Path = f.Path[:end]
		} else { // a single file has its own name
			i = len(dirs)
			at[f.Path[:end]] = i
			dirs = append(dirs, Source{Path: f.Path})
		}
		addSource(&dirs[i], f)
		within = append(within, i)
	}
	return dirs, within
}

// Called returns what a source is called in a sentence.
func Called(path string) string {
	if path == corpus.Stdin.Path {
		return "Standard input"
	}
	return path
}

// Sentences returns a sentence for each of the sources that lose nearly all of their documents, those that lose most
// first. Files are told of if their source is not. loses is "loses", or "would lose".
func Sentences(files, sources []Source, within []int, loses string) (sentences []string) {
	var lost []Source
	for _, s := range sources {
		if losesNearlyAll(s) {
			lost = append(lost, s)
		}
	}
	for i, f := range files {
		if s := sources[within[i]]; losesNearlyAll(f) && !losesNearlyAll(s) {
			lost = append(lost, f)
		}
	}
	slices.SortStableFunc(lost, func(a, b Source) int { return cmp.Compare(b.Removed, a.Removed) })
	for i, s := range lost {
		if i == mostLost {
			return append(sentences, fmt.Sprintf("%s more sources %s more than %.0f %% of their documents.",
				terminal.Thousands(len(lost)-i), strings.Replace(loses, "loses", "lose", 1), 100*NearlyAll))
		}
		sentences = append(sentences, fmt.Sprintf("%s %s %s of its %s.", Called(s.Path), loses, terminal.Thousands(s.Removed),
			terminal.Plural(s.Documents, "document")))
	}
	return sentences
}
