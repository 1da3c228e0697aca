package options

import (
	"errors"
	"fmt"

	"simsearch/analysis"
	"simsearch/index"
)

// setBlocks sets the blocks of tables that are chosen by hand, as the flags say. o.Distance is the distance
// that the tables are planned for.
func setBlocks(c *Flags, s analysis.Settings, o *index.WriterOptions) error {
	if !s.Fingerprints() && !c.Blocks.Given && !c.HeaderBlocks.Given {
		return nil // the configuration file speaks of indexes with fingerprints
	}
	has, chosen := c.Blocks.Has(), c.HeaderBlocks.Has()
	blocks, headerBlocks, k := c.Blocks.Value, c.HeaderBlocks.Value, o.Distance
	switch {
	case !has && !chosen:
		return nil
	case has != chosen:
		return errors.New("--blocks and --header-blocks go together: tables for each choice of 3 of 6 blocks are --blocks 6 --header-blocks 3")
	case !s.Fingerprints():
		return fmt.Errorf("--blocks and --header-blocks are about tables of fingerprints: they want --mode simhash or both, not %s", s.Mode)
	case blocks < 2 || blocks > s.Bits:
		return fmt.Errorf("--blocks %d: want 2 to %d, the bits of a fingerprint", blocks, s.Bits)
	case headerBlocks < 1 || headerBlocks >= blocks:
		return fmt.Errorf("--header-blocks %d: want %s, fewer than --blocks %d", headerBlocks, upTo(blocks-1), blocks)
	case !c.PlanK.Has():
		// Nobody has asked for a distance: the tables find this one by equal headers, and any other by more.
		o.Distance = min(k, blocks-headerBlocks)
	case blocks <= k:
		return fmt.Errorf("--blocks %d: want %d to %d, more than the distance planned for (--plan-k %d) and at most the bits of a fingerprint", blocks, k+1, s.Bits, k)
	case headerBlocks > blocks-k:
		return fmt.Errorf("--header-blocks %d: want %s, so that two fingerprints within distance %d have an equal header in some table; more want more --blocks than %d, or a --plan-k below %d", headerBlocks, upTo(blocks-k), k, blocks, k)
	}
	o.Search.Blocks, o.Search.HeaderBlocks = blocks, headerBlocks
	return nil
}

// upTo says which numbers are wanted from 1 to n.
func upTo(n int) string {
	if n == 1 {
		return "1"
	}
	return fmt.Sprintf("1 to %d", n)
}
