package eval

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"simsearch/internal/terminal"
)

// Labels says which pairs are near, by human judgement or by the source of documents.
type Labels struct {
	near     map[[2]uint32]bool // of each pair that is judged, the smaller number first
	complete bool               // pairs without a label are not near

	Near, Apart    int // number of pairs labelled near, and not near
	Clusters       int
	Unknown        int    // number of ids that the collection does not have
	FirstUnknown   string // one of them
	Contradictions int    // number of pairs labelled both ways; they are left out
	Empty          int    // number of pairs whose label is to be filled in; they are left out
}

// ErrLabels is returned for labels that say nothing about the collection.
var ErrLabels = errors.New("unusable labels")

// maxLabels limits the number of pairs that clusters may make.
const maxLabels = 50_000_000

// ReadLabels reads labels, a JSON object a line. {"a": ID, "b": ID} is a pair that is near. With a "label"
// that is false, 0, or a text beginning with "no", "different", "false" or "0", it is a pair that is not
// near, as is "n"; with an empty one, nobody has judged it. {"cluster": [ID, …]} makes each pair of its documents near. If no
// pair is labelled as not near, all pairs without a label are taken not to be near. A label of doubt, "?", "maybe" or
// "unsure", is an error. find returns the number of the document with an id.
//
// ReadLabels leaves out and counts ids that the collection does not have, and pairs labelled both ways. If
// no near pair is left, the error is ErrLabels. Other errors name the line.
func ReadLabels(r io.Reader, find func(id string) (doc uint32, ok bool)) (*Labels, error) {
	return readLabels(r, find, maxLabels)
}

// readLabels is ReadLabels of clusters that may make so many pairs.
func readLabels(r io.Reader, find func(id string) (doc uint32, ok bool), most int) (*Labels, error) {
	l := &Labels{near: map[[2]uint32]bool{}}
	both := map[[2]uint32]bool{}
	err := eachLabel(r, func(_ []byte, line labelLine) error { return l.line(line, find, both, most) })
	if err != nil {
		return nil, err
	}
	l.Contradictions = len(both)
	l.restrict(func(a, b uint32) bool { return !both[[2]uint32{a, b}] })
	l.complete = l.Apart == 0
	switch {
	case l.Near > 0:
		return l, nil
	case l.Unknown > 0:
		return nil, fmt.Errorf("%w: no pair of them is in the collection, which has no document %q, for one; are they another collection's?", ErrLabels, l.FirstUnknown)
	}
	if l.Empty > 0 {
		return nil, fmt.Errorf("%w: they name no pair that is near, and %d have no label yet: write yes or no there", ErrLabels, l.Empty)
	}
	return nil, fmt.Errorf("%w: they name no pair that is near", ErrLabels)
}

// line takes in one line. It adds pairs that are labelled both ways to both.
func (l *Labels) line(row labelLine, find func(id string) (uint32, bool), both map[[2]uint32]bool, most int) error {
	doc := func(id string) (uint32, bool) {
		n, ok := find(id)
		if !ok { // the commands write ids that are not UTF-8 so in JSON
			if meant := string(terminal.String.AppendID(nil, []byte(id))); meant != id {
				n, ok = find(meant)
			}
		}
		if !ok {
			if l.Unknown++; l.Unknown == 1 {
				l.FirstUnknown = id
			}
		}
		return n, ok
	}
	judge := func(a, b uint32, near bool) {
		pair := [2]uint32{min(a, b), max(a, b)}
		if was, ok := l.near[pair]; ok && was != near {
			both[pair] = true
		}
		l.near[pair] = near
	}
	if row.Cluster != nil {
		l.Clusters++
		var members []uint32
		for _, id := range row.Cluster {
			if n, ok := doc(id); ok {
				members = append(members, n)
			}
		}
		if len(l.near)+len(members)*(len(members)-1)/2 > most {
			return fmt.Errorf("the clusters make more than %d pairs", most)
		}
		for i, a := range members {
			for _, b := range members[i+1:] {
				if a != b {
					judge(a, b, true)
				}
			}
		}
		return nil
	}
	a, okA := doc(*row.A)
	b, okB := doc(*row.B)
	near := true // without a label
	switch label := row.Label.(type) {
	case bool:
		near = label
	case float64:
		near = label > 0
	case string:
		switch said := row.said(); said {
		case "":
			l.Empty++
			return nil
		case "?", "maybe", "unsure":
			return fmt.Errorf("label %q: want yes or no, or nothing", said)
		case "n":
			near = false
		default: // "no" covers "non" and "not"
			near = !slices.ContainsFunc([]string{"no", "different", "false", "0"}, func(no string) bool { return strings.HasPrefix(said, no) })
		}
	}
	if okA && okB && a != b {
		judge(a, b, near)
	}
	return nil
}

// Judge reports whether a pair is near; known is false if the labels do not say.
func (l *Labels) Judge(a, b uint32) (near, known bool) {
	near, known = l.near[[2]uint32{min(a, b), max(a, b)}]
	return near, known || l.complete
}

// Pairs yields each pair that is near, in no particular order.
func (l *Labels) Pairs(yield func(a, b uint32) bool) {
	for pair, near := range l.near {
		if near && !yield(pair[0], pair[1]) {
			return
		}
	}
}

// restrict drops the pairs for which keep returns false.
func (l *Labels) restrict(keep func(a, b uint32) bool) {
	l.Near, l.Apart = 0, 0
	for pair, near := range l.near {
		switch {
		case !keep(pair[0], pair[1]):
			delete(l.near, pair)
		case near:
			l.Near++
		default:
			l.Apart++
		}
	}
}

// Warnings returns a line for each thing that is odd about the labels.
func (l *Labels) Warnings() (out []string) {
	if l.Unknown > 0 {
		out = append(out, fmt.Sprintf("labels name %s that the collection does not have, such as %q; they are left out", terminal.Plural(l.Unknown, "id"), l.FirstUnknown))
	}
	if l.Contradictions > 0 {
		out = append(out, fmt.Sprintf("labels call %s both near and not near; they are left out", terminal.Plural(l.Contradictions, "pair")))
	}
	return out
}
