package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/quality/report"
)

// An Experiment measures something about a collection. Its figures depend only on the collection, its
// settings and its seed, but for times.
//
// An experiment is a function from a collection to a section of a report. It measures the engine itself.
// Its tables and plots know nothing of HTML; package report writes them in each form.
type Experiment struct {
	Name  string
	About string // in a few words
	// Usual is set if the experiment is run unless others are named.
	Usual bool
	// Banded is set if the experiment cuts signatures into bands, which Settings.CheckBands refuses for some
	// sketches.
	Banded bool
	run    func(context.Context, *Collection) (*Section, error)
}

// Experiments returns all experiments, in the order of their sections in a report.
func Experiments() []Experiment {
	return []Experiment{
		{"pairs", "what to use, and texts of right and wrong pairs", true, false, examples},
		{"estimates", "estimates of similarities, and the exact values", true, false, estimates},
		{"distances", "precision and recall of each distance", true, false, distances},
		{"thresholds", "precision and recall of each similarity", true, false, byThreshold},
		{"bands", "the S-curve, predicted and observed", true, true, bands},
		{"methods", "SimHash, MinHash and both", true, true, methods},
		{"biswas", "the experiment of a course report", false, false, biswas},
	}
}

// FindExperiments returns the experiments that names lists, in the order of Experiments. Without names, it returns
// the usual ones; for the single name "all", all of them. Ready-made fingerprints, which have no features, have the
// distances alone.
func FindExperiments(names []string, fingerprints bool) ([]Experiment, error) {
	all := Experiments()
	if fingerprints {
		all = slices.DeleteFunc(all, func(e Experiment) bool { return e.Name != "distances" })
	}
	if len(names) == 1 && names[0] == "all" {
		return all, nil
	}
	var known []string
	for _, e := range all {
		known = append(known, e.Name)
	}
	i := slices.IndexFunc(names, func(name string) bool { return !slices.Contains(known, name) })
	switch {
	case i >= 0 && fingerprints:
		return nil, fmt.Errorf("experiment %q: fingerprints have no features, and the experiment distances alone", names[i])
	case i >= 0:
		return nil, fmt.Errorf("unknown experiment %q: want all, or some of %s", names[i], strings.Join(known, ", "))
	}
	return slices.DeleteFunc(all, func(e Experiment) bool { return !slices.Contains(names, e.Name) && (len(names) > 0 || !e.Usual) }), nil
}

// Run runs experiments on a collection and returns their report. If progress is not nil, Run calls it with
// the name of each experiment before it begins.
func Run(ctx context.Context, c *Collection, experiments []Experiment, progress func(what string)) (*Report, error) {
	r := newReport(c)
	if k := c.o.Distance; k > farthest {
		return nil, fmt.Errorf("--k %d: without --recommend, distances up to %d are measured", k, farthest)
	}
	for _, e := range experiments {
		if progress != nil {
			progress(e.Name)
		}
		if e.Name == "pairs" || c.o.Fingerprints && c.Labels != nil {
			best, err := bestSearch(ctx, c)
			if err != nil {
				return nil, err
			}
			if r.Verdict = verdict(c, best); !c.o.Fingerprints {
				r.Verdict.Notes = append(r.Verdict.Notes, "These are searches with the settings below. --recommend tries other features, weights and stop words.")
			}
		}
		s, err := e.run(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		if s.Name = e.Name; e.Name == "distances" {
			r.First = firstTable(c, s)
		}
		r.Sections = append(r.Sections, s)
	}
	return r, nil
}

// newReport returns a report on a collection, without a section.
func newReport(c *Collection) *Report {
	return &Report{Version: 1, Title: "Evaluation of " + c.o.Name, Facts: factsOf(c), Warnings: warningsOf(c)}
}

// A Report is what experiments have found. Its methods WriteBrief, WriteHTML and WriteJSON write it.
type Report = report.Report

// A Section is the part of a report that one experiment fills: text, tables and plots.
type Section = report.Section
