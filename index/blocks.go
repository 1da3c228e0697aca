package index

import (
	"fmt"

	"simsearch/analysis"
	"simsearch/internal/store"
	"simsearch/tables"
)

// chooseBlocks decides which blocks the tables of the index have: those of an index that exists, or those
// that the options name. The error is ErrSettings if the two differ, or says what is out of range.
func (w *Writer) chooseBlocks() error {
	want, has := &w.o.Search, w.dir.Manifest.Search
	if want.Blocks == 0 {
		return nil
	}
	if w.New() {
		return checkBlocks(*want, w.dir.Manifest.Settings.Bits, w.o.Distance)
	}
	if want.Blocks == has.Blocks && want.HeaderBlocks == has.HeaderBlocks {
		return nil
	}
	stored := "the headers of tables are planned"
	if has.Blocks > 0 {
		stored = fmt.Sprintf("headers have %d of %d blocks", has.HeaderBlocks, has.Blocks)
	}
	return fmt.Errorf("%w: in this index %s, not %d of %d", analysis.ErrSettings, stored, want.HeaderBlocks, want.Blocks)
}

// blocksDesign returns the design that was chosen by hand for the tables of an index, or one without bits.
func blocksDesign(m *store.Manifest) (d tables.Design, err error) {
	if m.Search.Blocks > 0 {
		d, err = tables.Combinations(m.Settings.Bits, m.Search.Blocks, m.Search.HeaderBlocks)
	}
	return d, err
}

// checkBlocks returns an error if tables of the blocks of a search do not find distance k by equal headers,
// or are too many.
func checkBlocks(s analysis.Search, bits, k int) error {
	if _, err := tables.Combinations(bits, s.Blocks, s.HeaderBlocks); err != nil {
		return err
	}
	if exact := s.Blocks - s.HeaderBlocks; k > exact {
		return fmt.Errorf("tables of %d of %d blocks find distance %d by equal headers, and are planned for distance %d", s.HeaderBlocks, s.Blocks, exact, k)
	}
	return nil
}
