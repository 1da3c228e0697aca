package truth

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"simsearch/internal/ground/terminal"
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

// ReadLabels reads labels, a JSON object a line. {"a": ID, "b": ID} is a pair that is near. With a "label" that is
// false, 0, or a text beginning with "no", "different", "false" or "0", it is a pair that is not near, as is "n";
// with an empty one, nobody has judged it. {"cluster": [ID, …]} makes each pair of its documents near. If no pair is
// labelled as not near, all pairs without a label are taken not to be near. A label of doubt, "?", "maybe" or
// "unsure", is an error. find returns the number of the document with an id.
//
// ReadLabels leaves out and counts ids that the collection does not have, and pairs labelled both ways. If no near
// pair is left, the error is ErrLabels. Other errors name the line, such as one of clusters that make more than most
// pairs.
func ReadLabels(r io.Reader, find func(id string) (doc uint32, ok bool), most int) (*Labels, error) {
	l, complete := &Labels{}, true
	const isNear, isApart = 1, 2
	said := map[[2]uint32]uint8{} // of each pair that is judged, the smaller number first
	document := func(id string) (doc uint32, ok bool) {
		if doc, ok = find(id); !ok { // the commands write ids that are not UTF-8 so in JSON
			doc, ok = find(string(terminal.String.AppendID(nil, []byte(id))))
		}
		if !ok {
			if l.Unknown++; l.Unknown == 1 {
				l.FirstUnknown = id
			}
		}
		return doc, ok
	}
	judge := func(a, b uint32, verdict uint8) {
		if a != b {
			said[[2]uint32{min(a, b), max(a, b)}] |= verdict
		}
	}
	err := eachLabel(r, func(row labelLine) error {
		if row.Cluster != nil {
			l.Clusters++
			var members []uint32
			for _, id := range row.Cluster {
				if n, ok := document(id); ok {
					members = append(members, n)
				}
			}
			if len(said)+len(members)*(len(members)-1)/2 > most {
				return fmt.Errorf("the clusters make more than %d pairs", most)
			}
			for i, a := range members {
				for _, b := range members[i+1:] {
					judge(a, b, isNear)
				}
			}
			return nil
		}
		a, okA := document(*row.A)
		b, okB := document(*row.B)
		near, judged, err := row.verdict()
		switch {
		case err != nil:
			return err
		case !judged:
			l.Empty++
		case okA && okB && near:
			judge(a, b, isNear)
		case okA && okB:
			judge(a, b, isApart)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []Pair
	for pair, verdict := range said {
		switch verdict {
		case isNear:
			all = append(all, Pair{A: pair[0], B: pair[1], Jaccard: 1})
		case isApart:
			all, complete = append(all, Pair{A: pair[0], B: pair[1]}), false
		default:
			l.Contradictions++
		}
	}
	if l.Verdicts = NewVerdicts(all, complete); l.Near > 0 {
		return l, nil
	}
	why := ""
	switch {
	case l.Unknown > 0:
		return nil, fmt.Errorf("%w: no pair of them is in the collection, which has no document %q, for one; are they another "+
			"collection's?", ErrLabels, l.FirstUnknown)
	case l.Empty > 0:
		why = fmt.Sprintf(", and %d have no label yet: write yes or no there", l.Empty)
	}
	return nil, fmt.Errorf("%w: they name no pair that is near%s", ErrLabels, why)
}

// verdict reports whether a line of a pair says that it is near. judged is false if nobody has judged it yet.
func (l *labelLine) verdict() (near, judged bool, err error) {
	switch label := l.Label.(type) {
	case bool:
		return label, true, nil
	case float64:
		return label > 0, true, nil
	case string:
		switch said := strings.ToLower(strings.TrimSpace(label)); said {
		case "":
			return false, false, nil
		case "?", "maybe", "unsure":
			return false, false, fmt.Errorf("label %q: want yes or no, or nothing", said)
		default: // "no" covers "non" and "not"
			no := func(no string) bool { return strings.HasPrefix(said, no) }
			return said != "n" && !slices.ContainsFunc([]string{"no", "different", "false", "0"}, no), true, nil
		}
	}
	return true, true, nil // without a label
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
