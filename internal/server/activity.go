package server

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// Activity says what the server has answered since it began, for people: the requests for each operation, the most frequent first.
func (s *Server) Activity() []report.Fact {
	facts := []report.Fact{{Name: "running for", Value: terminal.Coarse(time.Since(s.begun))}}
	s.counts.mutex.Lock()
	all := maps.Clone(s.counts.operations)
	s.counts.mutex.Unlock()
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b].all.Load(), all[a].all.Load()), strings.Compare(a, b))
	}) {
		o := all[name]
		n, failed := int(o.all.Load()), int(o.failed.Load())
		if n == 0 {
			continue
		}
		value := fmt.Sprintf("%s, %.2f ms each", terminal.Plural(n, "request"), float64(o.nanoseconds.Load())/1e6/float64(n))
		if failed > 0 {
			value += fmt.Sprintf(", %s refused", terminal.Thousands(failed))
		}
		facts = append(facts, report.Fact{Name: strings.ReplaceAll(name, "_", "-"), Value: value})
	}
	return facts
}
