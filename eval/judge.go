package eval

import (
	"context"

	"simsearch/analysis"
	"simsearch/index"
)

// Judge returns the precision and the recall of one search by settings on a collection of LoadTexts. Near in truth is
// what Choices says. The intervals are those of Advise: they count groups of documents, and are for as many other texts
// of the same kind.
func Judge(ctx context.Context, c *Collection, settings analysis.Settings, by index.Predicate) (precision, recall Rate, err error) {
	a := &adviser{c: c, verdicts: c.verdicts()}
	return a.measure(ctx, settings, by)
}
