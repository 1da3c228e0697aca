package ints

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// Names are the names of the numbers 0, 1, … of a type.
type Names struct {
	Type  string // the name of the type, for numbers without a name
	What  string // what a number is, in errors
	First int    // the first one that a user may name: 1 if 0 is none
	All   []string
}

// String returns the name of v.
func (n *Names) String(v uint8) string {
	if n.Validate(v) != nil {
		return fmt.Sprintf("%s(%d)", n.Type, v)
	}
	return n.All[v]
}

// Validate returns an error unless v has a name.
func (n *Names) Validate(v uint8) error {
	if int(v) >= len(n.All) {
		return fmt.Errorf("unknown %s %d: want 0 to %d", n.What, v, len(n.All)-1)
	}
	return nil
}

// ParseName sets v to the number called name. The error lists the names.
func ParseName[T ~uint8](n *Names, v *T, name []byte) error {
	i := slices.Index(n.All, string(name))
	if i < n.First {
		return fmt.Errorf("unknown %s %q: want one of %s", n.What, name, strings.Join(n.All[n.First:], ", "))
	}
	*v = T(i)
	return nil
}

// leastAlike is how alike a name is to the one that it may stand for, in [0, 1].
const leastAlike = 0.86

// Closest returns the name that name may stand for: the one that is most alike, by the letters that both have in
// about the same places and by a common beginning, or "" if none is alike.
func Closest(name string, names []string) (best string) {
	most := leastAlike
	for _, n := range names {
		if alike := smetrics.JaroWinkler(name, n, 0.7, 4); alike > most {
			best, most = n, alike
		}
	}
	return best
}
