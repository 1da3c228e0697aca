package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
	"simsearch/internal/tests/testkit"
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

// A page has all groups, and nothing of a document is markup there.
func TestGroupsPage(t *testing.T) {
	ids := append([]string{"<i>x</i>"}, groupedIDs[1:]...)
	ids[1] = "red\x1b[31m"
	ix := indexOf(t, ids, texts{notice + " <b>", notice, notice, "Something else"})
	near := index.Similar(0.8)
	got := printGroups(t, ix, near, func(p *Groups, out *bufio.Writer) {
		p.HTML, p.Current = out, &Current{Index: ix, Field: -1, Keep: dedup.Keep{Way: dedup.First}}
		p.Shower = &Shower{Texts: texts{notice + " <b>", notice, notice, "Something else"}, Limit: 5}
	})
	for _, want := range []string{
		"<!DOCTYPE html>", `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-`, "1 group of near documents", "</html>", "Group 1: 3 documents, similarity ", "<p>The first is <code>&lt;i&gt;x&lt;/i&gt;</code>.</p>",
		"<li><code>&lt;i&gt;x&lt;/i&gt;</code> <strong>first</strong>", "<code>red\uFFFD1B[31m</code>", "<code>archive/2024/copy.txt</code> 0.9375", "&lt;b&gt;",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "<i>") || strings.Contains(got, "<b>") || strings.Count(got, "<li><code>") != 3 {
		t.Errorf("%s", got)
	}
}

// A real browser shows all of the page, with its pictures, and complains of nothing.
func TestGroupsPageInABrowser(t *testing.T) {
	hostile := `</code><script>document.title="ran"</script><img src="https://absent.invalid/x">`
	ids := []string{hostile, "אבג", strings.Repeat("averylongwordwithoutanyspace", 12)}
	ix := indexOf(t, ids, texts{notice, notice, notice + hostile})
	got := printGroups(t, ix, index.Similar(0.5), func(p *Groups, out *bufio.Writer) {
		p.HTML, p.Shower = out, &Shower{Texts: texts{notice, notice, notice + hostile}, Limit: 5}
		p.Pictures = func(uint32, int) ([]byte, error) {
			var b bytes.Buffer
			err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 20)), nil)
			return b.Bytes(), err
		}
	})
	page := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(page, []byte(got), 0o666); err != nil {
		t.Fatal(err)
	}
	dom := testkit.Browse(t, page, "--dump-dom")
	if strings.Count(dom, "<script>") != 1 || !strings.Contains(dom, "<title>1 group of near documents – simsearch groups</title>") || strings.Count(dom, "<img src=\"data:") != 3+2 { // of the group, and of its least near document
		t.Errorf("%s", dom)
	}
	for _, extent := range testkit.Widths(t, page, 360) {
		if extent.Page > extent.Window {
			t.Errorf("the page is %d wide, the window %d", extent.Page, extent.Window)
		}
	}
}

// printGroups prints the groups of an index.
func printGroups(t *testing.T, ix *index.Snapshot, near index.Predicate, prepare func(p *Groups, out *bufio.Writer)) string {
	t.Helper()
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	p := &Groups{Index: ix, Near: Nearness{Predicate: near}}
	prepare(p, w)
	if err := ix.Groups(t.Context(), near, index.PairOptions{Threads: 1}, p.Print); err != nil {
		t.Fatal(err)
	}
	if err := p.End("simsearch groups '<b>'", false); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGroups(t *testing.T) {
	ix := indexOf(t, groupedIDs, groupedTexts)
	shower := func() *Shower {
		return &Shower{Texts: groupedTexts, Limit: 5, Style: explain.Style{Indent: "    "}}
	}
	bySets, byDistance := index.Similar(0.8), index.Within(20)
	for _, test := range []struct {
		name    string
		near    index.Predicate
		prepare func(p *Groups, out *bufio.Writer)
		want    string
	}{
		{"table", bySets, func(p *Groups, out *bufio.Writer) { p.Table = out }, `group 1: 3 documents, similarity 0.8750 and more, in archive/:
  2024/bridge.txt
  2024/copy.txt
  2025/bridge.txt
`},
		{"narrow table", bySets, func(p *Groups, out *bufio.Writer) { p.Table, p.Columns = out, 14 }, `group 1: 3 documents, similarity 0.8750 and more, in archive/:
  202…idge.txt
  202…copy.txt
  202…idge.txt
`},
		{"shown table", bySets, func(p *Groups, out *bufio.Writer) { p.Table, p.Shower = out, shower() }, `group 1: 3 documents, similarity 0.8750 and more, in archive/:
  2024/bridge.txt
    ` + notice[:74] + `…
  1.0000  2024/copy.txt
    the texts are equal
  0.8750  2025/bridge.txt
    ` + strings.Replace(notice[:75], "May", "June", 1)[:75] + `…
    … is closed for repairs until the end of [-May-] {+June+}, says the mayor of the town
`},
		{"shown list", byDistance, func(p *Groups, out *bufio.Writer) {
			p.Rows, p.Shower = terminal.NewList(out, false, false), &Shower{Texts: groupedTexts, Limit: 0}
		}, "1\t3\t8\tarchive/2024/bridge.txt\n" + notice[:74] + "…\n\n" +
			"1\t3\t8\tarchive/2024/copy.txt\nthe texts are equal\n\n" +
			"1\t3\t8\tarchive/2025/bridge.txt\n" + strings.Replace(notice[:75], "May", "June", 1)[:75] + "…\n1 difference\n\n"},
		{"list", bySets, func(p *Groups, out *bufio.Writer) { p.Rows = terminal.NewList(out, false, false) },
			"1\t3\t0.8750\tarchive/2024/bridge.txt\n1\t3\t0.8750\tarchive/2024/copy.txt\n1\t3\t0.8750\tarchive/2025/bridge.txt\n"},
		{"JSON", bySets, func(p *Groups, out *bufio.Writer) { p.Rows = terminal.NewList(out, false, true) },
			`{"v":1,"group":1,"size":3,"representative":"archive/2024/bridge.txt","min_similarity":0.875,"ids":["archive/2024/bridge.txt","archive/2024/copy.txt","archive/2025/bridge.txt"]}` + "\n"},
		{"shown JSON", bySets, func(p *Groups, out *bufio.Writer) { p.Rows, p.Shower = terminal.NewList(out, false, true), shower() },
			`{"v":1,"group":1,"size":3,"representative":"archive/2024/bridge.txt","min_similarity":0.875,"ids":["archive/2024/bridge.txt","archive/2024/copy.txt","archive/2025/bridge.txt"],"members":[` +
				`{"id":"archive/2024/bridge.txt","title":"` + notice[:74] + `…"},` +
				`{"id":"archive/2024/copy.txt","jaccard":1,"title":"` + notice[:74] + `…","remarks":["the texts are equal"]},` +
				`{"id":"archive/2025/bridge.txt","jaccard":0.875,"title":"` + strings.Replace(notice[:75], "May", "June", 1)[:75] + `…","differences":[{"before":"… is closed for repairs until the end of","a":"May","b":"June","after":", says the mayor of the town"}]}]}` + "\n"},
	} {
		if got := printGroups(t, ix, test.near, test.prepare); got != test.want {
			t.Errorf("%s:\n%swant\n%s", test.name, got, test.want)
		}
	}
}

// Texts that cannot be had are told of where they would be shown.
func TestGroupsOfChangedSources(t *testing.T) {
	ix := indexOf(t, groupedIDs, groupedTexts)
	now := texts{groupedTexts[0], notice, errors.New("it is gone"), groupedTexts[3]}
	got := printGroups(t, ix, index.Similar(0.8), func(p *Groups, out *bufio.Writer) {
		p.Table, p.Shower = out, &Shower{Texts: now, Limit: 5, Style: explain.Style{Indent: "    "}}
	})
	if !strings.Contains(got, "\n  2024/copy.txt\n    not shown: it is gone\n  0.8750  2025/bridge.txt\n") {
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
	}{{false, "  … and 5 more documents, not shown; --as tsv and json name all of them\n"}, {true, `"more_members":5}`}} {
		got := printGroups(t, ix, index.Similar(0.8), func(p *Groups, out *bufio.Writer) {
			if p.Table, p.Shower = out, (&Shower{Texts: all, Limit: 5}); test.asJSON {
				p.Table, p.Rows = nil, terminal.NewList(out, false, true)
			}
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
