package commandline

import (
	"strings"
	"unicode/utf8"
)

const (
	closeEdits  = 2 // edits between names that are close
	closePrefix = 4 // letters that close names begin with, however long they are
)

// closest returns the name that name may stand for: one at most closeEdits edits away, or one that
// begins with the same closePrefix letters: the nearest of them by edits, and of equally near ones the
// one with the longer common beginning. If none is close, it returns the only name that begins with name,
// such as quiet for q, or "".
func closest(name string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		d := edits(name, n)
		// Two names that share no letter are not close.
		near := d <= closeEdits && d < min(utf8.RuneCountInString(name), utf8.RuneCountInString(n))
		prefix := commonPrefix(name, n)
		if (near || prefix >= closePrefix) && (best == "" || d < least || d == least && prefix > commonPrefix(name, best)) {
			best, least = n, d
		}
	}
	if best == "" && name != "" {
		return onlyOne(name, names)
	}
	return best
}

// onlyOne returns the name that begins with prefix, or "" if there are none or several.
func onlyOne(prefix string, names []string) (only string) {
	for _, n := range names {
		switch {
		case !strings.HasPrefix(n, prefix), n == only:
		case only != "":
			return ""
		default:
			only = n
		}
	}
	return only
}

// commonPrefix returns the number of bytes with which both a and b begin.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// edits returns the number of letters that must be inserted, deleted, replaced or exchanged with
// their neighbours to make b of a (optimal string alignment).
func edits(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range to {
		rows[0][j+1] = j + 1
	}
	for i := range from {
		for j := range to {
			replaced := rows[i][j]
			if from[i] != to[j] {
				replaced++
			}
			d := min(replaced, rows[i][j+1]+1, rows[i+1][j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(from)][len(to)]
}
