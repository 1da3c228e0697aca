package dedup

import (
	"context"
	"sync"

	"simsearch/internal/clean/run"
	"simsearch/internal/match/join"
	"simsearch/internal/quality/explain"
)

// A removedRow is a line of the list of removed documents, with ids and a path that are escaped.
type removedRow struct {
	ID         string          `json:"id"`
	KeptID     string          `json:"kept_id"`
	Similarity float64         `json:"similarity"`
	Distance   *int            `json:"distance,omitempty"`  // in bits, of fingerprints
	Copy       float64         `json:"copy,omitempty"`      // how likely it is a copy of the kept one, with Options.Copy
	Contained  float64         `json:"contained,omitempty"` // the share that is in the kept one, if it is removed for that
	Source     string          `json:"source"`
	Reference  bool            `json:"reference,omitempty"` // the kept one is of the reference
	Differs    []string        `json:"differs,omitempty"`   // facts in which it differs from the kept one, as explain.FactKinds names them
	Verdict    explain.Verdict `json:"verdict,omitempty"`   // on it and the kept one, unless they are pictures or fingerprints
	// Number is which document of its source it is, from 1, if others there have its id, or with Options.Lossless.
	Number uint32     `json:"number,omitempty"`
	Inside *insideRow `json:"inside,omitempty"` // with Options.Lossless
}

// A goneRow is a line of the list of documents of which nothing is left.
type goneRow struct {
	ID     string `json:"id"`
	Parts  int    `json:"parts"` // that are cut
	Source string `json:"source"`
}

// isRemoved reports whether a document is removed.
func (d *Decisions) isRemoved(doc uint32) bool {
	if d.c.Ends != nil {
		return d.removed[doc]
	}
	return d.kept[doc] != doc
}

func (d *Decisions) writeRemoved(ctx context.Context) error {
	c, first := d.c, d.c.Starts[d.c.Refs]
	again := make([]func() map[string]bool, len(c.Files))
	for file := range again {
		again[file] = sync.OnceValue(func() map[string]bool { return d.repeatedIDs(file) })
	}
	return c.writeRows(ctx, run.RemovedName, len(c.Lengths)-int(first), func(_ context.Context, i int, row func(any) error) error {
		doc := first + uint32(i)
		if !d.isRemoved(doc) {
			return nil
		}
		file := c.fileOf(doc)
		id, source := escaped(c.ID(doc)), escaped(c.Files[file].Path)
		if c.Ends != nil {
			gone := goneRow{ID: id, Source: source}
			for part, to := c.units(doc, doc+1); part < to; part++ {
				if d.kept[part] != part {
					gone.Parts++
				}
			}
			return row(gone)
		}
		similarity := d.similarity(doc)
		r := removedRow{ID: id, KeptID: escaped(c.ID(d.kept[doc])), Similarity: similarity,
			Distance: distanceOf(&c.Options, similarity), Contained: d.contained(doc), Copy: d.copyOf(doc), Source: source,
			Reference: d.kept[doc] < first, Differs: differs(d, doc).Names(), Verdict: verdict(d, doc), Inside: d.insideOf(doc)}
		if r.Inside != nil || again[file]()[string(c.ID(doc))] {
			r.Number = c.Number(file, doc)
		}
		return row(r)
	})
}

// repeatedIDs returns the ids of removed documents of a file that other documents there have, too.
func (d *Decisions) repeatedIDs(file int) map[string]bool {
	if !d.c.isWhole() { // each row has an id of its own
		return nil
	}
	again := map[string]bool{}
	for _, removed := range []bool{true, false} {
		for doc := d.c.Starts[file]; doc < d.c.Starts[file+1]; doc++ {
			if d.isRemoved(doc) != removed {
				continue
			}
			id := string(d.c.ID(doc))
			if _, known := again[id]; known || removed {
				again[id] = known
			}
		}
		if len(again) == 0 {
			break
		}
	}
	return again
}

// A clusterRow is a line of the list of clusters.
type clusterRow struct {
	Cluster       int      `json:"cluster"` // from 1
	Size          int      `json:"size"`
	KeptID        string   `json:"kept_id"`
	IDs           []string `json:"ids"` // the one that is kept first
	MinSimilarity float64  `json:"min_similarity"`
	MaxDistance   *int     `json:"max_distance,omitempty"` // in bits, of fingerprints
	Estimated     bool     `json:"estimated,omitempty"`    // only some pairs of so large a cluster were compared
}

func (d *Decisions) writeClusters(ctx context.Context) (clusters []join.Group, err error) {
	clusters = join.Groups(d.kept)
	most := join.MeasuredOf(func(yield func(int) bool) {
		for _, g := range clusters {
			if !yield(len(g.Documents)) {
				return
			}
		}
	})
	err = d.c.writeRows(ctx, ClustersName, len(clusters), func(ctx context.Context, i int, row func(any) error) error {
		r, err := d.measure(ctx, i, clusters[i], most)
		if err != nil {
			return err
		}
		return row(r)
	})
	return clusters, err
}

// measure returns the row of a cluster, of which up to most distinct documents are compared with each other.
func (d *Decisions) measure(ctx context.Context, i int, g join.Group, most int) (clusterRow, error) {
	r := clusterRow{Cluster: i + 1, Size: len(g.Documents), KeptID: escaped(d.c.ID(g.Representative)), MinSimilarity: 1}
	r.IDs = append(r.IDs, r.KeptID)
	for _, doc := range g.Documents {
		if doc != g.Representative {
			r.IDs = append(r.IDs, escaped(d.c.ID(doc)))
		}
	}
	sets, kept := join.Distinct(g.Documents, g.Representative, func(doc uint32) (uint32, bool) { return d.c.SetOf[doc], true })
	var err error
	r.Estimated, err = join.Comparisons(ctx, len(sets), kept, most, func(a, b int) error {
		r.MinSimilarity = min(r.MinSimilarity, d.between(sets[a], sets[b]))
		return nil
	})
	r.MaxDistance = distanceOf(&d.c.Options, r.MinSimilarity)
	return r, err
}

// between returns the similarity of two sets. That of a set to the one that is kept for it is known.
func (d *Decisions) between(a, b uint32) (similarity float64) {
	switch {
	case d.centers[a] == b:
		return d.near[a]
	case d.centers[b] == a:
		return d.near[b]
	}
	similarity, _ = d.nearness(a, b)
	return similarity
}
