package store

import (
	"context"
	"errors"
	"slices"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index/segment"
)

// A Swap is a change of the parts of a state on the disk: one segment takes the place of some parts, its inputs, and
// what has been deleted is written. State.Begin begins it. Gather and Write make the segment, while the state may be
// changed. State.Plan says what goes to the manifest, Name writes it there, and State.Install puts it in the state.
// State.End ends it.
type Swap struct {
	layout segment.Layout
	inputs []input
	merged *held       // nil before Write, or if nothing is left of the inputs
	after  []partAfter // the parts on the disk, with merged in the place of the inputs
}

// A partAfter is what the manifest says of a part, as others change the part later.
type partAfter struct {
	segment.Ref
	gone  *segment.Deleted // nil if the disk has what is deleted
	empty bool             // no document is left
}

// An input is a part that is merged, and its documents as they are merged.
type input struct {
	*held
	shown *Part // the state may have let go of the part, if nothing is left of it
}

// Begin begins a swap of parts on the disk or, if memory is set, of all those in memory. They stay until End, which
// must be called after an error, too.
func (s *State) Begin(ctx context.Context, parts []*Part, memory bool) (*Swap, error) {
	w := &Swap{layout: s.layout}
	shown, err := s.Show(ctx)
	if err != nil {
		return w, err
	}
	_ = ReleaseAll(shown) // the state has them
	for _, h := range s.parts {
		if h.Memory != memory || !memory && !slices.ContainsFunc(parts, func(p *Part) bool { return p.Ref.Name == h.Ref.Name }) {
			continue
		}
		if h.busy {
			return w, errors.New("index: a part is merged twice")
		}
		h.busy = true
		w.inputs = append(w.inputs, input{h, h.Hold()})
	}
	return w, nil
}

// End ends a swap. After an error the parts are what they were.
func (s *State) End(w *Swap) {
	for _, in := range w.inputs {
		in.busy = false
		_ = in.shown.Release() // the last user of a part that was read has nothing to lose
	}
}

// Gather adds the documents of the inputs to b, as Begin found them.
func (w *Swap) Gather(ctx context.Context, b *segment.Builder) error {
	for _, in := range w.inputs {
		if err := disk.Guarded(func() error { return b.AddSegment(ctx, in.shown.Segment) }); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the segment of the documents of b to a file of d called name.
func (w *Swap) Write(ctx context.Context, d *Dir, b *segment.Builder, name string, o segment.WriteOptions) error {
	var ref segment.Ref
	err := disk.Guarded(func() (err error) {
		ref, err = b.Write(ctx, d.FS, d.Path, name, o)
		return err
	})
	if err != nil {
		return err
	}
	p, err := openPart(d.FS, d.Path, ref, w.layout, 0)
	if err != nil {
		d.Remove(name)
		return err
	}
	w.merged = &held{Part: p}
	return nil
}

// Append writes the segment of the documents of b behind the others, after Name, and names it in next.
func (w *Swap) Append(ctx context.Context, d *Dir, next *Manifest, b *segment.Builder, name string, o segment.WriteOptions) error {
	if err := w.Write(ctx, d, b, name, o); err != nil {
		return err
	}
	next.Segments = append(next.Segments, w.merged.Ref)
	w.after = append(w.after, partAfter{Ref: w.merged.Ref})
	return nil
}

// Drop drops the segment that Write has made. It removes the file if certain says that no manifest names it.
func (w *Swap) Drop(d *Dir, certain bool) {
	if w.merged == nil {
		return
	}
	if _ = w.merged.Release(); certain {
		d.Remove(w.merged.Ref.Name)
	}
}

// Plan plans the change of the manifest. What has been deleted until now goes to the disk.
func (s *State) Plan(w *Swap) {
	w.deleteSince()
	w.after = nil
	for _, h := range s.replaced(w) {
		p := partAfter{Ref: h.Ref}
		if d := h.deleted(); d.Count() > 0 && (h.Ref.Deleted == nil || h.Ref.Deleted.Documents != uint64(d.Count())) {
			p.gone, p.empty = d.Clone(), uint64(d.Count()) == h.Stored()
		}
		w.after = append(w.after, p)
	}
}

// Files returns how many files Name writes: those of parts that have lost some of their documents, but not all.
func (w *Swap) Files() (n int) {
	for _, p := range w.after {
		if p.gone != nil && !p.empty {
			n++
		}
	}
	return n
}

// Name writes the documents that are deleted, and names the segments in next. Those without a live document leave the
// index.
func (w *Swap) Name(d *Dir, next *Manifest, names *Names) error {
	next.Segments = []segment.Ref{}
	for i := range w.after {
		p := &w.after[i]
		if p.empty {
			continue
		}
		if p.gone != nil {
			var err error
			if p.Deleted, err = p.gone.Write(d.FS, d.Path, names.Take(DeletedExtension)); err != nil {
				return err
			}
		}
		next.Segments = append(next.Segments, p.Ref)
	}
	return nil
}

// Install makes the parts those that the manifest of d names, after Name.
func (s *State) Install(w *Swap, d *Dir) {
	w.deleteSince() // what was deleted while the manifest was written
	named := func(h *held) int {
		return slices.IndexFunc(w.after, func(p partAfter) bool { return p.Name == h.Ref.Name && !p.empty })
	}
	if w.merged != nil && named(w.merged) < 0 { // nothing is left of the inputs
		w.Drop(d, true)
	}
	var parts []*held
	for _, h := range s.replaced(w) {
		if i := named(h); i >= 0 {
			p := *h.Part
			p.Ref = w.after[i].Ref
			h.Part = &p
			parts = append(parts, h)
		} else if h != w.merged { // no document is left
			_ = h.Release()
		}
	}
	for _, h := range s.parts {
		switch {
		case w.has(h):
			_ = h.Release()
		case h.Memory:
			parts = append(parts, h)
		}
	}
	s.parts = parts
}

// has reports whether h is one of the inputs.
func (w *Swap) has(h *held) bool {
	return slices.ContainsFunc(w.inputs, func(in input) bool { return in.held == h })
}

// replaced returns the parts on the disk with the merged one, if there is one, in the place of the inputs.
func (s *State) replaced(w *Swap) (parts []*held) {
	merged := w.merged
	for _, h := range s.parts {
		switch {
		case w.has(h):
			if merged != nil {
				parts = append(parts, merged)
				merged = nil
			}
		case !h.Memory:
			parts = append(parts, h)
		}
	}
	if merged != nil && len(w.inputs) == 0 { // it has been appended
		parts = append(parts, merged)
	}
	return parts
}

// deleteSince deletes from the merged part the documents that were deleted from inputs since Begin.
func (w *Swap) deleteSince() {
	if w.merged == nil {
		return
	}
	start := uint32(0)
	for _, in := range w.inputs {
		live := uint32(in.shown.Documents())
		if now := in.deleted(); now.Count() > in.shown.Deleted().Count() {
			for number := range live {
				if !now.Has(in.shown.Deleted().At(number)) {
					continue
				}
				if w.merged.gone == nil {
					w.merged.gone = segment.NewDeleted(w.merged.Stored())
				}
				w.merged.gone.Delete(start + number)
			}
		}
		start += live
	}
}

// Parts returns the parts on the disk, as they were shown last. The state has them.
func (s *State) Parts() (parts []*Part) {
	for _, h := range s.parts {
		if !h.Memory {
			parts = append(parts, h.Part)
		}
	}
	return parts
}

// Mergeable returns neighbours on the disk that should be merged next, if merging takes at most so many bytes of
// memory.
func (s *State) Mergeable(most int64) []*Part {
	var parts []*Part
	var refs []segment.Ref
	for _, h := range s.parts {
		if h.Memory || h.busy {
			break
		}
		ref := h.Ref
		if n := h.deleted().Count(); n > 0 {
			ref.Deleted = &segment.DeletedRef{Documents: uint64(n)}
		}
		parts, refs = append(parts, h.Part), append(refs, ref)
	}
	from, to := mergeable(refs, most, func(i int) int64 { return parts[i].BuildMemory() })
	return parts[from:to]
}
