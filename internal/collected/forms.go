package collected

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"simsearch/internal/spill"
)

// A short line is compared for near ones only if it is a form that stands on pages all over the collection, such as "We use 128
// cookies to improve your experience": lines that are equal but for a number or two. What else differs in one number is what
// texts have to say: rows of tables, results, prices. So a form
//
//   - has eight words beside each number (parts.Form), so that lines that differ in numbers are near by the usual similarity, too;
//   - stands in a tenth of the documents, and in formDocuments at least;
//   - stands in no document twice with different numbers, as rows do.
//
// Long parts need no such rule: a number is little of what they say.
const (
	formDocuments = 20
	formShare     = 10 // one of so many documents
)

// leaveRows leaves the sets of short parts out of the comparison that are no such forms: they lose their features. All has been read.
func (c *Collection) leaveRows(ctx context.Context) (err error) {
	if len(c.formSets) == 0 {
		return nil
	}
	isForm := c.forms()
	isRow := make([]bool, len(c.Sizes))
	for i, set := range c.formSets {
		isRow[set] = !isForm[i]
	}
	if !slices.Contains(isForm, false) {
		return nil
	}
	whole, sizes := c.sets, slices.Clone(c.Sizes)
	c.sets = &spill.Lists{Bytes: spill.NewBytes(c.Options.FS, c.Options.Temp, spill.Holds)}
	err = c.scan(ctx, whole, sizes, func(set uint32, features []uint64) error {
		if isRow[set] {
			c.Sizes[set] = 0
			c.features -= uint64(len(features))
			return nil
		}
		c.sets.Add(features)
		return c.sets.Flush()
	})
	return errors.Join(err, whole.Close())
}

// forms reports of each of c.formSets whether its form is one that is cut.
func (c *Collection) forms() []bool {
	type form struct {
		documents int
		last      uint32 // the document that it was found in last, plus 1
		set       uint32 // the set that it was there
		rows      bool   // a document has two sets of it
	}
	order := make([]int, len(c.formSets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.formKeys[a], c.formKeys[b]) })
	var all []form
	of := make([]uint32, len(c.Sizes)) // the number of the form of a set, from 1
	for n, i := range order {
		if n == 0 || c.formKeys[i] != c.formKeys[order[n-1]] {
			all = append(all, form{})
		}
		of[c.formSets[i]] = uint32(len(all))
	}
	documents := uint32(len(c.Lengths))
	for doc := range documents {
		from, to := c.Units(doc, doc+1)
		for unit := from; unit < to; unit++ {
			set := c.SetOf[unit]
			if set == NoSet || of[set] == 0 {
				continue
			}
			f := &all[of[set]-1]
			if f.last != doc+1 {
				f.documents++
			} else if f.set != set {
				f.rows = true
			}
			f.last, f.set = doc+1, set
		}
	}
	is := make([]bool, len(c.formSets))
	for i, set := range c.formSets {
		f := &all[of[set]-1]
		is[i] = !f.rows && f.documents >= formDocuments && formShare*f.documents >= int(documents)
	}
	return is
}
