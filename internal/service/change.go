package service

import (
	"context"
	"errors"
	"slices"
	"strings"

	"simsearch/internal/gate"
	"simsearch/internal/index"
	"simsearch/internal/prints"
)

// linkField is the field that names the document that another one is near, if the collection keeps a field of this name.
const linkField = "near"

// a line is a request of a batch that is understood, with what is to be answered.
type line struct {
	candidate gate.Candidate
	number    int // in the batch
}

// together calls check with the lines of a batch, so many at a time as are compared with each other.
func together(lines []line, check func([]line, []gate.Candidate) error) error {
	for some := range slices.Chunk(lines, gate.AtOnce) {
		candidates := make([]gate.Candidate, len(some))
		for i := range some {
			candidates[i] = some[i].candidate
		}
		if err := check(some, candidates); err != nil {
			return err
		}
	}
	return nil
}

// Put adds documents, which take the places of those with their ids, and are durable when it returns. A document that cannot be taken
// has an Error in its outcome, and the others are added.
func (s *Service) Put(ctx context.Context, name string, docs []Document) ([]Outcome, error) {
	return on(ctx, s, name, func(c *collection) ([]Outcome, error) {
		if err := checkBatch(docs, (*Document).size); err != nil {
			return nil, err
		}
		g, err := c.writable()
		if err != nil {
			return nil, err
		}
		outcomes := make([]Outcome, len(docs))
		var lines []line
		err = c.eachLine(len(docs), func(v *gate.View, i int) error {
			candidate, err := docs[i].candidate(v)
			if outcomes[i].ID = docs[i].ID; err != nil {
				return told(&outcomes[i].Error, err)
			}
			outcomes[i].ID = string(candidate.ID)
			lines = append(lines, line{candidate, i})
			return nil
		})
		if err != nil {
			return nil, err
		}
		return outcomes, together(lines, func(lines []line, candidates []gate.Candidate) error {
			decisions, err := g.Check(ctx, candidates)
			for i := range decisions {
				outcomes[lines[i].number].Outcome = outcomeWords[decisions[i].Outcome]
			}
			return err
		})
	})
}

var outcomeWords = map[gate.Outcome]string{gate.Added: "added", gate.Replaced: "replaced", gate.Unchanged: "unchanged"}

// told keeps an error that concerns one line of a batch, and returns any other one.
func told(of **Error, err error) error {
	e := errorOf(err)
	if e.Code != BadRequest && e.Code != TooLarge {
		return err
	}
	*of = e
	return nil
}

// eachLine calls do for each line of a batch, with a View of the collection for its settings.
func (c *collection) eachLine(lines int, do func(v *gate.View, i int) error) error {
	v, release, err := c.view()
	if err != nil {
		return err
	}
	defer release()
	for i := range lines {
		if err := do(v, i); err != nil {
			return err
		}
	}
	return nil
}

// Delete deletes documents. It is durable when it returns.
func (s *Service) Delete(ctx context.Context, name string, ids []string) ([]Outcome, error) {
	return on(ctx, s, name, func(c *collection) ([]Outcome, error) {
		if err := checkBatch(ids, func(id *string) int { return len(*id) }); err != nil {
			return nil, err
		}
		g, err := c.writable()
		if err != nil {
			return nil, err
		}
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

var policies = map[string]gate.Policy{"": gate.Reject, "reject": gate.Reject, "link": gate.Link, "replace": gate.Take}

// CheckAndAdd adds documents unless something is near them. Of many clients that send equal or near documents at once, exactly one is
// told that its own is new. What is answered is durable. If a document is there already, with its id, its content and its fields, it
// is not new, and is its own match, so that a request can be repeated. With a key, a request that is repeated within a day gets the
// answers of the first one.
func (s *Service) CheckAndAdd(ctx context.Context, name, key string, rs []CheckRequest) ([]CheckAnswer, error) {
	return on(ctx, s, name, func(c *collection) ([]CheckAnswer, error) {
		if err := checkBatch(rs, func(r *CheckRequest) int { return r.size() }); err != nil {
			return nil, err
		}
		g, err := c.writable()
		if err != nil || key == "" {
			return c.check(ctx, g, rs, err)
		}
		return c.keys.once(ctx, key, rs, func() ([]CheckAnswer, error) { return c.check(ctx, g, rs, nil) })
	})
}

func (c *collection) check(ctx context.Context, g *gate.Gate, rs []CheckRequest, err error) ([]CheckAnswer, error) {
	if err != nil {
		return nil, err
	}
	answers := make([]CheckAnswer, len(rs))
	var lines []line
	err = c.eachLine(len(rs), func(v *gate.View, i int) error {
		if i%gate.AtOnce == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		candidate, err := rs[i].candidate(v)
		if answers[i].ID = rs[i].ID; err != nil {
			return told(&answers[i].Error, err)
		}
		answers[i].ID = string(candidate.ID)
		lines = append(lines, line{candidate, i})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answers, together(lines, func(lines []line, candidates []gate.Candidate) error {
		decisions, err := g.Check(ctx, candidates)
		for i := range decisions {
			d, a := &decisions[i], &answers[lines[i].number]
			switch {
			case d.Match != nil:
				a.Match = &Match{ID: d.Match.ID, Fields: d.Fields}
				a.Match.measure(candidates[i].Near, &d.Match.Measures)
			case d.Outcome == gate.Unchanged:
				a.Match = &Match{ID: a.ID, Fields: d.Fields}
				a.Match.measure(candidates[i].Near, &index.Measures{Value: 1})
			}
			a.New = a.Match == nil
		}
		return err
	})
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
	return on(ctx, s, name, func(c *collection) (*Document, error) {
		v, release, err := c.view()
		if err != nil {
			return nil, err
		}
		defer release()
		stored, ok, err := v.Find(id)
		if err == nil && !ok {
			err = Errorf(NotFound, "id", "the collection has no document %.200q", id)
		}
		if err != nil {
			return nil, err
		}
		return documentOf(v, &stored)
	})
}

// documentOf returns a document as clients get it.
func documentOf(v *gate.View, s *gate.Stored) (*Document, error) {
	d := &Document{ID: s.ID}
	if err := d.fillFields(s); err != nil {
		return nil, err
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

// fillFields fills in the kept fields of a document.
func (d *Document) fillFields(s *gate.Stored) error {
	fields, err := s.Fields()
	for name, value := range fields {
		if d.Fields == nil {
			d.Fields = map[string]any{}
		}
		d.Fields[name] = value
	}
	return err
}
