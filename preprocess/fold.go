package preprocess

import "golang.org/x/text/cases"

// Case is folded fully, as CaseFolding.txt of Unicode says (statuses C and F). The library does the same, but for
// Cherokee: its capital letters are older, and its small ones fold to them, where the library makes small letters of
// both. A letter and the one that it is exchanged for have three bytes each.

// lowerFold can be shared: the documentation of cases.Fold says that it is stateless.
var lowerFold = cases.Fold()

// foldString returns s with its case folded.
func foldString(s string) string {
	b := []byte(lowerFold.String(s))
	capitals(b)
	return string(b)
}

// capital returns the letter that a small Cherokee letter folds to, and other characters as they are.
func capital(r rune) rune {
	switch {
	case 0xab70 <= r && r <= 0xabbf:
		return r - 0xab70 + 0x13a0
	case 0x13f8 <= r && r <= 0x13fd:
		return r - 0x13f8 + 0x13f0
	}
	return r
}

// capitals replaces small Cherokee letters in UTF-8 by capital ones, in place. It looks only at characters that begin
// with one of the two bytes that Cherokee begins with.
func capitals(p []byte) {
	for i := 0; i+2 < len(p); i++ {
		if p[i] != 0xe1 && p[i] != 0xea {
			continue
		}
		r := rune(p[i]&0xf)<<12 | rune(p[i+1]&0x3f)<<6 | rune(p[i+2]&0x3f)
		if x := capital(r); x != r {
			p[i], p[i+1], p[i+2] = 0xe0|byte(x>>12), 0x80|byte(x>>6&0x3f), 0x80|byte(x&0x3f)
		}
		i += 2
	}
}
