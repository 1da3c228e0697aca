package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestParseConfig(t *testing.T) {
	got, err := parseConfig("c", []byte("\ufeff# a comment\nlang = de\n  --k=3  # bits\n[near] # one command\nid-field = a#b\r\ntext-field = \" a # b\" # quoted\nlimit ="))
	if err != nil {
		t.Fatal(err)
	}
	want := []configLine{
		{"c", 2, "", "lang", "de"}, {"c", 3, "", "k", "3"}, {"c", 4, "near", "", ""},
		{"c", 5, "near", "id-field", "a#b"}, {"c", 6, "near", "text-field", " a # b"}, {"c", 7, "near", "limit", ""},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	for text, want := range map[string]string{
		"lang de":          "c:1: want FLAG = VALUE, [COMMAND] or # and a comment",
		"\n= de":           "c:2: want FLAG = VALUE, [COMMAND] or # and a comment",
		"[near":            "c:1: want [COMMAND]",
		"[ ]":              "c:1: want [COMMAND]",
		`lang = "de`:       `c:1: want one string in quotes, not "de`,
		`lang = "de" "en"`: `c:1: want one string in quotes, not "de" "en"`,
	} {
		if _, err := parseConfig("c", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestConfigAtHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	got, err := parseConfig("c", []byte("index = ~/idx # a remark\nout = \"~/x\""))
	if err != nil || got[0].value != filepath.Join(home, "idx") || got[1].value != "~/x" {
		t.Error(got, err)
	}
}

func TestConfigPath(t *testing.T) {
	home, config := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for xdg, want := range map[string]string{
		config:     filepath.Join(config, "simsearch", "config"),
		"":         filepath.Join(home, ".config", "simsearch", "config"),
		"relative": filepath.Join(home, ".config", "simsearch", "config"),
	} {
		t.Setenv("XDG_CONFIG_HOME", xdg)
		if got := ConfigPath("simsearch"); got != want {
			t.Errorf("%q: %s, want %s", xdg, got, want)
		}
	}
}

// A home that belongs to another user is no error, a file of one's own that cannot be read is.
func TestConfigCannotBeRead(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("root may read everything")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, []byte("k = 3"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := readConfig(path); err == nil {
		t.Error("a file that cannot be read is passed over")
	}
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o700) }() //nolint:gosec // a directory
	if lines, err := readConfig(path); err != nil || lines != nil {
		t.Errorf("%v, %v", lines, err)
	}
}
