package main

import (
	"os"
	"strings"
	"testing"
)

const measured = "../../docs/measured"

// The page is what the program makes of the others.
func TestPageIsCurrent(t *testing.T) {
	want, err := os.ReadFile(measured + "/FIGURES.md")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := write(&got, measured); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Error("docs/measured/FIGURES.md is not current: run bench/run.sh figures")
	}
}

// A page that lacks what is quoted of it is an error, and one that is not there is told.
func TestMissingPages(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	if err := write(&b, dir); err != nil || strings.Count(b.String(), "Not measured yet") != len(sections)+1 {
		t.Errorf("%v, %s", err, b.String())
	}
	if err := os.WriteFile(dir+"/BENCHMARKS-DEDUP.md", []byte("# Cleaning\n\nno table\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := write(&b, dir); err == nil || !strings.Contains(err.Error(), "BENCHMARKS-DEDUP.md") {
		t.Errorf("a page without its table: %v", err)
	}
}

// Lines of benchmarks are read without the number of processors, and stand in the column of their backend.
func TestBenchmarks(t *testing.T) {
	path := t.TempDir() + "/OWN.txt"
	text := "Machine: a machine, backend quick, here.\nBenchmarkCommand/start 50 0.003 s-processor 14 MB-memory\nBenchmarkNear/n=10/search=scan-2 \t 7\t 2100 ns/op\n" +
		"Machine: a machine, backend slow, here.\nBenchmarkCommand/start 50 0.004 s-processor 15 MB-memory\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := own(&b, path); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" Machine: a machine, backend slow, here.", "| s, quick | s, slow |", "| start | 0.003 | 0.004 | 0 |  | 14 |", "| near k = 3, in files: n=10, search=scan | 2.1 µs |  |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
	if err := os.WriteFile(path, []byte("BenchmarkSum 1 2 ns/op\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := own(&b, path); err == nil {
		t.Error("figures of no machine are taken")
	}
}

// Of each measure, the best program is told that is better than simsearch with its defaults.
func TestBehind(t *testing.T) {
	dir := t.TempDir()
	page := "# Cleaning\n\n## Cleaning a collection\n\n| program | s | MB | lost |\n|---|---|---|---|\n" +
		"| simsearch dedup | 2.0 | 10 | 0 |\n| simsearch --fast | 0.1 | 1 | 0 |\n| slow | 3.0 | 9 | 0 |\n| lean | 1.50 s | 4 / 3 | 1 |\n"
	if err := os.WriteFile(dir+"/BENCHMARKS-DEDUP.md", []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := behind(&b, dir); err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(b.String(), "|---|---|---|---|---|\n")
	of := " | [BENCHMARKS-DEDUP.md](BENCHMARKS-DEDUP.md) |\n"
	want := "| Cleaning a collection | s | 2.0 | lean: 1.50 s" + of + "| Cleaning a collection | MB | 10 | lean: 4 / 3" + of
	if rows != want {
		t.Errorf("got\n%s\nwant\n%s", rows, want)
	}
}
