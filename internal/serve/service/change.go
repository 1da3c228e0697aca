package service

import (
	"context"
	"errors"
	"slices"
	"strings"

	"simsearch/internal/files/prints"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
	"simsearch/internal/serve/gate"
)

// linkField is the field that names the document that another one is near, if the collection keeps a field of this
// name.
const linkField = "near"

// Put adds documents, which take the places of those with their ids, and are durable when it returns. A document that
// cannot be taken has an Error in its outcome, and the others are added.
func (s *Service) Put(ctx context.Context, name string, docs []Document) ([]Outcome, error) {
	return changing(ctx, s, name, docs, (*Document).size, func(c *collection, g *gate.Gate) ([]Outcome, error) {
		outcomes := make([]Outcome, len(docs))
		for i := range docs {
			outcomes[i].ID = docs[i].ID
		}
		err := together(len(docs), func(from, to int) error {
			lines, candidates, err := c.candidates(ctx, to-from,
				func(v *gate.View, i int) (gate.Candidate, error) { return docs[from+i].candidate(v) },
				func(i int) (*string, **Error) { return &outcomes[from+i].ID, &outcomes[from+i].Error })
			if err != nil {
				return err
			}
			decisions, _, err := g.Check(ctx, candidates, nil)
			for i := range decisions {
				outcomes[from+lines[i]].Outcome = outcomeWords[decisions[i].Outcome]
			}
			return err
		})
		return outcomes, err
	})
}

// changing calls do with a collection that a batch changes, and the gate of it.
func changing[Q, A any](ctx context.Context, s *Service, name string, batch []Q, size func(*Q) int,
	do func(*collection, *gate.Gate) ([]A, error),
) ([]A, error) {
	return on(ctx, s, name, func(c *collection) ([]A, error) {
		if err := checkBatch(batch, size); err != nil {
			return nil, err
		}
		g, err := c.writable()
		if err != nil {
			return nil, err
		}
		return do(c, g)
	})
}

// together calls check with the lines of a batch, so many at a time as are compared with each other. It calls it once
// for a batch without lines.
func together(lines int, check func(from, to int) error) (err error) {
	for from := 0; err == nil && (from == 0 || from < lines); from += gate.AtOnce {
		err = check(from, min(from+gate.AtOnce, lines))
	}
	return err
}

// candidates returns the candidates of some lines, and which lines these are. of returns that of a line, and to
// where its id belongs and what is wrong with it.
func (c *collection) candidates(ctx context.Context, lines int, of func(v *gate.View, i int) (gate.Candidate, error),
	to func(i int) (id *string, wrong **Error)) (which []int, candidates []gate.Candidate, err error) {
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	v, release, err := c.view()
	if err != nil {
		return nil, nil, err
	}
	defer release()
	for i := range lines {
		candidate, err := of(v, i)
		id, wrong := to(i)
		if err == nil {
			*id, which, candidates = string(candidate.ID), append(which, i), append(candidates, candidate)
		} else if *wrong = errorOf(err); (*wrong).Code != BadRequest && (*wrong).Code != TooLarge {
			return nil, nil, err
		}
	}
	return which, candidates, nil
}

var outcomeWords = map[gate.Outcome]string{gate.Added: "added", gate.Replaced: "replaced", gate.Unchanged: "unchanged"}

// Delete deletes documents. It is durable when it returns.
func (s *Service) Delete(ctx context.Context, name string, ids []string) ([]Outcome, error) {
	size := func(id *string) int { return len(*id) }
	return changing(ctx, s, name, ids, size, func(_ *collection, g *gate.Gate) ([]Outcome, error) {
		were, err := g.Delete(ctx, ids)
		if err != nil {
			return nil, err
		}
		outcomes := make([]Outcome, len(ids))
		for i, id := range ids {
			if outcomes[i] = (Outcome{ID: id, Outcome: "absent"}); were[i] {
				outcomes[i].Outcome = "deleted"
			}
		}
		return outcomes, nil
	})
}

var policies = map[string]gate.Policy{"": gate.Tell, "reject": gate.Reject, "link": gate.Link, "replace": gate.Take}

// CheckAndAdd adds documents unless something with the same facts is near them. Of many clients that send equal or
// near documents at once, exactly one is told that its own is new. What is answered is durable. If a document is
// there already, with its id, its content and its fields, it is not new, and is its own match, so that a request can
// be repeated. With a key, a request that is repeated within a day gets the answers of the first one.
func (s *Service) CheckAndAdd(ctx context.Context, name, key string, rs []CheckRequest) ([]CheckAnswer, error) {
	return changing(ctx, s, name, rs, (*CheckRequest).size, func(c *collection, g *gate.Gate) ([]CheckAnswer, error) {
		k, err := s.newKeyed(key, rs)
		if err != nil {
			return nil, err
		}
		answers := make([]CheckAnswer, len(rs))
		for i := range rs {
			answers[i].ID = rs[i].ID
		}
		err = together(len(rs), func(from, to int) error {
			return c.check(ctx, g, k, from, rs[from:to], answers[from:to])
		})
		return answers, err
	})
}

// check answers some lines of a request, which begin with line from.
func (c *collection) check(ctx context.Context, g *gate.Gate, k *keyed, from int, rs []CheckRequest, answers []CheckAnswer) error {
	lines, candidates, err := c.candidates(ctx, len(rs),
		func(v *gate.View, i int) (gate.Candidate, error) { return rs[i].candidate(v) },
		func(i int) (*string, **Error) { return &answers[i].ID, &answers[i].Error })
	if err != nil {
		return err
	}
	tell := func(decisions []gate.Decision) {
		for i := range decisions {
			d, a := &decisions[i], &answers[lines[i]]
			a.Verdict = d.Verdict
			switch {
			case d.Match != nil:
				a.Match = &Match{ID: d.Match.ID, Fields: d.Fields}
				a.Match.measure(candidates[i].Near, &d.Match.Measures)
			case d.Outcome == gate.Unchanged:
				a.Match = &Match{ID: a.ID, Fields: d.Fields}
				a.Match.measure(candidates[i].Near, &index.Measures{Value: 1, Jaccard: 1})
				a.Verdict = explain.Same
			default:
				a.Match = nil
			}
			a.New, a.Differs = a.Match == nil, d.Differs.Names()
		}
	}
	decisions, noted, err := g.Check(ctx, candidates, k.claim(from, rs, answers, tell))
	if err == nil && noted != nil { // an earlier request has the key
		return k.read(noted, rs, answers)
	}
	tell(decisions)
	return err
}

// candidate returns a document that is checked as the gate of a collection takes it.
func (r *CheckRequest) candidate(v *gate.View) (c gate.Candidate, err error) {
	policy, ok := policies[r.IfNear]
	if !ok {
		return c, Errorf(BadRequest, "if_near", "%.80q: want reject, link or replace", r.IfNear)
	}
	if r.Passages {
		return c, Errorf(BadRequest, "passages", "whether a document is new is decided by jaccard, k or contained")
	}
	if c, err = r.Document.candidate(v); err != nil {
		return c, err
	}
	c.IfNear = policy
	if c.Near, err = r.predicate(v.Snapshot, c.Given); err != nil {
		return c, err
	}
	in := v.Input()
	if kept := in.Kept(); policy == gate.Link && slices.Contains(kept, linkField) {
		fields, _ := r.kept(kept) // they have been read before
		c.Linked = func(id string) []byte {
			linked := map[string]string{linkField: id}
			for name, value := range fields {
				if name != linkField {
					linked[name] = value
				}
			}
			return gate.AppendFields(nil, kept, linked)
		}
	}
	return c, nil
}

// Document returns a document, with its text or its fingerprint as far as the collection keeps them.
func (s *Service) Document(ctx context.Context, name, id string) (*Document, error) {
	return seeing(ctx, s, name, (*collection).view, func(_ *collection, v *gate.View) (*Document, error) {
		stored, err := find(v, id)
		return documentOf(v, &stored, err)
	})
}

// documentAt returns the document of a number as clients get it.
func documentAt(v *gate.View, doc int) (*Document, error) {
	stored, err := v.At(uint32(doc))
	return documentOf(v, &stored, err)
}

// documentOf returns a document as clients get it, or the error of finding it.
func documentOf(v *gate.View, s *gate.Stored, err error) (*Document, error) {
	if err != nil {
		return nil, err
	}
	d := &Document{ID: s.ID}
	fields, err := s.Fields()
	if err != nil {
		return nil, err
	}
	for name, value := range fields {
		if d.Fields == nil {
			d.Fields = map[string]any{}
		}
		d.Fields[name] = value
	}
	settings := v.Settings()
	text, err := s.Text()
	switch {
	case err == nil && settingsOf(v.Snapshot).Holds == Sets:
		d.Set = strings.Fields(text)
	case err == nil:
		d.Text = &text
	case !errors.Is(err, index.ErrNoText):
		return nil, err
	case settings.Fingerprints():
		r, err := s.Features()
		if err != nil {
			return nil, err
		}
		if r.HasFingerprint {
			fp := r.Long()
			d.Fingerprint = prints.Format(&fp, settings.Bits)
		}
	}
	return d, nil
}
