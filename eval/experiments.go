package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/report"
)

// An Experiment measures something about a collection. Its figures depend only on the collection, its
// settings and its seed. Times are the exception: an experiment with times has Timed set. A golden file
// holds the figures of a small collection.
//
// An experiment is a function from a collection to a section of a report. It measures the engine itself,
// by an index that Load has made. Its tables and plots know nothing of HTML or Markdown; package report
// writes them in each form.
type Experiment struct {
	Name  string
	About string // in a few words
	Timed bool
	// Usual is set if the experiment is run unless others are named.
	Usual bool
	// Banded is set if the experiment cuts signatures into bands, which Settings.CheckBands refuses for some
	// sketches.
	Banded bool
	// Fingerprints is set if the experiment is one of ready-made fingerprints, too, which have no features.
	Fingerprints bool
	judges       bool // the report opens with a verdict if it is run
	run          func(context.Context, *Collection) (*Section, error)
}

// Experiments returns all experiments, in the order of their sections in a report.
func Experiments() []Experiment {
	return []Experiment{
		{"pairs", "what to use, and texts of right and wrong pairs", false, true, false, false, true, examples},
		{"estimates", "estimates of similarities, and the exact values", false, true, false, false, false, estimates},
		{"distances", "precision and recall of each distance", false, true, false, true, false, distances},
		{"thresholds", "precision and recall of each similarity", false, true, false, false, false, byThreshold},
		{"bands", "the S-curve, predicted and observed", false, true, true, false, false, bands},
		{"methods", "SimHash, MinHash and both", false, true, true, false, false, methods},
		{"biswas", "the experiment of a course report", true, false, false, false, false, biswas},
	}
}

// FindExperiments returns the experiments that names lists, in the order of Experiments. Without names, it returns the usual
// ones, or all of ready-made fingerprints; for the single name "all", all of them. An unknown name is an error, and so is an
// experiment that ready-made fingerprints have no features for.
func FindExperiments(names []string, fingerprints bool) ([]Experiment, error) {
	all := Experiments()
	known := func(wanted func(Experiment) bool) string {
		var known []string
		for _, e := range all {
			if wanted(e) {
				known = append(known, e.Name)
			}
		}
		return strings.Join(known, ", ")
	}
	ofKind := func(e Experiment) bool { return !fingerprints || e.Fingerprints }
	if len(names) == 1 && names[0] == "all" || fingerprints && len(names) == 0 {
		return slices.DeleteFunc(all, func(e Experiment) bool { return !ofKind(e) }), nil
	}
	for _, name := range names {
		switch at := slices.IndexFunc(all, func(e Experiment) bool { return e.Name == name }); {
		case at < 0:
			return nil, fmt.Errorf("unknown experiment %q: want all, or some of %s", name, known(func(Experiment) bool { return true }))
		case !ofKind(all[at]):
			return nil, fmt.Errorf("experiment %s needs texts or sets, and fingerprints have no features: want some of %s", name, known(ofKind))
		}
	}
	return slices.DeleteFunc(all, func(e Experiment) bool { return !slices.Contains(names, e.Name) && (len(names) > 0 || !e.Usual) }), nil
}

// Run runs experiments on a collection and returns their report. If progress is not nil, Run calls it with
// the name of each experiment before it begins.
func Run(ctx context.Context, c *Collection, experiments []Experiment, progress func(what string)) (*Report, error) {
	r := newReport(c)
	if k := c.firstDistance; k > farthest {
		return nil, fmt.Errorf("--k %d: without --recommend, distances up to %d are measured", k, farthest)
	}
	for _, e := range experiments {
		if progress != nil {
			progress(e.Name)
		}
		switch {
		case c.bare && e.Name == "distances":
			v, err := fingerprintVerdict(ctx, c)
			if err != nil {
				return nil, err
			}
			r.Verdict = v
		case e.judges:
			best, err := bestSearch(ctx, c)
			if err != nil {
				return nil, err
			}
			r.Verdict = verdict(c, best)
			r.Verdict.Notes = append(r.Verdict.Notes, "These are searches with the settings below. --recommend tries other features, weights and stop words.")
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
	return &Report{Version: 1, Title: "Evaluation of " + c.Name, Facts: factsOf(c), Warnings: warningsOf(c)}
}

// A Report is what experiments have found. Its methods WriteBrief, WriteMarkdown, WriteHTML and
// WriteJSON write it, and WriteFiles writes all forms.
type Report = report.Report

// A Section is the part of a report that one experiment fills: text, tables and plots.
type Section = report.Section
