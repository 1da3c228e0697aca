package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
)

// Batches of logs lead to the documents that a map has, though fresh documents become segments meanwhile.
func TestBatchesOfLogs(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	s := NewState(segment.Layout{Bits: 64}, segment.WriteOptions{Distance: 3}, nil)
	defer func() { _ = s.Release() }()
	s.most = 7
	want := map[string]uint64{}
	id := func() []byte { return fmt.Appendf(nil, "id%d", rng.IntN(60)) }
	for round := range 400 {
		var b segment.Batch
		for range rng.IntN(4) {
			b.Deletes = append(b.Deletes, id())
			delete(want, string(b.Deletes[len(b.Deletes)-1]))
		}
		added := map[string]bool{}
		for range rng.IntN(5) {
			d := segment.Document{ID: id(), Fingerprint: rng.Uint64(), HasFingerprint: true}
			if !added[string(d.ID)] {
				added[string(d.ID)], want[string(d.ID)] = true, d.Fingerprint
				b.Documents = append(b.Documents, d)
			}
		}
		if err := s.Apply(context.Background(), &b, nil); err != nil {
			t.Fatal(err)
		}
		if round%20 > 0 {
			continue
		}
		if err := s.settle(); err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			id := fmt.Sprint("id", i)
			at := s.Find([]byte(id))
			if _, has := want[id]; at.There != has {
				t.Fatalf("round %d: %s is found: %v; want %v", round, id, at.There, has)
			}
		}
		if round%40 > 0 {
			continue
		}
		parts, err := s.Show(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]uint64{}
		for _, p := range parts {
			for doc, fp := range p.Fingerprints() {
				id := p.ID(doc)
				if _, twice := got[string(id)]; err != nil || twice {
					t.Fatalf("round %d: %s is there twice: %v, %v", round, id, twice, err)
				}
				got[string(id)] = fp[0]
			}
		}
		if err := ReleaseAll(parts); err != nil || !maps.Equal(got, want) {
			t.Fatalf("round %d: %d documents, want %d, or others; %v", round, len(got), len(want), err)
		}
	}
	if s.Read < 1000 {
		t.Errorf("only %d documents were read", s.Read)
	}
}

// A log that adds an id twice in one change is damaged, whatever its checksums say.
func TestLogAddsTwice(t *testing.T) {
	t.Parallel()
	s := NewState(segment.Layout{Bits: 64}, segment.WriteOptions{}, nil)
	defer func() { _ = s.Release() }()
	d := segment.Document{ID: []byte("a"), HasFingerprint: true, Fingerprint: 7}
	err := s.Apply(context.Background(), &segment.Batch{Documents: []segment.Document{d, d}}, nil)
	if !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("%v", err)
	}
}
