package show

import "simsearch/internal/diff"

// Runs returns the whole texts a and b as runs, whose texts joined are a and b. They are the differences
// of which Compare shows passages. In texts of which one is in capitals, for example, case does not count.
func Runs(a, b string) []diff.Run {
	runs, _ := wordsOfBoth(a, b)
	return diff.Readable(runs)
}
