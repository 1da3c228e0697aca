package index

import (
	"cmp"
	"errors"
	"fmt"

	"simsearch/analysis"
	"simsearch/internal/store"
	"simsearch/lsh"
)

// The bands of new segments are those that WriterOptions.Bands names, or those that fit a threshold and a
// recall. The first commit stores bands or recall, if the options name them. Segments that are added later
// have what is stored, and searches do, too.

// chooseBands chooses the bands, if a weight of misses alone is to do so, and checks those that are named.
// The error is lsh.ErrRecall, or says what is out of range.
func (o *WriterOptions) chooseBands(s analysis.Settings) error {
	if !s.Signatures() {
		if o.Bands != (lsh.Bands{}) || o.Recall != 0 || o.Misses != 0 {
			return errors.New("bands, their recall and the weight of what they miss are about signatures, which the settings have none of")
		}
		return nil
	}
	switch {
	case o.Bands != (lsh.Bands{}) && (o.Recall != 0 || o.Misses != 0):
		return errors.New("bands that are named need no recall and no weight of misses to choose them")
	case o.Bands != (lsh.Bands{}):
		return errors.Join(o.Bands.Fits(s.Positions), o.Bands.Storable())
	case o.Misses != 0 && o.Recall == 0:
		var err error
		o.Bands, err = lsh.Choose(o.requirements(s.Positions, 0))
		o.weighs, o.Misses = o.Misses, 0
		return err
	}
	_, err := o.bands(s.Positions)
	return err
}

func (o *WriterOptions) requirements(positions int, recall float64) lsh.Requirements {
	return lsh.Requirements{Threshold: o.Threshold, Recall: recall, Positions: positions, MaxRows: lsh.MaxRows, Misses: o.Misses}
}

// bands returns the bands of new segments for signatures of the given number of positions. The
// error is lsh.ErrRecall, or says what is out of range.
func (o *WriterOptions) bands(positions int) (lsh.Bands, error) {
	if o.Bands != (lsh.Bands{}) {
		return o.Bands, nil
	}
	b, err := lsh.ChooseWithReserve(o.requirements(positions, cmp.Or(o.Recall, lsh.DefaultRecall)))
	if err == nil {
		err = b.Storable()
	}
	return b, err
}

// stored returns the search that a new index stores, with sets or without.
func (o *WriterOptions) stored(sets bool) analysis.Search {
	search := o.Search
	if search.Bands == 0 && search.Recall == 0 {
		search.Recall, search.Bands, search.Rows = o.Recall, o.Bands.Bands, o.Bands.Rows
		search.Misses = cmp.Or(o.weighs, o.Misses)
	}
	if o.Threshold != DefaultThreshold && sets {
		search.Planned = o.Threshold
	}
	return search
}

// bandsOf returns the bands that are stored for an index, or none.
func bandsOf(search analysis.Search) lsh.Bands {
	return lsh.Bands{Bands: search.Bands, Rows: search.Rows}
}

// useBands makes the options those that the index stores. The error is ErrSettings if they name others, or
// lsh.ErrRecall.
func (o *WriterOptions) useBands(m *store.Manifest) error {
	search, has := m.Search, bandsOf(m.Search)
	switch {
	case o.Bands != (lsh.Bands{}) && o.Bands != has:
		return fmt.Errorf("%w: in this index bands are %s, not %v", ErrSettings, describeBands(has, search.Recall), o.Bands)
	case has != (lsh.Bands{}) && o.Recall != 0, search.Recall != 0 && o.Recall != 0 && o.Recall != search.Recall:
		return fmt.Errorf("%w: in this index bands are %s, not chosen for a recall of %v", ErrSettings, describeBands(has, search.Recall), o.Recall)
	}
	o.Bands = has
	if o.Recall == 0 {
		o.Recall = search.Recall
	}
	if o.Misses == 0 && has == (lsh.Bands{}) {
		o.Misses = search.Misses
	}
	if !m.Settings.Signatures() {
		return nil
	}
	_, err := o.bands(m.Settings.Positions)
	return err
}

// describeBands says what the bands of an index are.
func describeBands(b lsh.Bands, recall float64) string {
	switch {
	case b != (lsh.Bands{}):
		return b.String()
	case recall != 0:
		return fmt.Sprintf("chosen for a recall of %v", recall)
	}
	return "chosen for each addition"
}
