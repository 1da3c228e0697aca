package main

import (
	"fmt"
	"math"
	"slices"

	"simsearch/bench/labelled"
	"simsearch/bench/machine"
	"simsearch/internal/quality/report"
)

// The names of the files of the plots.
const (
	plotName         = "evaluation-default-1.svg"
	plotNamePrograms = "evaluation-programs-1.svg"
)

// write returns the section of the page.
func write(all []*measured) *report.Report {
	labelled := slices.DeleteFunc(slices.Clone(all), func(m *measured) bool { return m.Labels == nil })
	unlabelled := slices.DeleteFunc(slices.Clone(all), func(m *measured) bool { return m.Labels != nil })
	r := &report.Report{Title: "What near means by default"}
	s := &report.Section{Title: r.Title, Text: append(slices.Clone(intro), machine.Line())}
	r.Sections = append(r.Sections, s)
	tableOfMeans(s, labelled)
	tableOfCosts(s, labelled)
	tableOfChoices(s, labelled)
	s.Plots = append(s.Plots, plot(labelled))
	s = &report.Section{Name: "default-more", Title: "What each definition finds", Text: found}
	r.Sections = append(r.Sections, s)
	tableOfKinds(s, labelled)
	tableOfCollections(s, labelled)
	tableOfCopies(s, labelled)
	s = &report.Section{Name: "default-wrong", Title: "What the reference gets wrong", Text: wrong}
	r.Sections = append(r.Sections, s)
	tableOfFaults(s, labelled)
	if len(unlabelled) > 0 {
		tableOfUnlabelled(s, unlabelled)
	}
	return r
}

// A choice is a definition and a threshold, by its place in thresholds.
type choice struct {
	definition string
	at         int
}

// byDefault is what near means if the user names nothing.
var byDefault = choice{"char:5", 4}

// choices are those that are shown in detail.
var choices = []choice{{"char:5", 3}, byDefault, {"char:5", 5},
	{"words", 4}, {"words", 5}, {"words", 6}, {"word:2", 2}, {"word:3", 0}}

func (c choice) String() string { return fmt.Sprintf("%s ≥ %.2f", c.definition, thresholds[c.at]) }

func (c choice) score(m *measured) *score { return m.results[c.definition].scores[c.at] }

// docFs returns the doc-F of each collection.
func docFs(all []*measured, definition string, threshold int) []float64 {
	out := make([]float64, len(all))
	for i, m := range all {
		out[i] = m.results[definition].scores[threshold].docF()
	}
	return out
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// standardError returns the standard error of the mean of x.
func standardError(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)-1) / float64(len(x)))
}

// best returns the threshold with the highest mean doc-F, by its place in thresholds.
func best(all []*measured, definition string) (at int) {
	for i := range thresholds {
		if mean(docFs(all, definition, i)) > mean(docFs(all, definition, at)) {
			at = i
		}
	}
	return at
}

func tableOfMeans(s *report.Section, all []*measured) {
	columns := []string{"definition"}
	for _, t := range thresholds {
		columns = append(columns, fmt.Sprintf("≥ %.2f", t))
	}
	t := s.AddTable(fmt.Sprintf("Mean doc-F of %d collections, and that of the worst collection", len(all)), columns...)
	for _, d := range definitions {
		row := []any{d}
		for i := range thresholds {
			x := docFs(all, d, i)
			row = append(row, fmt.Sprintf("%.3f, %.2f", mean(x), slices.Min(x)))
		}
		t.Add(row...)
	}
}

func tableOfKinds(s *report.Section, all []*measured) {
	columns := []string{"labels", "definition"}
	for _, t := range thresholds {
		columns = append(columns, fmt.Sprintf("≥ %.2f", t))
	}
	t := s.AddTable("Mean doc-F by the kind of labels", columns...)
	add := func(name string, of []*measured) {
		for _, d := range definitions {
			row := []any{fmt.Sprintf("%s (%d)", name, len(of)), d}
			for i := range thresholds {
				row = append(row, fmt.Sprintf("%.3f", mean(docFs(of, d, i))))
			}
			t.Add(row...)
		}
	}
	add("all but those of people", withoutPeople(all))
	for k := range labelled.Kinds {
		add(labelled.KindNames[k], ofKind(all, k))
	}
}

func tableOfCosts(s *report.Section, all []*measured) {
	top, topAt := "", 0
	for _, d := range definitions {
		if at := best(all, d); top == "" || mean(docFs(all, d, at)) > mean(docFs(all, top, topAt)) {
			top, topAt = d, at
		}
	}
	t := s.AddTable("Each definition at its best threshold, and its cost",
		"definition", "best threshold", "doc-F less than the best", "worst collection", "features a document", "bytes of a set", "bytes of sets a byte of text", "features, MB/s", "exact join, s")
	for _, d := range definitions {
		at := best(all, d)
		x := docFs(all, d, at)
		less := docFs(all, top, topAt)
		for i := range less {
			less[i] -= x[i]
		}
		row := []any{d, thresholds[at], "–"}
		if d != top {
			row[2] = fmt.Sprintf("%.3f ± %.3f", mean(less), standardError(less))
		}
		var c cost
		for _, m := range all {
			r := m.results[d]
			c.documents += r.documents
			c.bytes += r.bytes
			c.features += r.features
			c.making += r.making
			c.joining += r.joining
		}
		features := c.features / c.documents
		worst := slices.Index(x, slices.Min(x))
		row = append(row, fmt.Sprintf("%s, %.2f", all[worst].Name, x[worst]), features, 8*features, fmt.Sprintf("%.1f", 8*float64(c.features)/float64(c.bytes)), float64(c.bytes)/1e6/c.making.Seconds(), c.joining.Seconds())
		t.Add(row...)
	}
}

// tableOfChoices compares the choices with the default.
func tableOfChoices(s *report.Section, all []*measured) {
	others := withoutPeople(all)
	columns := []string{"definition", "mean doc-F", "less than the reference", fmt.Sprintf("without labels of people (%d)", len(others)), "less than the reference"}
	for k, name := range labelled.KindNames {
		columns = append(columns, fmt.Sprintf("%s (%d)", name, len(ofKind(all, labelled.Kind(k)))))
	}
	t := s.AddTable("Some definitions beside the reference, "+byDefault.String()+", and their mean doc-F by the kind of labels", columns...)
	for _, c := range choices {
		row := []any{c}
		for _, of := range [][]*measured{all, others} {
			x := docFs(of, c.definition, c.at)
			less := docFs(of, byDefault.definition, byDefault.at)
			for i := range less {
				less[i] -= x[i]
			}
			row = append(row, fmt.Sprintf("%.3f", mean(x)))
			if c == byDefault {
				row = append(row, "–")
			} else {
				row = append(row, fmt.Sprintf("%.3f ± %.3f", mean(less), standardError(less)))
			}
		}
		for k := range labelled.Kinds {
			row = append(row, fmt.Sprintf("%.3f", mean(docFs(ofKind(all, k), c.definition, c.at))))
		}
		t.Add(row...)
	}
}

// withoutPeople returns the collections that are not labelled by people.
func withoutPeople(all []*measured) []*measured {
	return slices.DeleteFunc(slices.Clone(all), func(m *measured) bool { return m.Kind == labelled.People })
}

// ofKind returns the collections with labels of a kind.
func ofKind(all []*measured, k labelled.Kind) []*measured {
	return slices.DeleteFunc(slices.Clone(all), func(m *measured) bool { return m.Kind != k })
}

func plot(all []*measured) *report.Plot {
	p := &report.Plot{
		Title: "Mean doc-F by threshold",
		X:     report.Axis{Name: "Jaccard similarity from which on a pair is near", Min: 0.5, Max: 0.9},
		Y:     report.Axis{Name: "mean doc-F"},
	}
	for _, d := range definitions {
		series := report.Series{Name: d, Line: true}
		for i, t := range thresholds {
			series.Points = append(series.Points, [2]float64{t, mean(docFs(all, d, i))})
		}
		p.Series = append(p.Series, series)
	}
	return p
}

func tableOfCollections(s *report.Section, all []*measured) {
	columns := []string{"collection", "labels", "documents", "near pairs"}
	for _, c := range choices {
		columns = append(columns, c.String())
	}
	t := s.AddTable("Recall of pairs, share of clean documents", columns...)
	for _, m := range all {
		documents := fmt.Sprint(len(m.Texts))
		if m.Whole > 0 {
			documents += fmt.Sprintf(" of %d", m.Whole)
		}
		row := []any{m.Name, labelled.KindNames[m.Kind], documents, m.Labels.Near}
		for _, c := range choices {
			score := c.score(m)
			row = append(row, fmt.Sprintf("%.2f, %.2f", score.recall(), score.cleanShare()))
		}
		t.Add(row...)
	}
}

func tableOfCopies(s *report.Section, all []*measured) {
	columns := []string{"copies with", "copies"}
	for _, c := range choices {
		columns = append(columns, c.String())
	}
	t := s.AddTable("Share of synthetic copies found, of all collections", columns...)
	for _, e := range slices.Concat(labelled.Edits, labelled.SentenceEdits) {
		made := 0
		found := make([]int, len(choices))
		for _, m := range all {
			for _, by := range m.Edits {
				if by == e.Name {
					made++
				}
			}
			for i, c := range choices {
				found[i] += c.score(m).copies[e.Name]
			}
		}
		row := []any{e.Name, made}
		for _, n := range found {
			row = append(row, fmt.Sprintf("%.2f", float64(n)/float64(made)))
		}
		t.Add(row...)
	}
}

func tableOfFaults(s *report.Section, all []*measured) {
	columns := []string{"labels", "definition", "right", "wrong, %"}
	for _, f := range faults {
		columns = append(columns, "wrong: "+f)
	}
	for _, l := range losses {
		columns = append(columns, "missed: "+l)
	}
	t := s.AddTable("Pairs found and missed", columns...)
	for k := range labelled.Kinds {
		for _, c := range choices {
			right, counts, lost := 0, map[string]int{}, map[string]int{}
			for _, m := range ofKind(all, k) {
				score := c.score(m)
				right += score.found
				for f, n := range score.wrong {
					counts[f] += n
				}
				for l, n := range score.missed {
					lost[l] += n
				}
			}
			bad := 0
			for _, n := range counts {
				bad += n
			}
			row := []any{labelled.KindNames[k], c, right, fmt.Sprintf("%.1f", 100*float64(bad)/float64(right+bad))}
			for _, f := range faults {
				row = append(row, counts[f])
			}
			for _, l := range losses {
				row = append(row, lost[l])
			}
			t.Add(row...)
		}
	}
}

func tableOfUnlabelled(s *report.Section, all []*measured) {
	columns := slices.Concat([]string{"texts", "documents", "definition", "documents printed", "pairs"}, faults, []string{"most partners"})
	t := s.AddTable("Pairs of texts without labels, those of equal words apart", columns...)
	for _, m := range all {
		documents := fmt.Sprint(len(m.Texts))
		if m.Whole > 0 {
			documents += fmt.Sprintf(" of %d", m.Whole)
		}
		for _, c := range choices {
			score, pairs := c.score(m), 0
			for _, n := range score.wrong {
				pairs += n
			}
			row := []any{m.Name, documents, c, score.printed, pairs}
			for _, f := range faults {
				row = append(row, score.wrong[f])
			}
			t.Add(append(row, score.largest)...)
		}
	}
}
