package eval

import (
	"bufio"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/shareddata"
)

// On real collections, the search by Jaccard similarity must reach the recall that is asked for, at every
// threshold, and find nothing that is not near.
func TestRecallOnRealCollections(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("real collections")
	}
	collections := map[string]string{"reuters21578": "word:3", "powershell-docs": "word:3", "debian-copyright": "word:3", "spdx-licenses": "word:3", "sms-spam": "words", "er-cora": "char:4", "irplag-java": "word:3"}
	var names []string
	for name := range collections {
		names = append(names, name)
	}
	dir := shareddata.Dev(t, names...)
	for name, features := range collections {
		s := analysis.Classic()
		s.Language = "none"
		if err := s.Features.UnmarshalText([]byte(features)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name, "docs.jsonl")
		c, err := Load(t.Context(), func() iter.Seq2[*document.Document, error] { return jsonLines(t, path) }, LoadOptions{Name: name, Settings: s, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		section, err := recall(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range section.Tables[0].Rows {
			pairs, wanted, precision, recall := row[1].(int), row[2].(float64), row[4].(Rate), row[5].(Rate)
			if precision.Hits != precision.Trials {
				t.Errorf("%s: %v: precision %+v", name, row[0], precision)
			}
			if pairs > 0 && recall.Share < wanted {
				t.Errorf("%s: %v: recall %+v, want %v", name, row[0], recall, wanted)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// jsonLines yields the documents of a file of the shared data.
func jsonLines(t *testing.T, path string) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var row struct{ ID, Text string }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			if !yield(&document.Document{ID: []byte(row.ID), Text: []byte(row.Text)}, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}
