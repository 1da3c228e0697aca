package join

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/ground/ints"
)

// A Relation says which of some things are near each other. The things are numbered from 0. They are distinct sets of
// features (Sets), distinct fingerprints (Fingerprints), or documents whose near pairs are known (GroupPairs).
type Relation interface {
	// Len returns the number of things.
	Len() int

	// list returns the Relation as it is known when the things have been compared at a similarity of t: a pairList if
	// few pairs are near. weights has the number of documents of each thing. Unless it is nil, degrees are about how
	// many documents are near each thing, or the sizes of sets if the largest come first.
	list(ctx context.Context, t float64, weights []uint32, o Options) (known Relation, degrees []uint32, err error)
	// stars is Grouper.Stars without a list of pairs: it looks up centers alone.
	stars(ctx context.Context, t float64, order []uint32, first int, o Options) ([]uint32, error)
	// connect joins, in connected, all things that pairs with a similarity of at least t connect.
	connect(ctx context.Context, t float64, o Options, connected ints.DisjointSets) error
}

// A Grouper divides the things of a Relation into groups, at a threshold of similarity or any higher one. If near
// pairs are few, it lists them once, and all answers come from the list. Otherwise stars are found by looking up
// centers alone, so that a crowd of things that are all near each other costs little: of sets, those of things in
// crowds, and of fingerprints, all. The answers are the same either way.
type Grouper struct {
	relation Relation // as it is known
	class    []uint64 // of each thing, if pairs are not listed, or nil
}

// pairs returns the listed pairs, or nil.
func (g *Grouper) pairs() *pairList {
	l, _ := g.relation.(*pairList)
	return l
}

// NewGrouper returns a Grouper for similarities of at least t, in (0, 1]. The list takes 16 bytes a pair. It has at
// most two pairs for each thing and a million more. Of o, a Grouper uses Threads, Design, Explain and Progress. The
// error is that of ctx, or of reading what is compared.
func NewGrouper(ctx context.Context, r Relation, t float64, o Options) (*Grouper, error) {
	g, _, err := newGrouper(ctx, r, t, nil, o)
	return g, err
}

func newGrouper(ctx context.Context, r Relation, t float64, weights []uint32, o Options) (*Grouper, []uint32, error) {
	known, degrees, err := r.list(ctx, t, weights, o)
	return &Grouper{relation: known}, degrees, err
}

// Listed returns a Grouper for n things whose near pairs are known. each calls add with every pair and its similarity.
func Listed(n int, each func(add func(a, b uint32, similarity float64))) *Grouper {
	return &Grouper{relation: Known(n, each)}
}

// Few reports whether the near pairs are listed.
func (g *Grouper) Few() bool { return g.pairs() != nil }

// EachPair calls do with each near pair and its similarity, until do returns an error. The pairs must be few.
func (g *Grouper) EachPair(do func(a, b uint32, similarity float64) error) error {
	for _, p := range g.pairs().pairs {
		if err := do(p.a, p.b, p.near); err != nil {
			return err
		}
	}
	return nil
}

// Paired returns for each thing whether it is near another one. The pairs must be few.
func (g *Grouper) Paired() []bool {
	paired := make([]bool, g.relation.Len())
	for _, p := range g.pairs().pairs {
		paired[p.a], paired[p.b] = true, true
	}
	return paired
}

// Divide divides the things into classes, given by a number for each: from now on, things of different classes are
// not near, whatever their similarity is. Components of things that are not listed do not know of classes.
func (g *Grouper) Divide(class []uint64) {
	l := g.pairs()
	if l == nil {
		g.class = class
		return
	}
	l.pairs = slices.DeleteFunc(l.pairs, func(p nearPair) bool { return class[p.a] != class[p.b] })
}

// Stars returns the center of each thing at similarity t. It takes the things in the given order, which has each
// once. A thing becomes a center, its own, if no center before it is near. Otherwise it belongs to the nearest of
// these. Of equally near centers, that is the first of the order, but for GroupFingerprints and GroupPairs. The first
// things of the order, as many as first says, are centers in any case. The error is that of NewGrouper.
func (g *Grouper) Stars(ctx context.Context, t float64, order []uint32, first int, o Options) ([]uint32, error) {
	o.class = g.class
	return g.relation.stars(ctx, t, order, first, o)
}

// Components returns, for each thing, the first one of order that near pairs connect with it at similarity t. The
// error is that of NewGrouper.
func (g *Grouper) Components(ctx context.Context, t float64, order []uint32, o Options) ([]uint32, error) {
	connected := ints.NewDisjointSets(g.relation.Len())
	if err := g.relation.connect(ctx, t, o, connected); err != nil {
		return nil, err
	}
	first := make([]uint32, len(connected)) // of the root of each
	for i := range first {
		first[i] = noGroup
	}
	for _, x := range order {
		if root := connected.Find(x); first[root] == noGroup {
			first[root] = x
		}
	}
	of := make([]uint32, len(connected))
	for x := range of {
		of[x] = first[connected.Find(uint32(x))]
	}
	return of, nil
}

// Representatives divides documents into groups at a similarity of t, in (0, 1]. It returns the representative of each
// document, which may be itself. of has the thing of each document, or NoSet if it has none. Then it represents itself.
//
// The order of things is that of the number of documents near them, the most first, then that of their first
// documents. With chain, groups are the components in this order, and otherwise the stars. The first document of a
// thing stands for it. Representatives takes 24 bytes a thing and 4 bytes a document, beside what the Relation takes.
// The error is that of NewGrouper.
func Representatives(ctx context.Context, r Relation, t float64, of []uint32, chain bool, o Options) ([]uint32, error) {
	firsts, weights := documentsOf(of, r.Len())
	g, degrees, err := newGrouper(ctx, r, t, weights, o)
	if err != nil {
		return nil, err
	}
	return g.represent(ctx, t, of, firsts, degrees, chain, o)
}

// represent is Representatives for things whose first documents are known, and how many documents are near each.
func (g *Grouper) represent(ctx context.Context, t float64, of, firsts, degrees []uint32, chain bool, o Options) ([]uint32, error) {
	order := make([]uint32, len(degrees))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(degrees[b], degrees[a]), cmp.Compare(firsts[a], firsts[b]))
	})
	var centers []uint32
	var err error
	if chain {
		centers, err = g.Components(ctx, t, order, o)
	} else {
		centers, err = g.Stars(ctx, t, order, 0, o)
	}
	if err != nil {
		return nil, err
	}
	documents := make([]uint32, len(of))
	for doc, thing := range of {
		documents[doc] = uint32(doc)
		if thing != NoSet {
			documents[doc] = firsts[centers[thing]]
		}
	}
	return documents, nil
}

// documentsOf returns the first document of each of n things, and how many each has.
func documentsOf(of []uint32, n int) (firsts, weights []uint32) {
	firsts, weights = make([]uint32, n), make([]uint32, n)
	for doc := len(of) - 1; doc >= 0; doc-- {
		if thing := of[doc]; thing != NoSet {
			firsts[thing] = uint32(doc)
			weights[thing]++
		}
	}
	return firsts, weights
}

// others returns, for each thing, how many documents are equal to its first one, if it has one.
func others(weights []uint32) []uint32 {
	degrees := make([]uint32, len(weights))
	for i, w := range weights {
		degrees[i] = max(w, 1) - 1
	}
	return degrees
}
