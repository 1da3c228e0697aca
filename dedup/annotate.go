package dedup

import "simsearch/internal/rewrite"

// annotations returns the fields of Options.Annotate.
func (o *Options) annotations() []rewrite.Field {
	fields := []rewrite.Field{
		{Name: "dup_cluster", Kind: rewrite.Int}, {Name: "dup_size", Kind: rewrite.Int}, {Name: "dup_kept", Kind: rewrite.Bool},
		{Name: "dup_kept_id", Kind: rewrite.String}, {Name: "dup_similarity", Kind: rewrite.Float},
	}
	if o.byDistance() {
		fields = append(fields, rewrite.Field{Name: "dup_distance", Kind: rewrite.Int})
	}
	return fields
}

// notes returns a function for the values of the annotations of a document.
func (d *Decisions) notes(clusters []cluster) func(doc uint32) []any {
	if !d.c.o.Annotate {
		return nil
	}
	number := map[uint32]int{} // of the cluster of each kept document
	for i, g := range clusters {
		number[g.kept] = i
	}
	byDistance := d.c.o.byDistance()
	return func(doc uint32) []any {
		kept := d.kept[doc]
		i, ok := number[kept]
		values := []any{nil, int64(1), true, nil, nil}
		if ok {
			values[0], values[1] = int64(i+1), int64(len(clusters[i].documents))
		}
		if kept != doc {
			values[2], values[3], values[4] = false, string(d.c.id(kept)), d.similarity(doc)
		}
		switch {
		case byDistance && kept != doc:
			values = append(values, int64(d.distance(doc)))
		case byDistance:
			values = append(values, nil)
		}
		return values
	}
}
