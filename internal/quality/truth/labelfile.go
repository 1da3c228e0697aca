package truth

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// LabelsName is the name of the file in the directory of a report in which people say which pairs of documents are
// near.
const LabelsName = "labels.jsonl"

// longestLabel is the size in bytes of the longest line of labels that is read.
const longestLabel = 64 << 20

// A labelLine is a line of labels: a pair with what is said of it, or a cluster of documents that are near each
// other. Either A and B are set, or Cluster is. Ids are as package terminal writes them in JSON.
type labelLine struct {
	A, B    *string
	Label   any // nil if there is none
	Cluster []string
}

// eachLabel calls do with each line of labels that is not blank. Errors name the line.
func eachLabel(r io.Reader, do func(l labelLine) error) error {
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
			err = do(l)
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

// UnfilledLabels returns a line with an empty label for each pair that a report shows, for a person to fill in. Bytes
// of ids that are not UTF-8 are written as the commands write them.
func UnfilledLabels(r *report.Report) []byte {
	var b bytes.Buffer
	to, written := json.NewEncoder(&b), map[[2]string]bool{}
	to.SetEscapeHTML(false)
	for _, s := range r.Sections {
		for _, examples := range s.Examples {
			for _, p := range examples.Pairs {
				pair := [2]string{min(p.A, p.B), max(p.A, p.B)}
				if written[pair] {
					continue
				}
				written[pair] = true
				_ = to.Encode(struct { // texts always have a JSON form, and a buffer takes everything
					A       string `json:"a"`
					B       string `json:"b"`
					Label   string `json:"label"`
					Figures string `json:"figures"`
				}{A: terminal.String.Text(p.A), B: terminal.String.Text(p.B), Figures: p.Figures})
			}
		}
	}
	return b.Bytes()
}
