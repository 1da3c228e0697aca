package parallel

import "sync/atomic"

// A Pace chooses how many questions are asked together. It aims at half of the answers that may be held,
// and estimates the answers to a question from the questions before. However few questions there are, all threads have
// some: each takes no larger a part than it would have of the questions answered before. It is safe for concurrent use.
type Pace struct {
	most, hold, threads int // the largest number of questions; the answers that may be held
	answered            atomic.Int64
	now                 atomic.Int64
}

// firstBatch is how many questions are asked together before anything is known of them. Their number
// grows at most by the factor hasten at a time.
const firstBatch, hasten = 256, 8

// NewPace returns the Pace for up to most questions together, at least one, of which hold answers may be
// held. A number of threads answer them.
func NewPace(most, hold, threads int) *Pace {
	p := &Pace{most: max(1, most), hold: hold, threads: max(1, threads)}
	p.now.Store(int64(min(p.most, firstBatch)))
	return p
}

// Size returns how many questions to ask together, 1 or more.
func (p *Pace) Size() int { return int(p.now.Load()) }

// Hold returns how many answers may be held.
func (p *Pace) Hold() int { return p.hold }

// Learn takes note that a number of questions, 1 or more, had a number of answers together.
func (p *Pace) Learn(questions, answers int) {
	likely := p.hold / (2 * (answers/questions + 1))
	most := min(p.most, hasten*questions)
	if answered := int(p.answered.Add(int64(questions))); p.threads > 1 {
		most = min(most, max(firstBatch, answered/p.threads))
	}
	p.now.Store(int64(max(1, min(most, likely))))
}
