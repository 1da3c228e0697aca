package wide

import (
	"fmt"
	"slices"

	"simsearch/tables"
)

// Group sorts documents by fingerprint, as tables.Group does. The values have so many words each, and so have the Values of the result.
// Documents must be in ascending order. It sorts both slices in place, and the result refers to them.
func Group(values []uint64, words int, documents []uint32) tables.Groups {
	Sort(values, words, documents)
	g := tables.Groups{Values: values[:0], Member: documents}
	for i := range documents {
		v := values[i*words : (i+1)*words]
		if i == 0 || !slices.Equal(v, g.Values[len(g.Values)-words:]) {
			g.Values = append(g.Values, v...) // never past i
			g.Ends = append(g.Ends, uint32(i))
		}
	}
	g.Ends = append(g.Ends, uint32(len(documents)))
	return g
}

// Describe says in words what tables n fingerprints of a width have.
func Describe(n, width int) string { return outline(n, width).describe() }

func (t *Tables) describe() string {
	if len(t.tables) == 0 {
		return fmt.Sprintf("no tables of so few fingerprints of %d bits", t.width)
	}
	return fmt.Sprintf("%d tables by blocks of %d bits, directories of %d bits", len(t.tables), blockBits, t.keyBits)
}

// Explain says in words what the tables are, and how a query within distance k uses them if fingerprints are spread evenly.
func (t *Tables) Explain(k int) string {
	thresholds, planned := t.choose(nil, k, t.uniform)
	if !planned {
		return fmt.Sprintf("%s; a query within %d compares all %d fingerprints", t.describe(), k, t.n)
	}
	keys := 0
	for _, threshold := range thresholds {
		for d := range threshold + 1 {
			keys += len(masksOf(t.keyBits).at(d))
		}
	}
	return fmt.Sprintf("%s; a query within %d looks up %d keys", t.describe(), k, keys)
}
