package segment

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/files/document"
)

// Rows that are added together are those that are added one by one, whatever is between them.
func TestAddRows(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var together, singly IDList
		row := map[string]int{}
		for range rng.IntN(40) {
			name := []string{"a.u64#", "b", "c0", "x"}[rng.IntN(4)]
			n := []int{1, 2, rowsPerRun, rowsPerRun + 1, 512}[rng.IntN(5)]
			if rng.IntN(10) == 0 {
				row[name] += rng.IntN(5)
			}
			row[name]++
			if name == "x" && rng.IntN(10) > 0 { // an id that is no row
				together.Add([]byte("name"))
				singly.Add([]byte("name"))
				continue
			}
			together.AddRows(fmt.Append(nil, name, row[name]), n)
			for i := range n {
				singly.Add(fmt.Append(nil, name, row[name]+i))
			}
			row[name] += n - 1
		}
		if !slices.Equal(slices.Collect(together.All()), slices.Collect(singly.All())) || (together.Runs() == nil) != (singly.Runs() == nil) {
			t.Fatalf("%d ids, want %d, or others", together.Len(), singly.Len())
		}
	}
}

// Singly yields each row with its own id and line, others as they are, and ends when it is told to.
func TestSingly(t *testing.T) {
	stop := errors.New("stop")
	documents := func(yield func(*document.Document, error) bool) {
		_ = yield(&document.Document{ID: []byte("t"), Text: []byte("a text")}, nil) &&
			yield(&document.Document{ID: []byte("a#9"), Line: 9, HasFingerprint: true, Fingerprint: 5, Rows: []uint64{5, 6, 7}, Source: "a"}, nil) && yield(nil, stop)
	}
	all := func(most int) (got []string) {
		for doc, err := range Singly(iter.Seq2[*document.Document, error](documents)) {
			if err != nil {
				return append(got, err.Error())
			}
			got = append(got, fmt.Sprintf("%s %s %d %d %s %d", doc.ID, doc.Text, doc.Line, doc.Fingerprint, doc.Source, len(doc.Rows)))
			if len(got) == most {
				break
			}
		}
		return got
	}
	want := []string{"t a text 0 0  0", "a#9  9 5 a 0", "a#10  10 6 a 0", "a#11  11 7 a 0", "stop"}
	for most := 1; most <= len(want); most++ {
		if got := all(most); !slices.Equal(got, want[:most]) {
			t.Errorf("%q, want %q", got, want[:most])
		}
	}
}
