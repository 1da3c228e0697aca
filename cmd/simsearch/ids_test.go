package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// hostileIDs are ids that are hard to print, all of them UTF-8.
var hostileIDs = []string{
	"\uFEFFa mark of byte order", // at the very beginning of a file
	`a\tb`, "a\tb", "a b", `a\nb`, "a\nb", "a\r\nb", "a\rb", "\r", "\n", "\t", " ", `\`, `"`, "'", "a\\\tb",
	"\uFFFD", "\uFFFD09", "\uFFFD\t", "\uFFFD\uFFFD09", "\uFFFD0\t", "\uFFFD1B", "caf\uFFFDE9", "caf\uFFFDDE", "\uFEFF",
	"\x1B[31mred", "\x1B]0;title\x07", "\x07", "\x7F", "\u009B31m", "\u0085", "\u202Egpj.exe", "\u2066", "\u2028", "\u2029",
	"a\u061Cb", "a\u200Bb", "a\uFEFFb", "a\U000E0001\U000E0041b", "a\u200Db", "a\u00ADb", "\u200F", "a\uFE0Fb", "\u3164", "می\u200Cخواهم", "\U0001F468\u200D\U0001F469", "❤\uFE0F\u200D\U0001F525",
	"<b>&amp;", "0000000000000000", "#", "-", "x.gz", strings.Repeat("long ", 5000), "日本語", "💥",
}

// rawIDs are ids that are not UTF-8.
var rawIDs = []string{"caf\xE9", "\xE9", "\xFF\xFE", "\xEF\xBF", "\xEF\xBB", "\xC3\t", "\x80\x9B", "\uFFFD\xE9"}

// must runs the program and fails the test if its status is not 0.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	status, stdout, stderr := command(t, t.Context(), nil, args...)
	if status != 0 {
		t.Fatalf("%q: status %d, %s", args, status, stderr)
	}
	return stdout
}

// write writes a file and returns its path.
func write(t *testing.T, path, contents string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(contents), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// idsOf returns the ids of an index in their order.
func idsOf(t *testing.T, dir string) (ids []string) {
	t.Helper()
	ix, err := index.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	for doc := range uint32(ix.Len()) {
		id, err := ix.ID(doc)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(id))
	}
	return ids
}

// hostileIndex makes an index of the hostile ids, all with one text, and of the raw ids, all with
// one fingerprint.
func hostileIndex(t *testing.T) (dir string, ids []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "idx")
	var texts, list strings.Builder
	for _, id := range hostileIDs {
		line, err := json.Marshal(map[string]string{"id": id, "text": "the quick brown fox jumps"})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&texts, "%s\n", line)
	}
	for _, id := range rawIDs {
		fmt.Fprintf(&list, "%s\tffffffffffffffff\n", terminal.List.Text(id))
	}
	must(t, "index", "--index", dir, "--quiet", "--preset", "classic", "--format", "fingerprints", "--text-field", "fp", write(t, filepath.Join(t.TempDir(), "texts.jsonl"), texts.String()))
	must(t, "index", "--index", dir, "--quiet", "--format", "fingerprints", write(t, filepath.Join(t.TempDir(), "list"), list.String()))
	ids = slices.Concat(hostileIDs, rawIDs)
	if got := idsOf(t, dir); !slices.Equal(got, ids) {
		t.Fatalf("the index has %q\nwant %q", got, ids)
	}
	return dir, ids
}

// Exporting and indexing again keeps all ids.
func TestExportKeepsIDs(t *testing.T) {
	dir, ids := hostileIndex(t)
	list := must(t, "export", "--index", dir, "--as", "fingerprints")
	again := filepath.Join(t.TempDir(), "again")
	must(t, "index", "--index", again, "--quiet", "--format", "fingerprints", write(t, filepath.Join(t.TempDir(), "list"), list))
	if got := idsOf(t, again); !slices.Equal(got, ids) {
		for i := range min(len(got), len(ids)) {
			if got[i] != ids[i] {
				t.Errorf("%q became %q", ids[i], got[i])
			}
		}
		t.Errorf("%d ids of %d", len(got), len(ids))
	}
	if second := must(t, "export", "--index", again, "--as", "fingerprints"); second != list {
		t.Error("another export than the first")
	}
	// The ids of sets are kept, too.
	var sets strings.Builder
	for line := range strings.Lines(list) {
		id, _, _ := strings.Cut(line, "\t")
		fmt.Fprintf(&sets, "%s\tone two\n", id)
	}
	baskets := filepath.Join(t.TempDir(), "baskets")
	must(t, "index", "--index", baskets, "--quiet", "--format", "sets", write(t, filepath.Join(t.TempDir(), "sets"), sets.String()))
	if got := idsOf(t, baskets); !slices.Equal(got, ids) {
		t.Errorf("of sets: %q\nwant %q", got, ids)
	}
}

// In tab-separated output each id has one column and a distinct text.
func TestRowsKeepIDsApart(t *testing.T) {
	dir, ids := hostileIndex(t)
	for _, args := range [][]string{{"near", "--text", "the quick brown fox jumps"}, {"near", "--fingerprint", "ffffffffffffffff"}} {
		seen := map[string]bool{}
		for line := range strings.Lines(must(t, append(args, "--index", dir, "--k", "0")...)) {
			columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(columns) != 4 || strings.ContainsRune(line, '\r') {
				t.Fatalf("a line of %d columns: %q", len(columns), line)
			}
			seen[columns[1]] = true
		}
		for _, id := range ids {
			if text := terminal.List.Text(id); seen[text] {
				delete(seen, text)
			}
		}
		if len(seen) > 0 {
			t.Errorf("%s prints ids that are not there: %v", args[0], seen)
		}
	}
	pairs := strings.Count(must(t, "pairs", "--index", dir, "--k", "0"), "\n")
	if n, r := len(hostileIDs), len(rawIDs); pairs != n*(n-1)/2+r*(r-1)/2 {
		t.Errorf("%d lines of pairs", pairs)
	}
}

// In JSON, ids that are not UTF-8 stay distinct, and other ids are unchanged.
func TestJSONKeepsIDsApart(t *testing.T) {
	dir, ids := hostileIndex(t)
	var got []string
	for line := range strings.Lines(must(t, "export", "--index", dir, "--as", "fingerprints", "--json")) {
		var row struct{ ID string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		got = append(got, row.ID)
	}
	var want []string
	for _, id := range ids {
		want = append(want, terminal.String.Text(id))
		if utf8.ValidString(id) && id != "caf\uFFFDE9" && id != "caf\uFFFDDE" && want[len(want)-1] != id {
			t.Errorf("%q is written as %q", id, want[len(want)-1])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	slices.Sort(got)
	if len(slices.Compact(got)) != len(ids) {
		t.Error("two ids are the same in JSON")
	}
}

// onTerminal runs the program as on a terminal. It returns everything that is shown.
func onTerminal(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := newEnvironment(strings.NewReader(""), &out, &errs, true, false) // without a bar, which moves the cursor
	env.run(t.Context(), append([]string{"simsearch"}, args...))
	if err := env.stdout.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String()
}

// noControl fails the test if text could have an effect on a terminal other than colours.
func noControl(t *testing.T, what, text string) {
	t.Helper()
	text = strings.NewReplacer(terminal.Red, "", terminal.Green, "", terminal.Bold, "", terminal.Normal, "").Replace(text)
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\t' }) {
		if terminal.Harmless(piece) != piece {
			t.Errorf("%s: %q", what, piece)
			return
		}
	}
}

// No command sends control characters from ids or names of files to a terminal, and JSON stays the
// same JSON.
func TestNothingReachesATerminal(t *testing.T) {
	dir, ids := hostileIndex(t)
	t.Chdir(t.TempDir())
	evil := "evil\x1B[2J\u009B\u202E\r\n\xE9"
	text := write(t, evil+".txt", "the quick brown fox jumps over\x1B[2J \u009B the lazy dogs")
	other := write(t, evil+"2.txt", "the quick brown fox sleeps")
	sets := write(t, evil+".sets", "a\x1B\tx\x1B[2J\u009B y\x80 z\nb\x1B\tx\x1B[2J\u009B y\x80 w\n")
	broken := write(t, evil+".jsonl", "{\"id\":\"\x1B\"\n{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"a\",\"text\":\"y\"}\n{\"\x1B[2J\":1}\n{\"id\":[\"\u009B\"],\"text\":\"x\"}\n")
	labels := write(t, evil+".labels", `{"a":"\u001b[2J","b":"x"}`+"\n"+fmt.Sprintf("{\"a\":%q,\"b\":%q}\n", text, other))
	shownIndex := "shown" + evil
	must(t, "index", "--index", shownIndex, "--quiet", text, other)
	for _, args := range [][]string{
		{"near", "--index", shownIndex, "--show", "--jaccard", "0.1", text},
		{"pairs", "--index", shownIndex, "--show", "--jaccard", "0.1"},
		{"pairs", "--index", shownIndex, "--show", "--jaccard", "0.1", "--json"},
		{"groups", "--index", shownIndex, "--show", "--jaccard", "0.1"},
		{"groups", "--index", shownIndex, "--show", "--jaccard", "0.1", "--json"},
		{"compare", "--index", shownIndex, evil + "absent", other},
		{"near", "--index", dir, "--text", "the quick brown fox jumps", "--k", "0"},
		{"near", "--index", dir, "--k", "64", text},
		{"pairs", "--index", dir, "--k", "0"},
		{"export", "--index", dir, "--as", "fingerprints"},
		{"export", "--index", dir, "--as", "sql"},
		{"info", "--index", dir},
		{"compare", text, other},
		{"eval", text, other},
		{"eval", "--truth", labels, text, other},
		{"eval", "--format", "sets", sets},
		// Errors.
		{"near", "--index", dir, text + "absent"},
		{"near", "--index", evil, text},
		{"info", "--index", filepath.Dir(text), evil},
		{"index", "--index", evil + "idx", broken},
		{"index", "--index", evil + "idx", "--id-field", evil, broken},
		{"index", "--index", text, text},
		{"compare", sets, other},
		{"compare", write(t, evil+".empty", "…"), other},
		{"eval", "--truth", evil + "absent", text},
		{"eval", "--truth", broken, text},
		{"eval", "--experiment", evil, text},
		{evil}, {"near", "--" + evil}, {"near", "--k", evil, "--index", dir, text}, {"export", "--index", dir, "--as", evil},
		{"index", "--index", "x", "--preset", evil, text}, {"index", "--index", "x", "--memory", evil, text},
		{"help", evil}, {"help", "near"}, {"version"},
	} {
		for _, also := range [][]string{nil, {"--json"}} {
			name := fmt.Sprintf("%.60q", append(args, also...))
			stdout, stderr := onTerminal(t, append(args, also...)...)
			noControl(t, name+": standard output", stdout)
			noControl(t, name+": standard error", stderr)
			if stdout+stderr == "" && args[0] != "index" {
				t.Errorf("%s says nothing", name)
			}
		}
	}
	// The values are the same, though with other escapes.
	shown, _ := onTerminal(t, "export", "--index", dir, "--as", "fingerprints", "--json")
	plain := must(t, "export", "--index", dir, "--as", "fingerprints", "--json")
	a, b := strings.Split(shown, "\n"), strings.Split(plain, "\n")
	if len(a) != len(ids)+1 || len(b) != len(a) {
		t.Fatalf("%d and %d lines", len(a), len(b))
	}
	for i := range ids {
		var x, y any
		if err := json.Unmarshal([]byte(a[i]), &x); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(b[i]), &y); err != nil || fmt.Sprint(x) != fmt.Sprint(y) {
			t.Errorf("%q, %q, %v", a[i], b[i], err)
		}
	}
}

// On a terminal ids stay distinct.
func TestTerminalKeepsIDsApart(t *testing.T) {
	dir, ids := hostileIndex(t)
	shown, _ := onTerminal(t, "export", "--index", dir, "--as", "fingerprints")
	lines := strings.Split(strings.TrimSuffix(shown, "\n"), "\n")
	if len(lines) != len(ids) {
		t.Fatalf("%d lines of %d", len(lines), len(ids))
	}
	for i, id := range ids {
		if got, _, _ := strings.Cut(lines[i], "\t"); got != terminal.Terminal.Text(id) {
			t.Errorf("%q is shown as %q", id, got)
		}
	}
}

// A terminal shows a character that is written in two parts.
func TestTerminalJoinsCharacters(t *testing.T) {
	const text = "é日💥\u009B\uFFFD\n"
	const want = "é日💥\uFFFDC2\uFFFD9B\uFFFD\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		s := &terminal.Screen{To: &out}
		for part := range slices.Chunk([]byte(text), size) {
			if n, err := s.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != want {
			t.Errorf("in parts of %d bytes: %q", size, out.String())
		}
	}
}

// Standard error keeps the characters that move the progress bar, and no other control characters.
func TestMessages(t *testing.T) {
	for text, want := range map[string]string{
		"simsearch: x\n": "simsearch: x\n",
		"\rreading  ":    "\rreading  ",
		"\r        \r":   "\r        \r",
		"a\x1Bb\nc\rd\n": "a\uFFFD1Bb\uFFFD0Ac\uFFFD0Dd\n",
		"":               "",
		"\r":             "\r",
		"\n":             "\n",
		"x\r\n":          "x\uFFFD0D\n",
		"caf\xE9\n":      "caf\uFFFDE9\n",
		"\uFFFD1B\n":     "\uFFFD1B\n",
	} {
		var out bytes.Buffer
		if n, err := (terminal.Messages{To: &out}).Write([]byte(text)); n != len(text) || err != nil || out.String() != want {
			t.Errorf("%q: %d, %v, %q", text, n, err, out.String())
		}
	}
}
