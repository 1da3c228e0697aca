// Package labels is the file in which people say which pairs of documents are near: how its lines are read, and how new pairs
// are put into it without the loss of a label.
package labels

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"simsearch/internal/idtext"
)

// Name is the name of the file in the directory of a report.
const Name = "labels.jsonl"

// longest is the size in bytes of the longest line that is read.
const longest = 64 << 20

// A Line is a line of the file: a pair with what is said of it, or a cluster of documents that are near each other. Either A
// and B are set, or Cluster is. Ids are as package idtext writes them in JSON.
type Line struct {
	A, B    *string
	Label   any // nil if there is none
	Cluster []string
}

// Parse reads a line. The error says what the line should be.
func Parse(text []byte) (l Line, err error) {
	if err := json.Unmarshal(text, &l); err != nil {
		return l, err
	}
	if l.Cluster == nil && (l.A == nil || l.B == nil) {
		return l, errors.New(`want {"a": …, "b": …} or {"cluster": […]}`)
	}
	return l, nil
}

// Said returns the label as a text in lower case, if it is a text. It is empty if nobody has judged the pair yet.
func (l *Line) Said() (label string, ok bool) {
	label, ok = l.Label.(string)
	return strings.ToLower(strings.TrimSpace(label)), ok
}

// Each calls do with each line that is not blank, and with its text, which is valid during the call. Errors of Parse and of do
// name the line.
func Each(r io.Reader, do func(text []byte, l Line) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longest)
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
		l, err := Parse(text)
		if err == nil {
			err = do(text, l)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d: it has more than %d bytes", n+1, longest)
	}
	return lines.Err()
}

// A Pair is a pair of documents to be judged: their ids, and what is known of them.
type Pair struct{ A, B, Figures string }

// Merge writes the lines of old, which may be nil, and a line with an empty label for each of the pairs that old does not have,
// in either order. Lines of old stay as they are, byte for byte but for white space around them. It leaves out those that
// Merge has written and nobody has changed since, unless their pair is one of pairs. The errors are those of Each and of w.
func Merge(w io.Writer, old io.Reader, pairs []Pair) error {
	out := bufio.NewWriter(w)
	known := map[[2]string]bool{} // pairs that need no line
	if old != nil {
		err := Each(old, func(text []byte, l Line) error {
			if untouched(text) {
				return nil // it is written again below if it is still of use
			}
			for _, p := range pairs {
				if l.has(p) {
					known[p.key()] = true
				}
			}
			_, err := fmt.Fprintf(out, "%s\n", text)
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, p := range pairs {
		if pair := p.key(); !known[pair] {
			known[pair] = true
			if _, err := out.Write(p.line()); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// has reports whether a line has a pair.
func (l *Line) has(p Pair) bool {
	pair := p.key()
	if l.Cluster != nil {
		return slices.Contains(l.Cluster, pair[0]) && slices.Contains(l.Cluster, pair[1])
	}
	return ordered(*l.A, *l.B) == pair
}

// key returns the ids as the file has them, in an order of their own.
func (p Pair) key() [2]string { return ordered(idtext.String.Text(p.A), idtext.String.Text(p.B)) }

func ordered(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// A row is a line as it is written for a person to fill in.
type row struct {
	A       string `json:"a"`
	B       string `json:"b"`
	Label   string `json:"label"`
	Figures string `json:"figures"`
}

// line returns the line of a pair that nobody has judged. Bytes of ids that are not UTF-8 are written as the commands write
// them.
func (p Pair) line() []byte {
	return row{idtext.String.Text(p.A), idtext.String.Text(p.B), "", p.Figures}.line()
}

func (r row) line() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(r) // texts always have a JSON form, and a buffer takes everything
	return b.Bytes()
}

// untouched reports whether a line is one that Merge has written, and nobody has changed since.
func untouched(text []byte) bool {
	var r row
	return json.Unmarshal(text, &r) == nil && r.Label == "" && bytes.Equal(bytes.TrimSpace(r.line()), text)
}
