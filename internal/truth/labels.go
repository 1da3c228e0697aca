package truth

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
	Verdicts       // of pairs labelled near, and not near
	Clusters       int
	Unknown        int    // number of ids that the collection does not have
	FirstUnknown   string // one of them
	Contradictions int    // number of pairs labelled both ways; they are left out
	Empty          int    // number of pairs whose label is to be filled in; they are left out
}

// ErrLabels is returned for labels that say nothing about the collection.
var ErrLabels = errors.New("unusable labels")

// MaxLabels is the largest number of pairs that labels may be of.
const MaxLabels = 50_000_000

// ReadLabels reads labels, a JSON object a line. {"a": ID, "b": ID} is a pair that is near. With a "label"
// that is false, 0, or a text beginning with "no", "different", "false" or "0", it is a pair that is not
// near, as is "n"; with an empty one, nobody has judged it. {"cluster": [ID, …]} makes each pair of its documents near. If no
// pair is labelled as not near, all pairs without a label are taken not to be near. A label of doubt, "?", "maybe" or
// "unsure", is an error. find returns the number of the document with an id.
//
// ReadLabels leaves out and counts ids that the collection does not have, and pairs labelled both ways. If
// no near pair is left, the error is ErrLabels. Other errors name the line, such as one of clusters that make more than most pairs.
func ReadLabels(r io.Reader, find func(id string) (doc uint32, ok bool), most int) (*Labels, error) {
	said := labelReader{labels: &Labels{}, find: find, most: most, near: map[[2]uint32]bool{}, both: map[[2]uint32]bool{}}
	if err := eachLabel(r, said.line); err != nil {
		return nil, err
	}
	l := said.labels
	l.Contradictions = len(said.both)
	var all []Pair
	complete := true
	for pair, near := range said.near {
		p := Pair{A: pair[0], B: pair[1]}
		switch {
		case said.both[pair]:
			continue
		case near:
			p.Jaccard = 1
		default:
			complete = false
		}
		all = append(all, p)
	}
	l.Verdicts = NewVerdicts(all, complete)
	switch {
	case l.Near > 0:
		return l, nil
	case l.Unknown > 0:
		return nil, fmt.Errorf("%w: no pair of them is in the collection, which has no document %q, for one; are they another "+
			"collection's?", ErrLabels, l.FirstUnknown)
	}
	if l.Empty > 0 {
		return nil, fmt.Errorf("%w: they name no pair that is near, and %d have no label yet: write yes or no there", ErrLabels, l.Empty)
	}
	return nil, fmt.Errorf("%w: they name no pair that is near", ErrLabels)
}

// A labelReader is what has been read of labels.
type labelReader struct {
	labels *Labels
	find   func(id string) (doc uint32, ok bool)
	most   int                // pairs that clusters may make
	near   map[[2]uint32]bool // of each pair that is judged, the smaller number first
	both   map[[2]uint32]bool // pairs that are labelled both ways
}

// document returns the document with an id.
func (r *labelReader) document(id string) (doc uint32, ok bool) {
	if doc, ok = r.find(id); !ok { // the commands write ids that are not UTF-8 so in JSON
		doc, ok = r.find(string(terminal.String.AppendID(nil, []byte(id))))
	}
	if !ok {
		if r.labels.Unknown++; r.labels.Unknown == 1 {
			r.labels.FirstUnknown = id
		}
	}
	return doc, ok
}

// judge takes in what is said of a pair.
func (r *labelReader) judge(a, b uint32, near bool) {
	pair := [2]uint32{min(a, b), max(a, b)}
	if was, ok := r.near[pair]; ok && was != near {
		r.both[pair] = true
	}
	r.near[pair] = near
}

// line takes in one line.
func (r *labelReader) line(_ []byte, row labelLine) error {
	if row.Cluster != nil {
		r.labels.Clusters++
		var members []uint32
		for _, id := range row.Cluster {
			if n, ok := r.document(id); ok {
				members = append(members, n)
			}
		}
		if len(r.near)+len(members)*(len(members)-1)/2 > r.most {
			return fmt.Errorf("the clusters make more than %d pairs", r.most)
		}
		for i, a := range members {
			for _, b := range members[i+1:] {
				if a != b {
					r.judge(a, b, true)
				}
			}
		}
		return nil
	}
	a, okA := r.document(*row.A)
	b, okB := r.document(*row.B)
	near := true // without a label
	switch label := row.Label.(type) {
	case bool:
		near = label
	case float64:
		near = label > 0
	case string:
		switch said := row.said(); said {
		case "":
			r.labels.Empty++
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
		r.judge(a, b, near)
	}
	return nil
}

// Warnings returns a line for each thing that is odd about the labels.
func (l *Labels) Warnings() (out []string) {
	if l.Unknown > 0 {
		out = append(out, fmt.Sprintf("labels name %s that the collection does not have, such as %q; they are left out",
			terminal.Plural(l.Unknown, "id"), l.FirstUnknown))
	}
	if l.Contradictions > 0 {
		out = append(out, fmt.Sprintf("labels call %s both near and not near; they are left out", terminal.Plural(l.Contradictions, "pair")))
	}
	return out
}
