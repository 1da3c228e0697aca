package results

import (
	"fmt"
	"strings"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/explain"
)

// Spared are near documents whose texts differ in facts, and which do not count as near for that.
type Spared struct {
	Shower // keeps the texts that were read last
	Kinds  explain.FactKinds

	known map[uint32]explain.Facts // 48 bytes and more a document that is near another one
	apart int
}

// Close closes the texts. s may be nil.
func (s *Spared) Close() {
	if s != nil {
		s.Shower.Close()
	}
}

// Apart reports whether the texts of two documents differ in the facts. Of a text that cannot be read, nobody knows.
// The error is one that concerns not only these.
func (s *Spared) Apart(a, b uint32) (bool, error) {
	ofA, err := s.of(a)
	if err != nil {
		return false, err
	}
	ofB, err := s.of(b)
	apart := ofA.Differ(ofB)&s.Kinds != 0
	if err == nil && !apart && s.Kinds&explain.Order != 0 {
		apart, err = s.reordered(a, b)
	}
	if apart {
		s.apart++
	}
	return apart, err
}

// reordered reports whether the words of two documents stand in another order.
func (s *Spared) reordered(a, b uint32) (bool, error) {
	textA, errA := s.text(a)
	textB, errB := s.text(b)
	return errA == nil && errB == nil && explain.Reordered(textA, textB), fatal(errA, errB)
}

func (s *Spared) of(doc uint32) (explain.Facts, error) {
	facts, ok := s.known[doc]
	if ok {
		return facts, nil
	}
	text, err := s.text(doc)
	if err == nil {
		facts = explain.FactsOf([]byte(text))
	}
	if s.known == nil {
		s.known = map[uint32]explain.Facts{}
	}
	s.known[doc] = facts
	return facts, fatal(err)
}

// Told says how many pairs, or documents of groups, are left out.
func (s *Spared) Told(noun string) string {
	return fmt.Sprintf("%s left out, whose texts differ in %s", terminal.Plural(s.apart, noun), strings.Join(s.Kinds.Names(), " or "))
}
