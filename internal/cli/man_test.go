package cli

import "testing"

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		`.so a\b`: `\&.so a\eb`, "'x": `\&'x`, "--k": `\-\-k`, "plain": "plain", `a "b"`: `a \(dqb\(dq`,
	} {
		if got := roff(text); got != want {
			t.Errorf("roff(%q) = %q, want %q", text, got, want)
		}
	}
}
