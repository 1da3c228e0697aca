package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
)

// indexOf returns an index of texts, which may be errors: then the document has an empty text.
func indexOf(t *testing.T, ids []string, of texts) *index.Snapshot {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "idx")
	w, err := index.OpenWriter(dir, analysis.Default(), index.WriterOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Ingest(t.Context(), func(yield func(*document.Document, error) bool) {
		for i, id := range ids {
			text, _ := of[i].(string)
			if !yield(&document.Document{ID: []byte(id), Text: []byte(text)}, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix
}

const notice = "The bridge over the river is closed for repairs until the end of May, says the mayor of the town"

var (
	groupedIDs   = []string{"archive/2024/a.txt", "archive/2024/bridge.txt", "archive/2024/copy.txt", "archive/2025/bridge.txt"}
	groupedTexts = texts{"Something else", notice, notice, strings.Replace(notice, "May", "June", 1)}
)

// printGroups prints the groups of an index.
func printGroups(t *testing.T, ix *index.Snapshot, near index.Predicate, asJSON bool, prepare func(p *Groups)) string {
	t.Helper()
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	p := &Groups{Index: ix, Near: Nearness{Predicate: near}}
	p.Rows = terminal.NewList(w, false, asJSON)
	prepare(p)
	if err := ix.Groups(t.Context(), near, index.PairOptions{Threads: 1}, p.Print); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGroups(t *testing.T) {
	ix := indexOf(t, groupedIDs, groupedTexts)
	bySets, byDistance := index.Similar(0.8), index.Within(20)
	for _, test := range []struct {
		name    string
		near    index.Predicate
		json    bool
		prepare func(p *Groups)
		want    string
	}{
		{"shown list", byDistance, false, func(p *Groups) {
			p.Shower = &Shower{Texts: groupedTexts, Limit: 0}
		}, "1\t3\t8\tarchive/2024/bridge.txt\n" + notice[:74] + "…\n\n" +
			"1\t3\t8\tarchive/2024/copy.txt\nthe texts are equal\n\n" +
			"1\t3\t8\tarchive/2025/bridge.txt\n" + strings.Replace(notice[:75], "May", "June", 1)[:75] + "…\n1 difference\nthey differ in a name: may / june\n\n"},
		{"list", bySets, false, func(*Groups) {},
			"1\t3\t0.8750\tarchive/2024/bridge.txt\n1\t3\t0.8750\tarchive/2024/copy.txt\n1\t3\t0.8750\tarchive/2025/bridge.txt\n"},
		{"JSON", bySets, true, func(*Groups) {},
			`{"v":1,"group":1,"size":3,"representative":"archive/2024/bridge.txt","min_similarity":0.875,"ids":["archive/2024/bridge.txt","archive/2024/copy.txt","archive/2025/bridge.txt"]}` + "\n"},
		{"shown JSON", bySets, true, func(p *Groups) {
			p.Shower = &Shower{Texts: groupedTexts, Limit: 5, Style: explain.Style{Indent: "    "}}
		},
			`{"v":1,"group":1,"size":3,"representative":"archive/2024/bridge.txt","min_similarity":0.875,"ids":["archive/2024/bridge.txt","archive/2024/copy.txt","archive/2025/bridge.txt"],"members":[` +
				`{"id":"archive/2024/bridge.txt","title":"` + notice[:74] + `…"},` +
				`{"id":"archive/2024/copy.txt","jaccard":1,"title":"` + notice[:74] + `…","verdict":"same","remarks":["the texts are equal"]},` +
				`{"id":"archive/2025/bridge.txt","jaccard":0.875,"title":"` + strings.Replace(notice[:75], "May", "June", 1)[:75] + `…","differences":[{"before":"… is closed for repairs until the end of","a":"May","b":"June","after":", says the mayor of the town"}],"verdict":"form","differs":["names"],"remarks":["they differ in a name: may / june"]}]}` + "\n"},
	} {
		if got := printGroups(t, ix, test.near, test.json, test.prepare); got != test.want {
			t.Errorf("%s:\n%swant\n%s", test.name, got, test.want)
		}
	}
}

// Texts that cannot be had are told of where they would be shown.
func TestGroupsOfChangedSources(t *testing.T) {
	ix := indexOf(t, groupedIDs, groupedTexts)
	now := texts{groupedTexts[0], notice, errors.New("it is gone"), groupedTexts[3]}
	got := printGroups(t, ix, index.Similar(0.8), false, func(p *Groups) {
		p.Shower = &Shower{Texts: now, Limit: 5, Style: explain.Style{Indent: "    "}}
	})
	if !strings.Contains(got, "\tarchive/2024/copy.txt\n    not shown: it is gone\n\n1\t3\t0.8750\tarchive/2025/bridge.txt\n") {
		t.Error(got)
	}
}

// Of a large group, some documents are shown, and the number of the others is told.
func TestShownGroupIsCapped(t *testing.T) {
	var ids []string
	var all texts
	for i := range shownMembers + 5 {
		ids, all = append(ids, fmt.Sprintf("copies/number-%02d", i)), append(all, notice)
	}
	ix := indexOf(t, ids, all)
	for _, test := range []struct {
		asJSON bool
		want   string
	}{{false, "\tcopies/number-24\n"}, {true, `"more_members":5}`}} {
		got := printGroups(t, ix, index.Similar(0.8), test.asJSON, func(p *Groups) {
			p.Shower = &Shower{Texts: all, Limit: 5}
		})
		if !strings.Contains(got, test.want) || strings.Count(got, "the texts are equal") != shownMembers-1 {
			t.Errorf("JSON %v: %s", test.asJSON, got)
		}
	}
}

// A user names a document by its id, as it stands or as it was printed.
func TestFind(t *testing.T) {
	ix := indexOf(t, append(groupedIDs, "list#1", "tab\tid"), append(groupedTexts, "one", "two"))
	for name, want := range map[string]string{
		"archive/2024/a.txt": "archive/2024/a.txt", "list#1": "list#1", "tab\tid": "tab\tid", "tab\uFFFD09id": "tab\tid", "a.txt": "", "": "",
	} {
		doc, known, err := Find(ix, []byte(name))
		if err != nil || known != (want != "") {
			t.Errorf("%q: %v, %v", name, known, err)
			continue
		}
		if id, err := ix.ID(doc); known && (err != nil || string(id) != want) {
			t.Errorf("%q: %q, want %q; %v", name, id, want, err)
		}
	}
}
