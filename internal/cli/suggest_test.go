package cli

import "testing"

func TestClosest(t *testing.T) {
	names := []string{"near", "pairs", "index", "json", "quiet", "k", "threads", "explain-plan", "plan-k"}
	for name, want := range map[string]string{
		"indx": "index", "jsno": "json", "limit": "", "kk": "", "thread-count": "threads", "qiet": "quiet", "": "", "pears": "pairs", "nears": "near",
		"q": "", "p": "", "thr": "threads", "x": "",
	} {
		if got := closest(name, names); got != want {
			t.Errorf("closest(%q) = %q, want %q", name, got, want)
		}
	}
}
