package results

import (
	"fmt"
	"strings"

	"simsearch/internal/explain"
	"simsearch/internal/terminal"
)

// Spared are near documents whose texts differ in facts, and which do not count as near for that.
type Spared struct {
	Texts Texts
	Kinds explain.FactKinds

	known map[uint32]explain.Facts // 20 bytes and more a document that is near another one
	apart int
}

// Apart reports whether the texts of two documents differ in the facts. Of a text that cannot be read, nobody knows. The error is one
// that concerns not only these.
func (s *Spared) Apart(a, b uint32) (bool, error) {
	ofA, err := s.of(a)
	if err != nil {
		return false, err
	}
	ofB, err := s.of(b)
	apart := ofA.Differ(ofB)&s.Kinds != 0
	if apart {
		s.apart++
	}
	return apart, err
}

func (s *Spared) of(doc uint32) (explain.Facts, error) {
	facts, ok := s.known[doc]
	if ok {
		return facts, nil
	}
	text, err := s.Texts.Text(doc)
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
