package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// A page is what a benchmark has written: its tables, and on what machine.
type page struct {
	name    string
	machine string
	tables  []*table
}

// A table of a page is known by what stands above it: a heading, or a line in bold letters.
type table struct {
	under   string
	columns []string
	rows    [][]string
}

// readPage reads a page of Markdown. It returns nil if there is none.
func readPage(path, name string) (*page, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &page{name: name}
	under := ""
	var last *table
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if at := strings.Index(line, "Machine: "); at >= 0 && p.machine == "" {
			p.machine = strings.TrimSuffix(line[at+len("Machine: "):], ".")
		}
		if inner, ok := strings.CutPrefix(line, "|"); ok {
			cells := strings.Split(strings.TrimSuffix(inner, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			switch {
			case last == nil:
				last = &table{under: under, columns: cells}
				p.tables = append(p.tables, last)
			case strings.Trim(cells[0], "-:") != "" || len(last.rows) > 0:
				last.rows = append(last.rows, cells)
			}
			continue
		}
		last = nil
		if line != strings.TrimLeft(line, "#*") {
			under = strings.Trim(line, "#* ")
		}
	}
	return p, nil
}

// table returns the first table under a heading that begins with these words.
func (p *page) table(under string) (*table, error) {
	for _, t := range p.tables {
		if strings.HasPrefix(t.under, under) {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s has no table under %q", p.name, under)
}

// find returns what the column of a name has in the first row whose first cells begin as given.
func (t *table) find(column string, first ...string) (string, error) {
	for _, row := range t.rows {
		matches := true
		for i, begin := range first {
			matches = matches && strings.HasPrefix(row[i], begin)
		}
		for i, name := range t.columns {
			if matches && name == column && i < len(row) {
				return row[i], nil
			}
		}
	}
	return "", fmt.Errorf("the table under %q has no %q of %q", t.under, column, first)
}

// number is find for a number.
func (t *table) number(column string, first ...string) (float64, error) {
	cell, err := t.find(column, first...)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimRight(cell, " ×s"), 64)
}

// least returns the least number of a column in the rows whose first cells begin so, or infinity.
func (t *table) least(column, first string) float64 {
	least := math.Inf(1)
	for _, row := range t.rows {
		one := table{columns: t.columns, rows: [][]string{row}}
		if x, err := one.number(column, first); err == nil {
			least = min(least, x)
		}
	}
	return least
}

// A benchmark is a line in the format of Go's benchmarks: values by their units.
type benchmark struct {
	name    string
	backend string
	values  map[string]float64
}

// readBenchmarks reads the lines of benchmarks of a file, and the machines that it names, each above what was
// measured there. The number of processors is cut off names.
func readBenchmarks(path string) (all []benchmark, machines []string, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "Machine: "); ok {
			machines = append(machines, strings.TrimSuffix(at, "."))
		}
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		if len(machines) == 0 {
			return nil, nil, fmt.Errorf("%s: no machine is named above %s", path, words[0])
		}
		b := benchmark{strings.TrimPrefix(words[0], "Benchmark"), backendOf(machines[len(machines)-1]), map[string]float64{}}
		if at := strings.LastIndex(b.name, "-"); at >= 0 && strings.Trim(b.name[at+1:], "0123456789") == "" {
			b.name = b.name[:at]
		}
		for i := 2; i+1 < len(words); i += 2 {
			if b.values[words[i+1]], err = strconv.ParseFloat(words[i], 64); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		all = append(all, b)
	}
	return all, machines, lines.Err()
}
