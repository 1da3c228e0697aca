package tables

import (
	"sync"

	"simsearch/internal/disk"
)

// Tables that were written before there were lines have other sections. Nobody reads these: the tables are made anew of the values, in
// memory, when they are first searched. This takes about as long as it took to write them. A merge writes tables as they are now.

// A later makes tables when they are first searched.
type later struct {
	once sync.Once
	err  error
}

// older returns t with outlines of tables.
func (t *Tables) older() *Tables {
	t.later = new(later)
	t.outline()
	t.finish()
	return t
}

// outline makes outlines of the tables.
func (t *Tables) outline() {
	for i := range t.design.permutations {
		t.tables = append(t.tables, t.design.outline(len(t.values), i))
	}
}

// Older reports whether the tables were written by a version of which only the values are read, so that the first search makes them
// anew.
func (t *Tables) Older() bool { return t.later != nil }

// ready makes the tables if they are older ones and this is the first search.
func (t *Tables) ready() error {
	if t.later == nil {
		return nil
	}
	t.later.once.Do(func() {
		if t.later.err = t.checkValues(); t.later.err == nil {
			t.fill()
		}
	})
	return t.later.err
}

// fill makes the directory of the values, and the tables.
func (t *Tables) fill() {
	t.dir.Build(t.values)
	scratch := disk.LargePages(make([]uint64, 2*len(t.values)))
	for i := range t.design.permutations {
		made := t.design.newTable(t.values, i, scratch)
		t.tables[i].Buckets, t.tables[i].entries = made.Buckets, made.entries // others may be reading the outline
	}
}
