package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"simsearch/bench/labelled"
	"simsearch/bench/machine"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
	"simsearch/preprocess"
)

// An answer is the pairs that a program finds in a collection when it is told nothing but where the texts
// are.
type answer struct {
	Name  string      `json:"name"`
	Pairs [][2]uint32 `json:"pairs"`
}

// ours is the name of this program among the others.
const ours = "simsearch"

// A compared collection has the score of each program.
type compared struct {
	*judge
	scores map[string]*score
	pairs  [][2]uint32 // that ours has printed
}

// A runner runs programs on collections.
type runner struct {
	scratch         string // a directory
	program, python string
	order           []string // the names of the programs
}

// run asks all programs for the near pairs of a collection. Without labels it asks only ours.
func (r *runner) run(c *labelled.Collection) (*compared, error) {
	t, err := newJudge(c)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(r.scratch, "texts.jsonl")
	if err := writeTexts(path, c.Texts); err != nil {
		return nil, err
	}
	own, err := r.ask(path)
	if err != nil {
		return nil, err
	}
	answers := own[:1]
	if c.Labels != nil {
		others, err := askOthers(r.python, path)
		if err != nil {
			return nil, err
		}
		answers = append(own, others...)
	}
	out := &compared{t, map[string]*score{}, own[0].Pairs}
	for _, a := range answers {
		pairs := make([]truth.Pair, len(a.Pairs))
		for i, p := range a.Pairs {
			pairs[i] = truth.Pair{A: min(p[0], p[1]), B: max(p[0], p[1])}
		}
		out.scores[a.Name] = t.score(pairs)
		if len(out.scores) > len(r.order) {
			r.order = append(r.order, a.Name)
		}
	}
	return out, nil
}

// writeTexts writes texts as JSON Lines, with running numbers as ids, and with the words by which ours compares them.
func writeTexts(path string, texts [][]byte) error {
	words, err := preprocess.New(preprocess.Options{Language: "none"})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	var doc preprocess.Document
	for i, text := range texts {
		words.Analyze(&doc, text)
		all := make([]string, doc.Len())
		for i := range all {
			all[i] = string(doc.Feature(i))
		}
		line, err := json.Marshal(struct {
			ID    string   `json:"id"`
			Text  string   `json:"text"`
			Words []string `json:"words"`
		}{strconv.Itoa(i), string(bytes.ToValidUTF8(text, []byte(string(utf8.RuneError)))), all})
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// ways are the searches of simsearch that are measured: without any setting, and as the names of the others say.
var ways = []struct {
	name         string
	index, pairs []string
}{
	{ours, nil, nil},
	{ours + ", --k 3", nil, []string{"--k", "3"}},
	{ours + ", MinHash, bands of recall 0.95", []string{"--mode", "minhash", "--perms", "128", "--recall", "0.95"}, nil},
}

// ask returns what simsearch index and simsearch pairs print, in each way.
func (r *runner) ask(path string) (answers []answer, err error) {
	index := filepath.Join(r.scratch, "index")
	for i, w := range ways {
		if i == 0 || w.index != nil {
			if err := os.RemoveAll(index); err != nil {
				return nil, err
			}
			if _, err := r.output(append(append([]string{"index", "--index", index}, w.index...), path)); err != nil {
				return nil, err
			}
		}
		out, err := r.output(append([]string{"pairs", "--index", index}, w.pairs...))
		if err != nil {
			return nil, err
		}
		pairs, err := readPairs(out)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer{w.name, pairs})
	}
	return answers, nil
}

// output returns what the program prints. That it finds no pair is no error.
func (r *runner) output(args []string) ([]byte, error) {
	command := exec.Command(r.program, args...)
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil && (args[0] == "index" || command.ProcessState.ExitCode() != 1) {
		return nil, fmt.Errorf("%s: %w: %s", args[0], err, problems.Bytes())
	}
	return out, nil
}

// readPairs reads lines with two numbers and more behind tabs.
func readPairs(lines []byte) (pairs [][2]uint32, err error) {
	for line := range strings.Lines(string(lines)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		var pair [2]uint32
		for i := range pair {
			n, err := strconv.ParseUint(columns[i], 10, 32)
			if err != nil {
				return nil, err
			}
			pair[i] = uint32(n)
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

// askOthers returns what the other programs find.
func askOthers(python, path string) (answers []answer, err error) {
	out, err := exec.Command(python, "peers/default/near.py", path).Output()
	if err != nil {
		return nil, fmt.Errorf("near.py: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<30)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return nil, fmt.Errorf("near.py: %w", err)
		}
		answers = append(answers, a)
	}
	return answers, lines.Err()
}

// writePrograms measures all programs on the collections, ours on directories, too, and returns the section.
func writePrograms(data, program, python, drawings string, directories []string) (*report.Report, error) {
	scratch, err := os.MkdirTemp("", "default")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	r := &runner{scratch: scratch, program: program, python: python}
	var known, drawn []*compared
	try := func(c *labelled.Collection, err error) error {
		if err != nil {
			return err
		}
		log.Printf("%s: %d documents", c.Name, len(c.Texts))
		m, err := r.run(c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if c.Labels != nil {
			known = append(known, m)
		}
		if c.Labels == nil || strings.HasPrefix(c.Name, "sentences") {
			drawn = append(drawn, m)
		}
		return nil
	}
	for _, s := range labelled.Sources {
		if err := try(s.Load(data)); err != nil {
			return nil, err
		}
	}
	for _, b := range labelled.Bases {
		if err := try(labelled.Copies(data, b, labelled.Edits)); err != nil {
			return nil, err
		}
	}
	for _, name := range drawnFrom {
		if err := try(labelled.Load(data, name, "")); err != nil {
			return nil, err
		}
	}
	for _, d := range directories {
		name, dir, _ := strings.Cut(d, "=")
		if err := try(labelled.LoadDirectory(name, dir, 0)); err != nil {
			return nil, err
		}
	}
	report := &report.Report{Title: "Beside other programs, all with their defaults"}
	s := section(report, "", report.Title, append(slices.Clone(besideOthers), machine.Line()))
	tableOfPrograms(s, r.order, known)
	s.Plots = append(s.Plots, plotOfPrograms(r.order, known))
	tableOfProgramsByKind(s, r.order, known)
	tableOfProgramsByCollection(s, r.order, known)
	s = section(report, "default-drawn", "Are the pairs that are printed near?", drawnText)
	return report, tableOfDrawn(s, drawn, drawings)
}

// section appends a section to a report.
func section(r *report.Report, name, title string, text []string) *report.Section {
	s := &report.Section{Name: name, Title: title, Text: text}
	r.Sections = append(r.Sections, s)
	return s
}

// precision returns the share of the judged pairs found that are labelled near, and 1 if there are none.
func (s *score) precision() float64 {
	all := s.found
	for _, n := range s.wrong {
		all += n
	}
	if all == 0 {
		return 1
	}
	return float64(s.found) / float64(all)
}

// meanOf returns the mean of a figure of a program over collections.
func meanOf(all []*compared, program string, figure func(*score) float64) float64 {
	sum := 0.0
	for _, m := range all {
		sum += figure(m.scores[program])
	}
	return sum / float64(len(all))
}

func onlyKinds(all []*compared, wanted func(labelled.Kind) bool) (out []*compared) {
	for _, m := range all {
		if wanted(m.Kind) {
			out = append(out, m)
		}
	}
	return out
}

func tableOfPrograms(s *report.Section, programs []string, all []*compared) {
	columns := []string{"program", "doc-F", "precision", "recall", "doc-F without labels of people"}
	how := labelled.Edits[:3]
	for _, e := range how {
		columns = append(columns, "copies found, "+e.Name)
	}
	t := s.AddTable(fmt.Sprintf("Means over %d collections", len(all)), columns...)
	others := onlyKinds(all, func(k labelled.Kind) bool { return k != labelled.People })
	for _, p := range programs {
		row := []any{p}
		for _, v := range []float64{meanOf(all, p, (*score).docF), meanOf(all, p, (*score).precision), meanOf(all, p, (*score).recall), meanOf(others, p, (*score).docF)} {
			row = append(row, fmt.Sprintf("%.3f", v))
		}
		for _, e := range how {
			made, found := 0, 0
			for _, m := range all {
				for _, by := range m.Edits {
					if by == e.Name {
						made++
					}
				}
				found += m.scores[p].copies[e.Name]
			}
			row = append(row, fmt.Sprintf("%.3f", float64(found)/float64(made)))
		}
		t.Add(row...)
	}
}

// plotOfPrograms shows the means of precision and recall.
func plotOfPrograms(programs []string, all []*compared) *report.Plot {
	p := &report.Plot{
		Title: fmt.Sprintf("Near duplicates found with defaults, means over %d collections", len(all)),
		X:     report.Axis{Name: "recall: share of the near pairs that are found", Max: 1},
		Y:     report.Axis{Name: "precision: share of what is found that is near", Max: 1},
	}
	for _, name := range programs {
		at := [2]float64{meanOf(all, name, (*score).recall), meanOf(all, name, (*score).precision)}
		p.Series = append(p.Series, report.Series{Name: name, Points: [][2]float64{at}})
	}
	return p
}

func tableOfProgramsByKind(s *report.Section, programs []string, all []*compared) {
	columns := []string{"program"}
	for k, name := range labelled.KindNames {
		columns = append(columns, fmt.Sprintf("%s (%d)", name, len(onlyKinds(all, func(o labelled.Kind) bool { return o == labelled.Kind(k) }))))
	}
	t := s.AddTable("Mean doc-F, precision, recall by the kind of labels", columns...)
	for _, p := range programs {
		row := []any{p}
		for k := range labelled.Kinds {
			of := onlyKinds(all, func(o labelled.Kind) bool { return o == k })
			row = append(row, fmt.Sprintf("%.3f, %.2f, %.2f", meanOf(of, p, (*score).docF), meanOf(of, p, (*score).precision), meanOf(of, p, (*score).recall)))
		}
		t.Add(row...)
	}
}

func tableOfProgramsByCollection(s *report.Section, programs []string, all []*compared) {
	t := s.AddTable("Doc-F, precision, recall of each collection", append([]string{"collection", "labels"}, programs...)...)
	for _, m := range all {
		row := []any{m.Name, labelled.KindNames[m.Kind]}
		for _, p := range programs {
			c := m.scores[p]
			row = append(row, fmt.Sprintf("%.2f, %.2f, %.2f", c.docF(), c.precision(), c.recall()))
		}
		t.Add(row...)
	}
}
