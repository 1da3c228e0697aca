package intake

import (
	"bytes"
	"context"
	"strings"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
)

// GatheredSets yields the sets of documents with one id as one set, so that lines may be pairs such as a user and an
// item. If transpose is set, it yields for each item the set of the ids that have it. Sets come in the order in which
// their ids first appear, and have each item once, in the order of its first appearance. Sets without items are left
// out. isItem says of the last document whether its whole text is one item, as in the rows of a table; otherwise
// white space stands between items. White space within an item, or within an id that is an item, becomes _ in the
// sets.
//
// It holds each distinct id and item in memory, and 16 bytes for each of 4,194,304 pairs of an id and an item;
// other pairs go to temporary files. Errors of documents are yielded as they come, before the sets.
func GatheredSets(ctx context.Context, documents document.Seq, transpose bool,
	isItem func() bool) document.Seq {
	const pairsInMemory = 1 << 22
	return func(yield func(*document.Document, error) bool) {
		sorter := spill.NewSorter(disk.OS, "", pairsInMemory)
		defer func() { _ = sorter.Close() }() // losing a temporary file does no harm
		ids, items := names{known: map[string]uint32{}}, names{known: map[string]uint32{}}
		var keys []uint64
		for doc, err := range documents {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			id := ids.number(doc.ID)
			keys = keys[:0]
			add := func(item []byte) {
				set, of := id, items.number(item)
				if transpose {
					set, of = of, set
				}
				keys = append(keys, uint64(set)<<32|uint64(of))
			}
			if item := bytes.TrimSpace(doc.Text); isItem() && len(item) > 0 {
				add(item)
			} else if !isItem() {
				for item := range bytes.FieldsSeq(doc.Text) {
					add(item)
				}
			}
			if err := sorter.Add(keys); err != nil {
				yield(nil, err)
				return
			}
		}
		sets, of := &ids, &items
		if transpose {
			sets, of = of, sets
		}
		doc := document.Document{}
		last := ^uint64(0)
		end := func() bool {
			if last == ^uint64(0) {
				return true
			}
			doc.ID = append(doc.ID[:0], sets.name[last>>32]...)
			return yield(&doc, nil)
		}
		for key, err := range sorter.Sorted(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			switch {
			case key == last:
				continue
			case key>>32 != last>>32:
				if !end() {
					return
				}
				doc.Text = doc.Text[:0]
			default:
				doc.Text = append(doc.Text, ' ')
			}
			doc.Text = append(doc.Text, strings.Join(strings.Fields(of.name[uint32(key)]), "_")...)
			last = key
		}
		end()
	}
}

// names number texts in the order of their first appearance.
type names struct {
	known map[string]uint32
	name  []string
}

func (n *names) number(text []byte) uint32 {
	i, ok := n.known[string(text)]
	if !ok {
		i = uint32(len(n.name))
		n.name = append(n.name, string(text))
		n.known[n.name[i]] = i
	}
	return i
}
