package results

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// titled are texts of which each has a title.
type titled []string

func (t titled) Text(doc uint32) (string, error) { return t[doc] + "\nmore", nil }

func (titled) Close() error { return nil }

// A log names each document of a group with some of the others, by addresses that any path has, and by fingerprints
// that no two share.
func TestSARIF(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.sarif")
	x, texts := group{}, titled{}
	for i := range mostRelated + 3 {
		x.docs, x.ids, texts = append(x.docs, uint32(i)), append(x.ids, fmt.Sprintf("a b/%%[1].go:%d:7-%d", i+1, i+2)), append(texts, "func f() {")
	}
	x.ids[1], x.ids[2], texts[2] = "/abs/c.py:3-4", "notes: 1-2.txt", "Notes"
	s, err := CreateSARIF(file, nil, texts)
	if err != nil {
		t.Fatal(err)
	}
	if fresh, err := s.add(x); err != nil || !fresh {
		t.Fatalf("%v, new: %t", err, fresh)
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	s.Close()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		ID               int
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           *struct{ StartLine, EndLine int }
		}
	}
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				Message             struct{ Text string }
				Locations           []place
				RelatedLocations    []place
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != len(x.ids) {
		t.Fatalf("%v: %s", err, text)
	}
	prints := map[string]bool{}
	for i, r := range log.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		uri, lines := "a%20b/%25%5B1%5D.go", fmt.Sprintf("%d-%d", i+1, i+2)
		switch i {
		case 1:
			uri, lines = "/abs/c.py", "3-4"
		case 2:
			uri, lines = "./notes:%201-2.txt", ""
		}
		got := ""
		if at.Region != nil {
			got = fmt.Sprintf("%d-%d", at.Region.StartLine, at.Region.EndLine)
		}
		if at.ArtifactLocation.URI != uri || got != lines {
			t.Errorf("result %d is at %+v, lines %s, want %s, lines %s", i, at, got, uri, lines)
		}
		if len(r.RelatedLocations) != mostRelated || strings.Count(r.Message.Text, "](") != mostRelated || !strings.HasSuffix(r.Message.Text, " and more") {
			t.Errorf("result %d has %d others: %s", i, len(r.RelatedLocations), r.Message.Text)
		}
		for _, other := range r.RelatedLocations {
			if other.ID == i+1 || !strings.Contains(r.Message.Text, fmt.Sprintf("](%d)", other.ID)) {
				t.Errorf("result %d names %d: %s", i, other.ID, r.Message.Text)
			}
		}
		prints[r.PartialFingerprints["primaryLocationLineHash"]] = true
	}
	if !strings.Contains(log.Runs[0].Results[1].Message.Text, `[a b/%\[1\].go:1:7-2](1)`) || len(prints) != len(x.ids) {
		t.Errorf("%d fingerprints, %s", len(prints), text)
	}

	// The log is known to the next run: all of the group, and not what came to it.
	earlier, err := EarlierSARIF([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	later, err := CreateSARIF("", earlier, append(texts, "func g() {"))
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	if fresh, err := later.add(x); err != nil || fresh {
		t.Errorf("a known group: %v, new: %t", err, fresh)
	}
	if fresh, err := later.add(x); err != nil || !fresh {
		t.Errorf("the texts of a known group once more: %v, new: %t", err, fresh)
	}
	x.docs, x.ids = append(x.docs[:1:1], uint32(len(texts))), append(x.ids[:1:1], "new.go:1-9")
	if fresh, err := later.add(x); err != nil || !fresh {
		t.Errorf("a group with a new document: %v, new: %t", err, fresh)
	}
}
