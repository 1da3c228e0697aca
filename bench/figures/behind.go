package main

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A measure is a column in which programs are compared.
type measure struct {
	column string
	less   bool // less is better
}

// A contest is where programs stand below each other. Rows that begin with simsearch are ours, and the first of them
// has the defaults.
type contest struct {
	source string
	under  string            // the beginning of the heading of its tables
	rows   map[string]string // what a column of the rows has to be
	of     []measure
}

var contests = []contest{
	{"BENCHMARKS-TEXT.md", "", nil, []measure{{"MB/s", false}}},
	{"BENCHMARKS-JOINS.md", "", map[string]string{"threads": "1"}, []measure{{"processor s", true}, {"MB", true}}},
	{"BENCHMARKS-DEDUP.md", "Cleaning a collection", nil, []measure{{"s", true}, {"processor, s", true}, {"MB", true}, {"near pairs left", true}, {"lost", true}}},
	{"BENCHMARKS-PASSAGES.md", "", nil, []measure{{"precision", false}, {"recall", false}, {"F1", false}, {"area under precision and recall", false}, {"best F1", false}, {"processor s", true},
		{"as it is", false}, {"1 % of words changed", false}, {"5 %", false}, {"10 %", false}, {"15 %", false}, {"20 %, beyond the bounds", false}, {"halves exchanged, 5 %", false}, {"capitals, 5 %", false},
		{"all of it", false}, {"all, in capitals, with commas", false}, {"half of it", false}, {"13 words", false}, {"memory, GB", true}}},
	{"BENCHMARKS-SERVE.md", "Beside other servers", nil, []measure{{"found", false}, {"singly, a second, 64 clients", false}, {"one by one, p50 / p99, ms", true}, {"in batches of 100, a second", false},
		{"memory, MB", true}, {"ready, s", true}}},
	{"EVALUATION-TABLES.md", "Means over", nil, []measure{{"doc-F", false}, {"precision", false}, {"recall", false}, {"doc-F without labels of people", false}, {"copies found, 2 % of words", false},
		{"copies found, 5 % of words", false}, {"copies found, 10 % of words", false}}},
}

// behind writes where another program is better by a measure than simsearch with its defaults: the best of them.
func behind(b *strings.Builder, dir string) error {
	rows := [][]string{{"what", "measured", "simsearch", "ahead of it", "page"}}
	for _, c := range contests {
		p, err := readPage(filepath.Join(dir, c.source), c.source)
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		for _, t := range p.tables {
			if !strings.HasPrefix(t.under, c.under) {
				continue
			}
			for _, m := range c.of {
				ours, theirs, who := m.best(t, c.rows)
				if who != "" {
					rows = append(rows, []string{t.under, m.column, ours, who + ": " + theirs, "[" + c.source + "](" + c.source + ")"})
				}
			}
		}
	}
	if len(rows) == 1 {
		return nil
	}
	b.WriteString("\n## Where simsearch is behind\n\nIn these measurements, another program is better than simsearch with its defaults. The best of them is named. " +
		"A program that takes less may find less: its page says what it finds.")
	writeTable(b, rows)
	return nil
}

// best returns what a table says of simsearch and of the best of the programs that are better, or "" as its name.
func (m measure) best(t *table, wanted map[string]string) (ours, theirs, who string) {
	at := slices.Index(t.columns, m.column)
	if at < 0 {
		return "", "", ""
	}
	least := math.Inf(1)
	for _, row := range t.rows {
		if len(row) <= at || !fits(t, row, wanted) {
			continue
		}
		x, ok := m.rank(row[at])
		switch {
		case !ok:
		case strings.HasPrefix(row[0], "simsearch"):
			if ours == "" {
				ours, least = row[at], x
			}
		case ours != "" && x < least:
			theirs, who, least = row[at], row[0], x
		}
	}
	return ours, theirs, who
}

// fits reports whether columns of a row are as wanted.
func fits(t *table, row []string, wanted map[string]string) bool {
	for column, value := range wanted {
		if at := slices.Index(t.columns, column); at < 0 || row[at] != value {
			return false
		}
	}
	return true
}

// rank returns the first number of a cell, such as 12 of "12 / 7 ms", negated if more is better.
func (m measure) rank(cell string) (float64, bool) {
	words := strings.Fields(strings.Trim(cell, "* "))
	if len(words) == 0 {
		return 0, false
	}
	x, err := strconv.ParseFloat(words[0], 64)
	if !m.less {
		x = -x
	}
	return x, err == nil
}
