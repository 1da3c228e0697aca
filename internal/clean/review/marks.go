package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"simsearch/internal/quality/truth"
)

// Marks are what a person has said on a page, as the page saves it.
type Marks struct {
	V  int    `json:"v"`  // 1
	Of string `json:"of"` // the Key of the sample
	Population
	Marks []Mark `json:"marks"`
}

// A Mark is what was said of a pair.
type Mark struct {
	ID      string `json:"id"`
	KeptID  string `json:"kept_id"`
	Stratum int    `json:"stratum"`
	Mark    string `json:"mark"` // "right", "wrong" or "unsure"
}

// Names of marks.
const (
	right  = "right"
	wrong  = "wrong"
	unsure = "unsure"
)

// maxMarks is the size in bytes of the largest file of marks.
const maxMarks = 64 << 20

// ErrNoMarks is returned for what is no file of marks.
var ErrNoMarks = errors.New("these are no marks: want the file that the page of --review saves")

// ReadMarks reads marks, and checks that they can be those of one sample.
func ReadMarks(r io.Reader) (*Marks, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxMarks))
	if err != nil {
		return nil, err
	}
	m := &Marks{}
	if err := json.Unmarshal(data, m); err != nil || m.V != 1 || len(m.Strata) == 0 {
		return nil, ErrNoMarks
	}
	counts := make([]int, len(m.Strata))
	for i, mark := range m.Marks {
		switch {
		case !slices.Contains([]string{right, wrong, unsure}, mark.Mark):
			return nil, fmt.Errorf("mark %d is %q: want right, wrong or unsure", i+1, mark.Mark)
		case mark.Stratum < 0 || mark.Stratum >= len(m.Strata):
			return nil, fmt.Errorf("mark %d is of stratum %d of %d", i+1, mark.Stratum, len(m.Strata))
		}
		if counts[mark.Stratum]++; counts[mark.Stratum] > m.Strata[mark.Stratum].Pairs {
			return nil, fmt.Errorf("stratum %d has more marks than its %d pairs", mark.Stratum, m.Strata[mark.Stratum].Pairs)
		}
	}
	if m.Same < 0 {
		return nil, fmt.Errorf("%d pairs of equal texts", m.Same)
	}
	return m, nil
}

// Result returns what the marks say.
func (m *Marks) Result() Result {
	r := Result{What: m.What, Same: m.Same, Pairs: m.All(), Marked: len(m.Marks)}
	strata := make([]truth.Stratum, len(m.Strata))
	for i, s := range m.Strata {
		strata[i].Size = s.Pairs
	}
	for _, mark := range m.Marks {
		s := &strata[mark.Stratum]
		switch mark.Mark {
		case right:
			r.Right, s.Right, s.Marked = r.Right+1, s.Right+1, s.Marked+1
		case wrong:
			r.Wrong, s.Marked = r.Wrong+1, s.Marked+1
		default:
			r.Unsure++
		}
	}
	near := truth.Stratified(strata)
	all := truth.Stratified(append(strata, truth.Stratum{Size: m.Same, Marked: m.Same, Right: m.Same}))
	if near.Trials > 0 {
		r.Near, r.All = &Share{near.Share, near.Low, near.High}, &Share{all.Share, all.Low, all.High}
	}
	return r
}

// Check returns an error unless the marks are of a sample of these pairs.
func (m *Marks) Check(p Population) error {
	if m.What != p.What || m.Same != p.Same || !slices.Equal(m.Strata, p.Strata) {
		return errors.New("the marks are of another result: give the files and flags with which the page was made")
	}
	return nil
}
