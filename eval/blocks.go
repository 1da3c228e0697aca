package eval

import (
	"context"
	"fmt"

	"simsearch/internal/terminal"
	"simsearch/tables"
)

// mostTables limits the tables of designs that are measured.
const mostTables = 64

// A layout is tables that are measured.
type layout struct {
	name   string
	design tables.Design
}

// choices returns the layouts of all choices of g of G blocks that find distance k, for each g and each
// G up to k + 5, and the layout that the planner chooses among n fingerprints.
func choices(width, n, k int) []layout {
	var out []layout
	for blocks := k + 1; blocks <= min(k+5, width); blocks++ {
		for g := 1; g <= blocks-k; g++ {
			if d, err := tables.Combinations(width, blocks, g); err == nil && len(d.Permutations()) <= mostTables {
				out = append(out, layout{fmt.Sprintf("all choices, G = %d, g = %d", blocks, g), d})
			}
		}
	}
	return append(out, layout{"the planner's", tables.Choose(width, n, k, 0).Design})
}

// searchBlocks measures tables by all choices of blocks. want
// are the pairs of values within distance k.
func searchBlocks(ctx context.Context, c *Collection, s *Section, values []uint64, k int, want [][2]uint32) error {
	width := c.Settings.Bits
	queries := queriesOf(c.random("blocks"), values)
	s.Text = append(s.Text, fmt.Sprintf("Tables chosen by hand (index --blocks G --header-blocks g) have all choices of g of G blocks as headers, and miss nothing within G − g bits. "+
		"Times and bytes are of %s; a query that tables would make slower compares all.", terminal.Plural(len(values), "fingerprint")))
	t := s.AddTable(fmt.Sprintf("Choices of tables within %d bits of %s", k, terminal.Plural(len(values), "fingerprint")),
		"tables by", "tables", "header bits", "entries a probe", "bytes a fingerprint", "µs a query", "seconds a join", "missed")
	row := func(l layout) (err error) {
		tb := tables.Build(values, l.design)
		query := timed(func() {
			for _, q := range queries {
				if _, nearErr := tb.Near(nil, q, k); err == nil {
					err = nearErr
				}
			}
		})
		if err != nil {
			return err
		}
		var got [][2]uint32
		join := timed(func() { got, err = pairsBy(ctx, values, l.design, k) })
		t.Add(l.name, len(l.design.Permutations()), l.design.HeaderBits(), l.design.EntriesAProbe(len(values)),
			float64(tb.Bytes())/float64(len(values)), query/float64(len(queries))*1e6, join, NewRate(difference(want, got), len(want)))
		return err
	}
	for _, l := range choices(width, len(values), k) {
		if err := row(l); err != nil {
			return err
		}
	}
	return nil
}

// pairsBy returns the pairs of values within distance k that have an equal header in a design, as ascending
// indices.
func pairsBy(ctx context.Context, values []uint64, d tables.Design, k int) (out [][2]uint32, err error) {
	err = tables.Pairs(ctx, values, d.Width(), k, tables.PairOptions{Threads: 1, Design: d}, func(p tables.Pair) error {
		out = append(out, [2]uint32{p.A, p.B})
		return nil
	})
	return out, err
}
