package commandline

import "testing"

func TestClosest(t *testing.T) {
	names := []string{"index", "json", "quiet", "k", "threads", "explain-plan", "plan-k"}
	for name, want := range map[string]string{
		"indx": "index", "jsno": "json", "limit": "", "kk": "", "expl": "explain-plan", "thread-count": "threads", "qiet": "quiet", "": "",
	} {
		if got := closest(name, names); got != want {
			t.Errorf("closest(%q) = %q, want %q", name, got, want)
		}
	}
}
