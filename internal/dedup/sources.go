package dedup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/corpus"
	"simsearch/internal/terminal"
)

const (
	mostSources = 100 // that a Result tells apart
	fewSources  = 10  // that are files, though each may have one document
	nearlyAll   = 0.9 // of a source: a loss that is told of, and marked
	leastSource = 10  // documents of such a source
	mostLost    = 5   // sources that warnings name
)

func addSource(to *Source, s Source) {
	to.Documents, to.Removed, to.Exact, to.Near, to.Bad = to.Documents+s.Documents, to.Removed+s.Removed, to.Exact+s.Exact, to.Near+s.Near, to.Bad+s.Bad
}

// losesNearlyAll reports whether a loss is to be told of.
func losesNearlyAll(s Source) bool {
	return s.Documents >= leastSource && float64(s.Removed) > nearlyAll*float64(s.Documents)
}

// sourcesOf returns the sources that files make, in their order: the files or, if they are many or of one document each,
// the directories that they are in, as deep as these are not too many. If that is a single one, the largest of what is in it are told
// apart, unless they are small. within has the source of each file.
func sourcesOf(files []Source) (sources []Source, within []int) {
	single, deepest := true, 0 // one by one, files of one document each say nothing about where documents come from
	for i, f := range files {
		single, deepest = single && f.Documents <= 1, max(deepest, strings.Count(f.Path, "/"))
		within = append(within, i)
	}
	if len(files) <= fewSources || len(files) <= mostSources && !single {
		return files, within
	}
	sources = files
	for depth := deepest; ; depth-- {
		above, withinAbove := directories(files, depth)
		if len(above) == 1 && len(sources) > mostSources {
			if told, withinTold := largest(sources, within, above[0].Path); told != nil {
				return told, withinTold
			}
		}
		if sources, within = above, withinAbove; len(above) <= mostSources {
			return sources, within
		}
	}
}

// directories returns the directories that files are in, with so many slashes in their names or fewer, and single files.
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

// largest returns the sources with the most documents, and the others as one that is called by the directory of all. It returns
// nil if most of these are small.
func largest(sources []Source, within []int, dir string) (told []Source, withinTold []int) {
	order := make([]int, len(sources))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sources[b].Documents, sources[a].Documents) })
	if sources[order[mostSources/2]].Documents < leastSource {
		return nil, nil
	}
	others := order[mostSources-1:]
	slices.Sort(order[:mostSources-1])
	becomes := make([]int, len(sources))
	for i, of := range order[:mostSources-1] {
		told, becomes[of] = append(told, sources[of]), i
	}
	rest := Source{Path: fmt.Sprintf("%s (%d others)", dir, len(others))}
	for _, of := range others {
		addSource(&rest, sources[of])
		becomes[of] = mostSources - 1
	}
	for _, source := range within {
		withinTold = append(withinTold, becomes[source])
	}
	return append(told, rest), withinTold
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
func losses(files, sources []Source, within []int, mode string) (sentences []string) {
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
				terminal.Thousands(len(lost)-i), strings.Replace(loses(mode), "loses", "lose", 1), 100*nearlyAll))
		}
		sentences = append(sentences, fmt.Sprintf("%s %s %s of its %s.", called(s.Path), loses(mode), terminal.Thousands(s.Removed),
			terminal.Plural(s.Documents, "document")))
	}
	return sentences
}
