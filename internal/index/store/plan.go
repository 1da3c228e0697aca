package store

import (
	"cmp"
	"errors"
	"fmt"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/lsh"
	"simsearch/tables"
)

// What new segments are made for: the blocks of tables, the similarity of sets, and the bands of signatures. Bands
// are those that are named, or those that fit a similarity and a recall. A new index stores what is named. Segments
// that are added later have what is stored, and searches do, too.

const (
	// DefaultDistance is the distance in bits that tables are planned for if nobody names another one.
	DefaultDistance = 3
	// DefaultThreshold is the Jaccard similarity that sets are planned for if nobody names another one.
	DefaultThreshold = 0.8
)

// BandsOf returns the bands of a search, or none.
func BandsOf(search analysis.Search) lsh.Bands {
	return lsh.Bands{Bands: search.Bands, Rows: search.Rows}
}

// bands returns the bands of new segments for signatures of the given number of positions. If nobody has named a
// recall, and so few positions do not reach the default one, they are those that find the most. The error is
// lsh.ErrRecall, or says what is out of range.
func bands(search analysis.Search, positions int) (lsh.Bands, error) {
	if b := BandsOf(search); b != (lsh.Bands{}) {
		return b, nil
	}
	b, err := lsh.ChooseWithReserve(lsh.Requirements{
		Threshold: cmp.Or(search.Planned, DefaultThreshold), Recall: cmp.Or(search.Recall, lsh.DefaultRecall),
		Positions: positions, MaxRows: lsh.MaxRows,
	})
	if err == nil || search.Recall == 0 && errors.Is(err, lsh.ErrRecall) {
		err = b.Storable()
	}
	return b, err
}

// Choose checks what is wanted of an index with settings s, new or not, and returns what it stores of that. The error
// is lsh.ErrRecall, or says what is out of range.
func Choose(want analysis.Search, s analysis.Settings) (analysis.Search, error) {
	named := BandsOf(want)
	switch {
	case !(want.Recall >= 0 && want.Recall < 1):
		return want, fmt.Errorf("a recall of %v: want more than 0 and less than 1", want.Recall)
	case want.Planned != 0 && !(want.Planned > 0 && want.Planned <= 1):
		return want, fmt.Errorf("a planned Jaccard similarity of %v: want more than 0 and at most 1", want.Planned)
	}
	if !s.Sets() {
		want.Planned = 0
	}
	err := s.CheckBands()
	switch {
	case err != nil:
	case !s.Signatures():
		if named != (lsh.Bands{}) || want.Recall != 0 {
			err = errors.New("bands and their recall are about signatures, which the settings have none of")
		}
	case named != (lsh.Bands{}) && want.Recall != 0:
		err = errors.New("bands that are named need no recall to choose them")
	case named != (lsh.Bands{}):
		err = errors.Join(named.Fits(s.Positions), named.Storable())
	default:
		_, err = bands(want, s.Positions)
	}
	if err != nil {
		return want, err
	}
	return want, want.Check(s)
}

// Begin makes m, a new index, one for what is wanted and planned for a distance. Choose has checked it.
func (m *Manifest) Begin(want analysis.Search, distance int) error {
	if exact := want.Blocks - want.HeaderBlocks; want.Blocks > 0 {
		if _, err := blocks(m.Settings, want); err != nil {
			return err
		}
		if distance > exact {
			return fmt.Errorf("tables of %d of %d blocks find distance %d by equal headers, and are planned for distance %d",
				want.HeaderBlocks, want.Blocks, exact, distance)
		}
	}
	if m.Search = want; want.Planned == DefaultThreshold {
		m.Search.Planned = 0
	}
	return nil
}

// Agree returns what more segments of an index are made for: what it stores, and what is wanted beside that. The
// error is ErrSettings if the two differ, or lsh.ErrRecall.
func (m *Manifest) Agree(want analysis.Search) (analysis.Search, error) {
	has := m.Search
	if want.Blocks != 0 && (want.Blocks != has.Blocks || want.HeaderBlocks != has.HeaderBlocks) {
		stored := "the headers of tables are planned"
		if has.Blocks > 0 {
			stored = fmt.Sprintf("headers have %d of %d blocks", has.HeaderBlocks, has.Blocks)
		}
		return has, fmt.Errorf("%w: in this index %s, not %d of %d", analysis.ErrSettings, stored, want.HeaderBlocks, want.Blocks)
	}
	named, stored := BandsOf(want), BandsOf(has)
	switch {
	case named != (lsh.Bands{}) && named != stored:
		return has, fmt.Errorf("%w: in this index bands are %s, not %v", analysis.ErrSettings, describeBands(has), named)
	case want.Recall != 0 && (stored != (lsh.Bands{}) || has.Recall != 0 && want.Recall != has.Recall):
		return has, fmt.Errorf("%w: in this index bands are %s, not chosen for a recall of %v",
			analysis.ErrSettings, describeBands(has), want.Recall)
	}
	has.Planned, has.Recall = cmp.Or(want.Planned, has.Planned), cmp.Or(want.Recall, has.Recall)
	if !m.Settings.Signatures() {
		return has, nil
	}
	_, err := bands(has, m.Settings.Positions)
	return has, err
}

// describeBands says what the bands of an index are.
func describeBands(search analysis.Search) string {
	switch b := BandsOf(search); {
	case b != (lsh.Bands{}):
		return b.String()
	case search.Recall != 0:
		return fmt.Sprintf("chosen for a recall of %v", search.Recall)
	}
	return "chosen for each addition"
}

// mostCounting is the largest number of bytes for counting features of sets, which takes a quarter of the memory
// otherwise.
const mostCounting = 256 << 20

// WriteOptions completes the options of new segments of an index that are made for what Agree has returned, or what the
// manifest stores, in some memory.
func (m *Manifest) WriteOptions(o segment.WriteOptions, search analysis.Search, memory int64) (_ segment.WriteOptions, err error) {
	if o.Design, err = blocks(m.Settings, search); err != nil {
		return o, err
	}
	o.Distance, o.Threshold = cmp.Or(o.Distance, DefaultDistance), cmp.Or(search.Planned, DefaultThreshold)
	o.SetMemory = min(mostCounting, memory/4)
	if m.Settings.Signatures() {
		o.Bands, err = bands(search, m.Settings.Positions)
	}
	return o, err
}

// Blocks returns the design that was chosen by hand for the tables of an index, or one without bits.
func (m *Manifest) Blocks() (tables.Design, error) { return blocks(m.Settings, m.Search) }

func blocks(s analysis.Settings, search analysis.Search) (d tables.Design, err error) {
	if search.Blocks > 0 && s.Wide() {
		return d, fmt.Errorf("fingerprints of %d bits have tables of their own: leave out --blocks and --header-blocks", s.Bits)
	}
	if search.Blocks > 0 {
		d, err = tables.NewDesign(s.Bits, search.Blocks, search.HeaderBlocks)
	}
	return d, err
}
