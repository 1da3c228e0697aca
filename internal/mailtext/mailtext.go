// Package mailtext finds the messages of mailboxes, and makes texts of messages: their headers, and what their parts
// say, without attachments.
//
// Mail comes from programs of four decades, and much of it breaks the rules. What a person could still read is read:
// a message that is cut short has the text that is there, unknown names of charsets are passed over, and damage in
// encoded text stays where it is. mime/multipart and mime/quotedprintable give up there, so that parts are parted and
// decoded here; tests compare the results.
package mailtext

import (
	"errors"
	"fmt"
	"strings"
)

// The limits of a message.
const (
	maxHeader = 1 << 20 // bytes of the header of a message or part
	maxDepth  = 32      // parts inside of parts
	maxParts  = 10_000  // of a message, at any depth
)

var (
	// ErrTooLong is returned for a message, or a text, that is longer than the limit.
	ErrTooLong = errors.New("the message is too long")
	errParts   = fmt.Errorf("it has more than %d parts", maxParts)
	errHeader  = errors.New("no header: it does not begin with a field such as Subject: of a message")
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
next:
	for name := range strings.SplitSeq(s, ",") {
		for bit, known := range withoutNames {
			if name == known {
				w |= 1 << bit
				continue next
			}
		}
		return 0, fmt.Errorf("%q: want quotes, signatures, quotes,signatures or nothing", s)
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
