package terminal

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
)

// A screen lets the colours of this package pass, however they are cut into writes, and no other sequence.
func TestScreenColours(t *testing.T) {
	const text = Red + "[-a-]" + Normal + " " + Green + "{+ä+}" + Normal + Bold + "x" + Normal + "\x1b[33m\x1b[2J\x1b[3\x1b[31m\n"
	const want = Red + "[-a-]" + Normal + " " + Green + "{+ä+}" + Normal + Bold + "x" + Normal + "�1B[33m�1B[2J�1B[3\x1b[31m\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		screen := &Screen{To: &out}
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			if _, err := screen.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if out.String() != want {
			t.Fatalf("in writes of %d: %q, want %q", size, out.String(), want)
		}
	}
}

// Invisible characters are seen on a screen, and joiners stay where a language needs them, however the text is cut
// into writes.
func TestScreenInvisible(t *testing.T) {
	const text = "a\u200Bb\u200C می\u200Cخواهم ی\n\u200C\U000E0041\n"
	const want = "a�E2�80�8Bb�E2�80�8C می\u200Cخواهم ی\n�E2�80�8C�F3�A0�81�81\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		screen := &Screen{To: &out}
		for p := range slices.Chunk([]byte(text), size) {
			if _, err := screen.Write(p); err != nil {
				t.Fatal(err)
			}
		}
		if out.String() != want {
			t.Fatalf("in writes of %d: %q, want %q", size, out.String(), want)
		}
	}
}

// JSON on a terminal is the same JSON, with invisible characters as escapes.
func TestJSONInvisible(t *testing.T) {
	const text = "a\u200B\U000E0041\U000E0042 می\u200Cخواهم \x7F"
	value, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := (JSON{&out}).Write(append(value, '\n')); err != nil {
		t.Fatal(err)
	}
	if want := `"a\u200b\udb40\udc41\udb40\udc42 می` + "\u200C" + `خواهم \u007f"` + "\n"; out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != text {
		t.Errorf("read back as %q, %v", got, err)
	}
}

func TestNoColor(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("WT_SESSION", "x")
	for value, want := range map[string]bool{"": true, "1": false, "0": false, "no": false} {
		t.Setenv("NO_COLOR", value)
		if Colours() != want {
			t.Errorf("NO_COLOR=%q: %v", value, !want)
		}
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	if Colours() {
		t.Error("a dumb terminal has no colours")
	}
}
