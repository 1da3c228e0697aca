package service

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"simsearch/internal/quality/explain"
)

// Of short facts, those that say something else are kept beside what is near them, and what differs is told. Those
// that say the same in other words of politeness, or in another case, are not.
func TestShortFacts(t *testing.T) {
	s := open(t, Options{Data: t.TempDir()})
	create(t, s, "c", Settings{})
	r := rand.New(rand.NewPCG(55, 4))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	other := func(text string, pairs ...string) string { // with one of some words exchanged
		for at := r.IntN(len(pairs) / 2); ; at = (at + 1) % (len(pairs) / 2) {
			if changed := strings.Replace(text, pairs[2*at], pairs[2*at+1], 1); changed != text {
				return changed
			}
		}
	}
	check := func(id, text string) CheckAnswer {
		return ok[[]CheckAnswer](t)(s.CheckAndAdd(t.Context(), "c", "", []CheckRequest{{Document: doc(id, text)}}))[0]
	}
	const all = 200
	kept, told, again := 0, 0, 0
	for i := range all {
		letters := fmt.Sprintf("%c%c%c", 'a'+i%26, 'a'+i/26, 'k')
		fact := fmt.Sprintf(one("the %s team meets at %d in room %s and will bring the report of the week to it",
			"the user of %s is able to take %d tablets of %s before breakfast each day",
			"version %s of the program needs %d GB of memory and is not to be run beside %s on one machine",
			"the invoice for %s amounts to $ %d and has to be paid by %s before the end of the month",
			"the limit of %s is < %d in all tests that the group of %s makes on its own machines"), letters+"one", 1000+i, letters+"two")
		changed := other(fact, " at ", " at 1", "tablets", "0 tablets", " GB", "5 GB", "$ ", "€ ", " < ", " > ", "will", "will not", "is able", "is unable",
			"is not to be", "is to be", "has to", "has never to", "of the week", "of week 12", "the group", "the 2 groups")
		polite := one("please note", "kindly", "for your information")
		first := check(fmt.Sprint("first ", i), polite+": "+fact)
		differing := check(fmt.Sprint("other ", i), polite+": "+changed)
		same := check(fmt.Sprint("same ", i), one(strings.ToUpper(polite)+" – "+fact+"!", strings.ToUpper(fact[:1])+fact[1:]+", "+polite+".",
			strings.ToUpper(polite+" "+fact)))
		if !first.New {
			t.Errorf("%q is not new: %+v", fact, first)
		}
		if differing.New || len(differing.Differs) > 0 {
			kept++
		}
		if !differing.New && len(differing.Differs) > 0 {
			told++
		}
		if !same.New && len(same.Differs) == 0 {
			again++
		}
	}
	if 100*kept < 98*all || 2*told < all || 100*again < 92*all {
		t.Errorf("of %d facts, %d others are kept, %d of them told, and %d are known again", all, kept, told, again)
	}
	t.Logf("of %d facts, %d others are kept, %d of them told, and %d are known again", all, kept, told, again)

	nine, ten := "the ferry to the islands leaves at nine every Saturday until the end of May", "the ferry to the islands leaves at ten every Saturday until the end of May"
	check("nine", nine)
	for range 2 { // by a key, the second time what is noted is read
		a := ok[[]CheckAnswer](t)(s.CheckAndAdd(t.Context(), "c", "key", []CheckRequest{{Document: doc("ten", ten)}}))[0]
		if a.New || a.Match.ID != "nine" || fmt.Sprint(a.Differs) != "[numbers]" || a.Verdict != explain.Form {
			t.Errorf("%+v", a)
		}
	}
	if a := check("again", ten+"!"); a.New || a.Match.ID != "ten" || a.Differs != nil || a.Verdict != explain.Same {
		t.Errorf("%+v", a)
	}
	reject := CheckRequest{Document: doc("x", strings.Replace(ten, "ten", "eleven", 1)), IfNear: "reject"}
	if a := ok[[]CheckAnswer](t)(s.CheckAndAdd(t.Context(), "c", "", []CheckRequest{reject}))[0]; a.New || a.Differs != nil {
		t.Errorf("%+v", a)
	}
	if _, err := s.Document(t.Context(), "c", "x"); err == nil {
		t.Error("what is rejected is there")
	}
}
