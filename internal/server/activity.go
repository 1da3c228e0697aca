package server

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// Activity says what the server has answered since it began, for people: the requests for each operation, the most frequent first.
func (s *Server) Activity() []report.Fact {
	type count struct {
		name        string
		all, failed int
		seconds     float64
	}
	counts := map[string]*count{}
	of := func(m *dto.Metric) *count {
		for _, l := range m.GetLabel() {
			if l.GetName() == "operation" {
				if counts[l.GetValue()] == nil {
					counts[l.GetValue()] = &count{name: l.GetValue()}
				}
				return counts[l.GetValue()]
			}
		}
		return &count{}
	}
	families, err := s.metrics.registry.Gather()
	if err != nil {
		return nil // the health tells
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			switch f.GetName() {
			case "simsearch_requests_total":
				c, n := of(m), int(m.GetCounter().GetValue())
				c.all += n
				for _, l := range m.GetLabel() {
					if l.GetName() == "status" && l.GetValue() >= "400" {
						c.failed += n
					}
				}
			case "simsearch_request_seconds":
				of(m).seconds = m.GetHistogram().GetSampleSum()
			}
		}
	}
	facts := []report.Fact{{Name: "running for", Value: terminal.Coarse(time.Since(s.begun))}}
	var all []*count
	for _, c := range counts {
		if c.all > 0 {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *count) int { return cmp.Or(cmp.Compare(b.all, a.all), strings.Compare(a.name, b.name)) })
	for _, c := range all {
		value := fmt.Sprintf("%s, %.2f ms each", terminal.Plural(c.all, "request"), 1e3*c.seconds/float64(c.all))
		if c.failed > 0 {
			value += fmt.Sprintf(", %s refused", terminal.Thousands(c.failed))
		}
		facts = append(facts, report.Fact{Name: strings.ReplaceAll(c.name, "_", "-"), Value: value})
	}
	return facts
}
