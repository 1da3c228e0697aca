package syntax

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The limits of a message.
const (
	maxDepth = 32     // parts inside of parts
	maxParts = 10_000 // of a message, at any depth
)

var (
	errParts  = fmt.Errorf("it has more than %d parts", maxParts)
	errHeader = errors.New("no header: it does not begin with a field such as Subject: of a message")
)

// Without says what is left out of texts.
type Without uint8

// What can be left out.
const (
	Quotes     Without = 1 << iota // what earlier messages said, and the line that introduces it
	Signatures                     // from a line "-- " on
)

// withoutNames are those of the bits, from the lowest on.
var withoutNames = []string{"quotes", "signatures"}

// ParseWithout reads names with commas between them; "" and "nothing" leave out nothing. The error lists all names.
func ParseWithout(s string) (w Without, err error) {
	if s == "" || s == "nothing" {
		return 0, nil
	}
	for name := range strings.SplitSeq(s, ",") {
		bit := slices.Index(withoutNames, name)
		if bit < 0 {
			return 0, fmt.Errorf("%q: want quotes, signatures, quotes,signatures or nothing", s)
		}
		w |= 1 << bit
	}
	return w, nil
}

// String returns what ParseWithout reads, in one order.
func (w Without) String() string {
	var names []string
	for bit, name := range withoutNames {
		if w&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}
