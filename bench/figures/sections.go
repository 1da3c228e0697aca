package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// three returns a number with three digits.
func three(x float64) string { return fmt.Sprintf("%.3g", x) }

// times returns a ratio with two digits, or those before the point.
func times(x float64) string {
	if x >= 99.5 {
		return fmt.Sprintf("%.0f ×", x)
	}
	return fmt.Sprintf("%.2g ×", x)
}

// inShort writes what README.md quotes.
func inShort(b *strings.Builder, hamming, programs, billion, judge *page) error {
	if hamming == nil || programs == nil || billion == nil || judge == nil {
		return nil
	}
	b.WriteString("\n## In short\n\n")
	built, err := billion.table("Fingerprints, from a million on")
	if err != nil {
		return err
	}
	var of [3]float64
	for i, column := range []string{"index, s", "disk, bytes each", "near p50, µs"} {
		if of[i], err = built.number(column, "uniform", "1000000000"); err != nil {
			return err
		}
	}
	fmt.Fprintf(b, "A billion fingerprints are indexed in %.0f s on two processors, in %v bytes each; half of all queries within 3 bits then take at most %v µs.\n\n", of[0], of[1], of[2])
	ratios, err := hamming.table("Ratios to mih-rs")
	if err != nil {
		return err
	}
	alone, err := ratios.find("one at a time", "planted", "9.75 million", "3")
	if err != nil {
		return err
	}
	batch, err := ratios.find("in batches", "planted", "9.75 million", "3")
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "Among ten million fingerprints, searches at k = 3 are %s times as fast as those of mih-rs, or %s times in batches.\n\n| | simsearch, `--jaccard 0.8` | datasketch 2.0.0 | text-dedup 0.4.0 |\n|---|---|---|---|\n", alone, batch)
	means, err := programs.table("Means over")
	if err != nil {
		return err
	}
	for _, row := range []struct{ what, column, bold string }{
		{"doc-F of " + strings.TrimPrefix(strings.Replace(means.under, " collections", " labelled collections", 1), "Means over "), "doc-F", "**"},
		{"copies found with 5 % of their words changed", "copies found, 5 % of words", ""},
	} {
		var cells [4]string
		for i, program := range []string{"simsearch", "datasketch", "datasketch, 0.5", "text-dedup"} {
			x, err := means.number(row.column, program)
			if err != nil {
				return err
			}
			cells[i] = share(x)
		}
		fmt.Fprintf(b, "| %s | %s | %s (%s at 0.5) | %s |\n", row.what, row.bold+cells[0]+row.bold, cells[1], cells[2], cells[3])
	}
	b.WriteString("\nThe definitions of simsearch, on the same collections:\n\n| near is | doc-F | precision | recall |\n|---|---|---|---|\n")
	for _, way := range [][2]string{
		{"simsearch", "sets of words, `--jaccard 0.8`"},
		{"simsearch, MinHash, bands", "the same, by MinHash and bands of recall 0.95"},
		{"simsearch, --k 3", "fingerprints of words, `--k 3`"},
	} {
		fmt.Fprintf(b, "| %s |", way[1])
		for _, column := range []string{"doc-F", "precision", "recall"} {
			x, err := means.number(column, way[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(b, " %s |", share(x))
		}
		b.WriteString("\n")
	}
	judged, err := judge.table("Means")
	if err != nil {
		return err
	}
	const all = "labels and first generator (26)"
	trained, err := judged.number("judge", all)
	if err != nil {
		return err
	}
	other, err := judged.number("family left out", all)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\nThe judge, which decides without flags, reaches a doc-F of %s (%s on kinds left out of training).\n", share(trained), share(other))
	return nil
}

// share returns a share with two digits and no zero before the point.
func share(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0") }

func features(p *page) ([][]string, error) {
	rows := [][]string{{"texts, one thread", "MB/s", "beside others"}}
	for _, t := range p.tables {
		if len(t.rows) == 0 {
			continue
		}
		var others []string
		for _, row := range t.rows {
			if !strings.HasPrefix(row[0], "simsearch") {
				by, err := strconv.ParseFloat(row[3], 64)
				if err != nil {
					return nil, err
				}
				others = append(others, times(by)+" "+row[0])
			}
		}
		rows = append(rows, []string{t.under + ": " + t.rows[0][0], t.rows[0][1], strings.Join(others, "; ")})
	}
	return rows, nil
}

func hamming(p *page) ([][]string, error) {
	ratios, err := p.table("Ratios to mih-rs")
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"fingerprints in memory, one thread", "k", "µs a query, in batches", "times as fast as mih-rs, one at a time", "in batches", "times as fast as FAISS, in batches"}}
	for _, row := range ratios.rows {
		if row[0] != "planted" {
			continue
		}
		t, err := p.table(fmt.Sprintf("planted, %s fingerprints, k = %s", row[1], row[2]))
		if err != nil {
			return nil, err
		}
		ours, err := t.number("in a batch", "simsearch")
		if err != nil {
			return nil, err
		}
		faiss := ""
		if x := t.least("in a batch", "FAISS"); !math.IsInf(x, 1) {
			faiss = times(x / ours)
		}
		rows = append(rows, []string{row[1], row[2], three(ours), row[3] + " ×", row[4] + " ×", faiss})
	}
	pairs, err := p.table("All pairs")
	if err != nil {
		return nil, err
	}
	rows = append(rows, nil, []string{"all pairs of fingerprints, one thread", "k", "pairs", "s", "s to sort, for comparison", "simhash-cpp, s"})
	for _, row := range pairs.rows {
		if row[0] == "planted" || row[0] == "skewed" {
			rows = append(rows, []string{row[0] + ", " + row[1], row[2], row[3], row[4], row[5], row[6]})
		}
	}
	return rows, nil
}

func sketches(p *page) ([][]string, error) {
	t, err := p.table("MinHash beside")
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"200 features", "µs a sketch", "time ÷ the default's", "error ÷ that of independent functions"}}
	rows = append(rows, t.rows...)
	bySize, err := p.table("By size")
	if err != nil {
		return nil, err
	}
	rows = append(rows, nil, []string{"features, ready hashes", "µs, " + bySize.columns[1], "µs, rensa", "times as fast as rensa"})
	for _, row := range bySize.rows {
		ours, err := bySize.number(bySize.columns[1], row[0])
		if err != nil {
			return nil, err
		}
		rensa, err := bySize.number("rensa, RMinHash", row[0])
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{row[0], row[1], three(rensa), times(rensa / ours)})
	}
	return rows, nil
}

func joins(p *page) ([][]string, error) {
	rows := [][]string{{"sets, one thread", "simsearch, exact, s", "processor time ÷ ours, and near pairs that are missed"}}
	for _, t := range p.tables {
		ours, err := t.find("processor s", "simsearch, exact", "1")
		if err != nil {
			continue // not a table of programs
		}
		var others []string
		for _, row := range t.rows {
			if row[1] == "1" && !strings.HasPrefix(row[0], "simsearch, exact") {
				others = append(others, fmt.Sprintf("%s: %s, %s", row[0], row[4], row[9]))
			}
		}
		rows = append(rows, []string{t.under, ours, strings.Join(others, "; ")})
	}
	return rows, nil
}

func dedup(p *page) ([][]string, error) { return whole(p, "Cleaning a collection") }

// whole returns the table under a heading as it is.
func whole(p *page, under string) ([][]string, error) {
	t, err := p.table(under)
	if err != nil {
		return nil, err
	}
	return append([][]string{t.columns}, t.rows...), nil
}

func size(p *page) ([][]string, error) {
	rows, err := whole(p, "Cleaning collections")
	if err != nil {
		return nil, err
	}
	others, err := whole(p, "What others publish")
	if err != nil {
		return nil, err
	}
	others[0][0] = "published by others, of other machines and data"
	return append(append(rows, nil), others...), nil
}

// programs are quoted with two digits.
func programs(p *page) ([][]string, error) {
	rows, err := whole(p, "Means over")
	if err != nil {
		return nil, err
	}
	for _, row := range rows[1:] {
		for i, cell := range row[1:] {
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, err
			}
			row[1+i] = share(x)
		}
	}
	t, err := p.table("Means over")
	if err != nil {
		return nil, err
	}
	rows[0][0] = strings.ToLower(t.under)
	return rows, nil
}
