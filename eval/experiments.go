package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// An Experiment measures something about a collection. It depends on the collection, its settings
// and its seed alone, but for times, which only the experiments say that are Timed.
type Experiment struct {
	Name  string
	About string // in a few words
	Timed bool
	// Usual says that it is run if nothing else is asked for.
	Usual bool
	run   func(context.Context, *Collection) (*Section, error)
}

// Experiments returns all experiments, in the order of a report.
func Experiments() []Experiment {
	return []Experiment{
		{"estimates", "estimates of cosine and Jaccard similarity against the exact values", false, true, estimates},
		{"distances", "precision and recall of each distance", false, true, distances},
		{"search", "search by tables against comparing all, and against rotating and sorting", true, true, search},
		{"bands", "the S-curve of bands, predicted and observed", false, true, bands},
		{"recall", "what a search by Jaccard similarity finds of all there is", false, true, recall},
		{"methods", "SimHash, MinHash and both together", false, true, methods},
		{"cost", "time and memory by the number of documents", true, true, cost},
		{"sketches", "the error of each variant of MinHash, on made-up sets", false, false, sketches},
		{"biswas", "the experiment of a course report, its figures beside ours", true, false, biswas},
	}
}

// FindExperiments returns the experiments with names, the usual ones if there are no names, or all if
// the one name is "all".
func FindExperiments(names []string) ([]Experiment, error) {
	all := Experiments()
	if len(names) == 1 && names[0] == "all" {
		return all, nil
	}
	var out []Experiment
	for _, e := range all {
		if slices.Contains(names, e.Name) || len(names) == 0 && e.Usual {
			out = append(out, e)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(e Experiment) bool { return e.Name == name }) {
			var known []string
			for _, e := range all {
				known = append(known, e.Name)
			}
			return nil, fmt.Errorf("unknown experiment %q: want all, or some of %s", name, strings.Join(known, ", "))
		}
	}
	return out, nil
}

// Run runs experiments on a collection and returns their report. progress, if not nil, is told what
// is being done.
func Run(ctx context.Context, c *Collection, experiments []Experiment, progress func(what string)) (*Report, error) {
	r := &Report{Version: 1, Title: "Evaluation of " + c.Name, Facts: c.facts(), Warnings: c.warnings()}
	for _, e := range experiments {
		if progress != nil {
			progress(e.Name)
		}
		s, err := e.run(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		s.Name = e.Name
		r.Sections = append(r.Sections, s)
	}
	return r, nil
}
