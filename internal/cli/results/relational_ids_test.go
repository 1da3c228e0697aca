package results

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/tests/testkit"
)

// hostileIDs returns ids that try to leave their quotes and to run touch file, in the shells of
// SQLite and of PostgreSQL. It adds other ids that are hard to quote. All are distinct.
func hostileIDs(file string) []string {
	touch := "touch " + file
	ids := []string{
		"plain", "it's", "''", "'", `\`, `\\`, `\'`, `'\`, `'''\'''`, "~", "~7E", "~0A", "~5C", "~~0A\n", "~\n0A", "x~", "caf\u00e9", "U+FFFD: \uFFFD",
		// A NUL ends the line for both shells and leaves them within the quotes.
		"x\x00", ");\n.shell " + touch + "\n--", "y\x00');\n", ");\n\\! " + touch + "\n--", "\x00",
		// These quotes end early if a backslash escapes.
		`\'); COPY documents TO PROGRAM '` + touch + `'; --`, `\');` + "\n" + `\! ` + touch + "\n--", `'); \! ` + touch,
		"\n.shell " + touch + "\n", "\r\n.shell " + touch + "\r\n", "\n\\! " + touch + "\n", "`" + touch + "`", ":`" + touch + "`", ":'x'", "$$;\n\\! " + touch,
		"a\nb", "a\r\nb", "a\rb", "\n", "\r", "\n\n", "\t", "a\tb", `a\tb`, `a\nb`, "\nGO\n", "\n/\n", ";\n", "--", "/*", "*/", "\\g\n", "\x1A", "\x04", "\x1B[2J", "\x7F", "\u0085", "\u2028", "\u202E",
		"caf\xE9", "caf\xC3", "caf\uFFFD", "caf\uFFFDE9", "caf\uFFFD\uFFFDE9", "\xFF\xFE\x00", "\xC0'",
		strings.Repeat(`\`, 3000) + "\n", strings.Repeat("'", 3001), strings.Repeat("~\n", 1500),
	}
	pieces := []string{"'", `\`, "~", "\n", "\r", "\t", "\x00", "\x01", "\x1F", "\x7F", "5C", "0A", "7E", ";", "--", "\xE9", "\uFFFD", "é", ".shell " + touch, `\! ` + touch, "a", ")", `"`}
	r := rand.New(rand.NewPCG(5, 18))
	for i := range 1500 {
		id := fmt.Sprint(i)
		for range r.IntN(8) {
			id += pieces[r.IntN(len(pieces))]
		}
		ids = append(ids, id)
	}
	for b := range 256 {
		ids = append(ids, "byte "+string([]byte{byte(b)}))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// relationalOf returns the statements for documents with the given ids, which may be ids that an index refuses and that
// older versions accepted.
func relationalOf(t *testing.T, ids []string) string {
	t.Helper()
	var statements bytes.Buffer
	out := &inserter{Writer: bufio.NewWriter(&statements), ctx: t.Context()}
	err := out.documents(len(ids), func(doc uint32) ([]byte, error) { return []byte(ids[doc]), nil })
	if err = errors.Join(err, out.Flush()); err != nil {
		t.Fatal(err)
	}
	return statements.String()
}

// The parts of ids in the statements are quoted. No reader finds anything in them that could end
// the quotes or a line.
func TestRelationalQuotes(t *testing.T) {
	t.Parallel()
	statements := relationalOf(t, hostileIDs("PWNED"))
	if i := strings.IndexFunc(statements, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7F || r == '\\' }); i >= 0 {
		t.Errorf("a control character or a backslash is at %q", statements[max(0, i-40):i+1])
	}
	if strings.ToValidUTF8(statements, "") != statements {
		t.Error("the statements are not UTF-8")
	}
	line := regexp.MustCompile(`^(--|[A-Z]|\(|;|$)`)
	literal := regexp.MustCompile(`'([^']|'')*'`)
	rest := regexp.MustCompile(`^[-A-Za-z0-9_ ,();"]*$`)
	for l := range strings.Lines(statements) {
		l = strings.TrimSuffix(l, "\n")
		if !line.MatchString(l) {
			t.Errorf("a line begins strangely: %q", l)
		}
		if outside := literal.ReplaceAllString(l, ""); !strings.HasPrefix(l, "--") && !rest.MatchString(outside) {
			t.Errorf("outside of quotes there is %q", outside)
		}
	}
}

// A statement ends behind its last row, however few there are.
func TestRelationalStatementsEnd(t *testing.T) {
	t.Parallel()
	for rows, want := range map[int]string{1: "VALUES\n(0, 'a');\n", rowsTogether + 1: "(499, 'a');\nINSERT INTO documents VALUES\n(500, 'a');\n"} {
		if got := relationalOf(t, slices.Repeat([]string{"a"}, rows)); !strings.Contains(got, want) {
			t.Errorf("%d rows: %s", rows, got[len(got)-200:])
		}
	}
}

// A database holds each id as it is. An id that has a NUL or is not UTF-8 has a distinct form of
// its own. No reader of the statements runs anything else.
func TestRelationalIDs(t *testing.T) {
	for name, stored := range map[string]func(*testing.T, string) []string{
		"the shell of SQLite": sqliteShellIDs,
		"SQLite": func(t *testing.T, s string) []string {
			return sqlite(t, s, []string{"SELECT hex(id)" + fromDocuments})[0]
		},
		"PostgreSQL": postgresIDs,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "ids") // not t.TempDir, which other users cannot enter
			if err == nil {
				err = os.Chmod(dir, 0o777)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			ids := hostileIDs(filepath.Join(dir, "PWNED"))
			var want []string
			for _, id := range ids {
				want = append(want, terminal.String.Text(id))
			}
			var got []string
			for _, digits := range stored(t, relationalOf(t, ids)) {
				id, err := hex.DecodeString(digits)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(id))
			}
			if len(got)%len(want) != 0 || len(got) == 0 {
				t.Fatalf("%d ids are there, want %d", len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i%len(want)] {
					t.Errorf("%q is stored as %q, want %q", ids[i%len(ids)], got[i], want[i%len(want)])
				}
			}
			if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) > 0 {
				t.Errorf("an id has run a command that made %v", names)
			}
		})
	}
}

const fromDocuments = " FROM documents ORDER BY document"

// sqliteShellIDs returns the ids that the shell of SQLite stores, in hexadecimal digits.
func sqliteShellIDs(t *testing.T, statements string) []string {
	t.Helper()
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		testkit.Skip(t, "sqlite3", "the shell of SQLite is not installed: there is no sqlite3")
	}
	cmd := exec.Command(shell, "-batch", ":memory:")
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader(statements + "SELECT hex(id)" + fromDocuments + ";\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Errorf("%v\n%s", err, stderr.String())
	}
	return strings.Fields(string(out))
}

// postgresIDs returns the ids that PostgreSQL stores, in hexadecimal digits. It runs once with
// backslashes in literals that mean themselves, and once with the older ones that escape.
func postgresIDs(t *testing.T, statements string) []string {
	t.Helper()
	var all strings.Builder
	for schema, conforming := range map[string]string{"new": "on", "old": "off"} {
		fmt.Fprintf(&all, "CREATE SCHEMA %s_ids;\nSET search_path = %[1]s_ids;\nSET standard_conforming_strings = %s;\n%s", schema, conforming, statements)
	}
	query := "SELECT encode(convert_to(id, 'UTF8'), 'hex') FROM %s_ids.documents ORDER BY document"
	rows := postgres(t, all.String(), []string{fmt.Sprintf(query, "new"), fmt.Sprintf(query, "old")})
	return slices.Concat(rows...)
}
