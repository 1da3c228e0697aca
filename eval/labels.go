package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"simsearch/internal/idtext"
)

// Labels are judgements by people, or by where documents come from, of which pairs are near.
type Labels struct {
	near     map[[2]uint32]bool // of each pair that is judged, the smaller number first
	complete bool               // pairs that are not judged are not near

	Near, Apart    int // pairs judged
	Clusters       int
	Unknown        int    // ids that the collection does not have
	FirstUnknown   string // one of them
	Contradictions int    // pairs judged both ways, which are left out
}

// ErrLabels marks a file of labels that says nothing about the collection.
var ErrLabels = errors.New("unusable labels")

// maxLabels limits what clusters may make of pairs.
const maxLabels = 50_000_000

// ReadLabels reads a JSON object a line: {"a": ID, "b": ID}, a pair that is near, or is not if
// "label" is false, 0, or a text that begins with "non", "not", "no", "different" or "false"; or
// {"cluster": [ID, …]}, of which all are near each other. Without a pair that is not near, pairs that
// are not named are taken not to be. find returns the number of the document with an id; its error
// ends the reading.
//
// Ids that the collection does not have, and pairs judged both ways, are counted; if nothing is left,
// the error is ErrLabels. Other errors name the line.
func ReadLabels(r io.Reader, find func(id string) (doc uint32, ok bool, err error)) (*Labels, error) {
	l := &Labels{near: map[[2]uint32]bool{}}
	both := map[[2]uint32]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	n := 0
	for lines.Scan() {
		n++
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := l.line(lines.Bytes(), find, both); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	for pair := range both {
		delete(l.near, pair)
	}
	l.Contradictions = len(both)
	for _, near := range l.near {
		if near {
			l.Near++
		} else {
			l.Apart++
		}
	}
	l.complete = l.Apart == 0
	switch {
	case l.Near > 0:
		return l, nil
	case l.Unknown > 0:
		return nil, fmt.Errorf("%w: no pair of them is in the collection, which has no document %q, for one; are they another collection's?", ErrLabels, l.FirstUnknown)
	}
	return nil, fmt.Errorf("%w: they name no pair that is near", ErrLabels)
}

// line takes in one line.
func (l *Labels) line(text []byte, find func(id string) (uint32, bool, error), both map[[2]uint32]bool) error {
	var row struct {
		A, B    *string
		Label   any
		Cluster []string
	}
	if err := json.Unmarshal(text, &row); err != nil {
		return err
	}
	doc := func(id string) (uint32, bool, error) {
		n, ok, err := find(id)
		if !ok && err == nil { // as our own commands write ids that are not UTF-8 in JSON
			if meant := string(idtext.String.AppendID(nil, []byte(id))); meant != id {
				n, ok, err = find(meant)
			}
		}
		if !ok && err == nil {
			if l.Unknown++; l.Unknown == 1 {
				l.FirstUnknown = id
			}
		}
		return n, ok, err
	}
	judge := func(a, b uint32, near bool) {
		pair := [2]uint32{min(a, b), max(a, b)}
		if was, ok := l.near[pair]; ok && was != near {
			both[pair] = true
		}
		l.near[pair] = near
	}
	switch {
	case row.Cluster != nil:
		l.Clusters++
		var members []uint32
		for _, id := range row.Cluster {
			n, ok, err := doc(id)
			if err != nil {
				return err
			}
			if ok {
				members = append(members, n)
			}
		}
		if len(l.near)+len(members)*(len(members)-1)/2 > maxLabels {
			return fmt.Errorf("the clusters make more than %d pairs", maxLabels)
		}
		for i, a := range members {
			for _, b := range members[i+1:] {
				if a != b {
					judge(a, b, true)
				}
			}
		}
	case row.A != nil && row.B != nil:
		a, okA, errA := doc(*row.A)
		b, okB, errB := doc(*row.B)
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		if okA && okB && a != b {
			judge(a, b, labelled(row.Label))
		}
	default:
		return errors.New(`want {"a": …, "b": …} or {"cluster": […]}`)
	}
	return nil
}

// labelled reports whether a label says that a pair is near.
func labelled(label any) bool {
	switch v := label.(type) {
	case bool:
		return v
	case float64:
		return v > 0
	case string:
		v = strings.ToLower(strings.TrimSpace(v))
		for _, no := range []string{"no", "different", "false", "0"} { // non and not begin so, too
			if strings.HasPrefix(v, no) {
				return false
			}
		}
	}
	return true
}

// Judge reports whether a pair is near, and whether that is known.
func (l *Labels) Judge(a, b uint32) (near, known bool) {
	near, known = l.near[[2]uint32{min(a, b), max(a, b)}]
	return near, known || l.complete
}

// Pairs calls yield for each pair that is near.
func (l *Labels) Pairs(yield func(a, b uint32) bool) {
	for pair, near := range l.near {
		if near && !yield(pair[0], pair[1]) {
			return
		}
	}
}

// restrict forgets pairs that keep does not want.
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

// Warnings says in a line each what is odd about the labels.
func (l *Labels) Warnings() (out []string) {
	if l.Unknown > 0 {
		out = append(out, fmt.Sprintf("labels name %d ids that the collection does not have, such as %q; they are left out", l.Unknown, l.FirstUnknown))
	}
	if l.Contradictions > 0 {
		out = append(out, fmt.Sprintf("%d pairs are labelled both near and not near; they are left out", l.Contradictions))
	}
	return out
}
