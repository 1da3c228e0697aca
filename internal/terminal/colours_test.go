package terminal

import (
	"bytes"
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
