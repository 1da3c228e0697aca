package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// A Share is one of several shares of the files of a collection, so that several processes read it together. The
// shares are consecutive in the order of the files and have about the same number of bytes. A file belongs to one
// share as a whole.
type Share struct {
	Number int  // from 1 to Of
	Of     int  // 0: all files are read
	Alone  bool // the files of the share are all that is given
}

// ParseShare reads a share such as 3/8, the third of eight.
func ParseShare(s string) (Share, error) {
	number, of, _ := strings.Cut(s, "/")
	i, errNumber := strconv.Atoi(number)
	n, errOf := strconv.Atoi(of)
	if errNumber != nil || errOf != nil || i < 1 || i > n || n > maxShares {
		return Share{}, fmt.Errorf("%q: want a share such as 3/8, the third of eight, of at most %d", s, maxShares)
	}
	return Share{Number: i, Of: n}, nil
}

// maxShares is the largest number of shares.
const maxShares = 1 << 16

// String returns what ParseShare reads.
func (s Share) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }

// Files returns the files of the share: [from, to). The share of a file is where its middle lies, so that files of
// one size are divided evenly.
func (s Share) Files(files []File) (from, to int) {
	if s.Of == 0 || s.Alone {
		return 0, len(files)
	}
	total, at := int64(0), int64(0)
	for _, f := range files {
		total += f.Size + 1 // so that files without bytes have a share, too
	}
	from, to = len(files), len(files)
	for i, f := range files {
		switch share := int((at+f.Size/2)*int64(s.Of)/total) + 1; {
		case share < s.Number:
		case share > s.Number:
			return min(from, i), i
		case from == len(files):
			from = i
		}
		at += f.Size + 1
	}
	return from, to
}
