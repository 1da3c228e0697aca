package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// own writes what was measured of simsearch by itself, with a column for each backend.
func own(b *strings.Builder, file string) error {
	all, machines, err := readBenchmarks(file)
	if err != nil {
		return err
	}
	b.WriteString("\n## Simsearch by itself\n\n")
	if all == nil {
		b.WriteString("Not measured yet: `bench/run.sh own` does.\n")
		return nil
	}
	fmt.Fprintf(b, "[%s](%[1]s), by `bench/run.sh own`, in one run with each vector backend of the processor.", path.Base(file))
	var backends []string
	for _, m := range machines {
		fmt.Fprintf(b, " Machine: %s.", m)
		backends = append(backends, backendOf(m))
	}
	for i, t := range ownTables {
		if i > 0 {
			b.WriteString("\n")
		}
		head := slices.Clone(t.labels)
		for _, backend := range backends {
			head = append(head, t.unit+", "+backend)
		}
		rows := [][]string{append(head, t.others...)}
		at := map[string]int{}
		for _, m := range all {
			labels, figure, others, ok := t.row(m)
			if !ok {
				continue
			}
			name := strings.Join(labels, "\n")
			if at[name] == 0 {
				at[name] = len(rows)
				rows = append(rows, slices.Concat(labels, make([]string, len(backends)), others))
			}
			rows[at[name]][len(labels)+slices.Index(backends, m.backend)] = figure
		}
		if len(rows) > 1 {
			writeTable(b, rows)
		}
	}
	return nil
}

// An ownTable has rows of labels, a figure for each backend, and what else was measured with the first of them.
type ownTable struct {
	labels []string
	unit   string
	others []string
	row    func(m benchmark) (labels []string, figure string, others []string, ok bool)
}

var ownTables = []ownTable{
	{[]string{"command, of 50,195 film reviews, 67.7 MB"}, "s", []string{"wall time, s", "MB/s of wall time", "MB of memory", "bytes written a document"}, func(m benchmark) ([]string, string, []string, bool) {
		name, ok := strings.CutPrefix(m.name, "Command/")
		others := []string{three(m.values["s-wall"]), "", fmt.Sprintf("%.0f", m.values["MB-memory"]), ""}
		if written := m.values["B-written"]; written > 0 {
			others[1], others[3] = three(m.values["MB/s"]), fmt.Sprintf("%.0f", written/50_195)
		}
		return []string{strings.ReplaceAll(name, "/", ", ")}, three(m.values["s-processor"]), others, ok
	}},
	{[]string{"fingerprints, sketches and pictures"}, "time", nil, func(m benchmark) ([]string, string, []string, bool) {
		of, name, _ := strings.Cut(m.name, "/")
		what, unit, by := "", "µs", 1e3
		switch {
		case of == "Write":
			what, unit, by = "an index is written", "s", 1e9
		case of == "Near":
			what = "near k = 3, in files"
		case of == "NearMemory":
			what = "near, in memory"
			m.values["ns/op"] = m.values["µs/query"] * 1e3
		case of == "Pairs":
			what, unit, by = "pairs", "ms", 1e6
		case of == "Sketch":
			what = "sketch of a set"
		case of == "Sum":
			what, unit, by = "hash of a JPEG of 2 million pixels", "ms", 1e6
		default:
			return nil, "", nil, false
		}
		return []string{what + ": " + strings.ReplaceAll(name, "/", ", ")}, three(m.values["ns/op"]/by) + " " + unit, nil, true
	}},
	{[]string{"text to words, one thread", "collection", "--lang"}, "MB/s", nil, func(m benchmark) ([]string, string, []string, bool) {
		of := map[string]string{}
		for part := range strings.SplitSeq(m.name, "/") {
			key, value, _ := strings.Cut(part, "=")
			of[key] = value
		}
		return []string{of["script"], of["collection"], of["lang"]}, three(m.values["MB/s"]), nil, strings.HasPrefix(m.name, "Scripts/") && of["documents"] == "own"
	}},
}

// backendOf returns the backend that a line on a machine names.
func backendOf(machine string) string {
	_, rest, _ := strings.Cut(machine, "backend ")
	name, _, _ := strings.Cut(rest, ",")
	return name
}
