package truth

import (
	"fmt"
	"math"
	"strconv"

	"simsearch/internal/ground/terminal"
)

// A Rate is a share of trials with its confidence interval. Its JSON form is part of reports.
type Rate struct {
	Hits   int     `json:"hits"`
	Trials int     `json:"trials"`
	Share  float64 `json:"share"` // 0 without trials
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// Groups is the number of groups of documents that the interval counts, as if all had as many pairs; 0 if it
	// counts trials.
	Groups float64 `json:"groups,omitempty"`
}

// z is the quantile of the normal distribution for intervals of 95 %.
const z = 1.959963984540054

// NewRate returns a rate with Wilson's interval of 95 %. The interval is right for few trials, too, and for
// shares near 0 and 1. Without trials it is [0, 1].
//
// Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
// JASA 22 (1927), https://doi.org/10.1080/01621459.1927.10502953.
func NewRate(hits, trials int) Rate {
	if trials == 0 {
		return Rate{High: 1}
	}
	return wilson(hits, trials, float64(trials), z)
}

// wilson returns a rate with Wilson's interval as if the trials were n independent ones, and ends that many standard
// deviations away.
func wilson(hits, trials int, n, deviations float64) Rate {
	p := float64(hits) / float64(trials)
	low, high := wilsonEnds(p, n, deviations)
	r := Rate{Hits: hits, Trials: trials, Share: p, Low: max(0, low), High: min(1, high)}
	if hits == 0 {
		r.Low = 0 // but for rounding
	}
	if hits == trials {
		r.High = 1
	}
	return r
}

// fewestGroups is the least number of groups that say something of other texts, and widest the widest interval around a
// share that does.
const (
	fewestGroups = 3
	widest       = 0.2
)

// TooFew reports whether the rate says nothing of other texts, since it is that of a few groups of documents.
func (r Rate) TooFew() bool { return r.Trials > 0 && r.Groups > 0 && r.Groups < fewestGroups }

// Vague reports whether the interval says more of other texts than the share does. Rates that count trials are not.
func (r Rate) Vague() bool { return r.Groups > 0 && (r.TooFew() || r.High-r.Low > widest) }

// Overlaps reports whether two intervals have a share in common.
func (r Rate) Overlaps(x Rate) bool { return r.Low <= x.High && x.Low <= r.High }

// String returns the share and its interval in percent, such as "50.0 % (23.7–76.3)", or a dash without trials. Of a
// vague rate it returns the interval alone, "23.7–76.3 %", and of one with too few groups the counts, "12 of 24: too
// few groups".
func (r Rate) String() string {
	switch {
	case r.Trials == 0:
		return "–"
	case r.TooFew():
		return fmt.Sprintf("%s of %s: too few groups", terminal.Thousands(r.Hits), terminal.Thousands(r.Trials))
	case r.Vague():
		return fmt.Sprintf("%s–%s %%", Percent(r.Low), Percent(r.High))
	}
	return fmt.Sprintf("%s %% (%s–%s)", Percent(r.Share), Percent(r.Low), Percent(r.High))
}

// Percent prints a share in percent, with digits enough to tell it from 0 and from 100.
func Percent(x float64) string {
	p := 100 * x
	switch {
	case p == 0 || p > 99.995:
		return fmt.Sprintf("%.0f", p)
	case p < 0.1:
		two, _ := strconv.ParseFloat(fmt.Sprintf("%.1e", p), 64) // two digits, but not as a power of ten
		return strconv.FormatFloat(two, 'f', -1, 64)
	case p > 99.9:
		return fmt.Sprintf("%.2f", p)
	}
	return fmt.Sprintf("%.1f", p)
}

// F1 returns the harmonic mean of precision and recall, 0 if both are 0.
func F1(precision, recall float64) float64 {
	if precision+recall == 0 {
		return 0
	}
	return 2 * precision * recall / (precision + recall)
}

// Complement returns the share of what is left.
func (r Rate) Complement() Rate {
	if r.Trials == 0 {
		return r
	}
	return Rate{Hits: r.Trials - r.Hits, Trials: r.Trials, Share: 1 - r.Share, Low: math.Max(0, 1-r.High), High: 1 - r.Low, Groups: r.Groups}
}
