package truth

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// LabelsName is the name of the file in the directory of a report in which people say which pairs of documents are near.
const LabelsName = "labels.jsonl"

// longestLabel is the size in bytes of the longest line of labels that is read.
const longestLabel = 64 << 20

// A labelLine is a line of labels: a pair with what is said of it, or a cluster of documents that are near each other. Either A
// and B are set, or Cluster is. Ids are as package terminal writes them in JSON.
type labelLine struct {
	A, B    *string
	Label   any // nil if there is none
	Cluster []string
}

// eachLabel calls do with each line of labels that is not blank, and with its text, which is valid during the call. Errors name the
// line.
func eachLabel(r io.Reader, do func(text []byte, l labelLine) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLabel)
	n := 0
	for lines.Scan() {
		n++
		text := bytes.TrimSpace(lines.Bytes())
		if n == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff")) // as some editors begin a file
		}
		if len(text) == 0 {
			continue
		}
		var l labelLine
		err := json.Unmarshal(text, &l)
		if err == nil && l.Cluster == nil && (l.A == nil || l.B == nil) {
			err = errors.New(`want {"a": …, "b": …} or {"cluster": […]}`)
		}
		if err == nil {
			err = do(text, l)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d: it has more than %d bytes", n+1, longestLabel)
	}
	return lines.Err()
}

// MergeLabels writes the lines of old, which may be nil, and a line with an empty label for each pair that the report shows and
// old does not have, in either order. Lines of old stay as they are, byte for byte but for white space around them. It leaves out
// those that it has written and nobody has changed since, unless the report shows their pair. Errors name the line of old, or are
// those of w.
func MergeLabels(w io.Writer, old io.Reader, r *report.Report) error {
	return mergeLabels(w, old, rowsOf(r))
}

// A labelRow is a line of labels as it is written for a person to fill in.
type labelRow struct {
	A       string `json:"a"`
	B       string `json:"b"`
	Label   string `json:"label"`
	Figures string `json:"figures"`
}

// rowsOf returns a row for each pair that a report shows. Bytes of ids that are not UTF-8 are written as the commands write them.
func rowsOf(r *report.Report) (rows []labelRow) {
	for _, s := range r.Sections {
		for _, examples := range s.Examples {
			for _, p := range examples.Pairs {
				rows = append(rows, labelRow{A: terminal.String.Text(p.A), B: terminal.String.Text(p.B), Figures: p.Figures})
			}
		}
	}
	return rows
}

func mergeLabels(w io.Writer, old io.Reader, rows []labelRow) error {
	out := bufio.NewWriter(w)
	known := map[[2]string]bool{} // pairs that need no line
	if old != nil {
		err := eachLabel(old, func(text []byte, l labelLine) error {
			if untouched(text) {
				return nil // it is written again below if it is still of use
			}
			for _, r := range rows {
				known[r.key()] = known[r.key()] || l.has(r)
			}
			_, err := fmt.Fprintf(out, "%s\n", text)
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, r := range rows {
		if !known[r.key()] {
			known[r.key()] = true
			if _, err := out.Write(r.line()); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// has reports whether a line has the pair of a row.
func (l *labelLine) has(r labelRow) bool {
	if l.Cluster != nil {
		return slices.Contains(l.Cluster, r.A) && slices.Contains(l.Cluster, r.B)
	}
	return (labelRow{A: *l.A, B: *l.B}).key() == r.key()
}

// key returns the ids in an order of their own.
func (r labelRow) key() [2]string { return [2]string{min(r.A, r.B), max(r.A, r.B)} }

func (r labelRow) line() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(r) // texts always have a JSON form, and a buffer takes everything
	return b.Bytes()
}

// untouched reports whether a line is one that MergeLabels has written, and nobody has changed since.
func untouched(text []byte) bool {
	var r labelRow
	return json.Unmarshal(text, &r) == nil && r.Label == "" && bytes.Equal(bytes.TrimSpace(r.line()), text)
}
