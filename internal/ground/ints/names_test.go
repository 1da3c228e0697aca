package ints

import "testing"

type colour uint8

func TestNames(t *testing.T) {
	names := &Names{Type: "Colour", What: "colour", First: 1, All: []string{"none", "red", "blue"}}
	for v, want := range []string{"none", "red", "blue", "Colour(3)"} {
		if got := names.String(uint8(v)); got != want {
			t.Errorf("%d is %q, want %q", v, got, want)
		}
		if err := names.Validate(uint8(v)); (err == nil) != (v < 3) {
			t.Errorf("%d: %v", v, err)
		}
		c := colour(9)
		switch err := ParseName(names, &c, []byte(want)); {
		case v == 1 || v == 2:
			if c != colour(v) || err != nil {
				t.Errorf("%q is %d, %v", want, c, err)
			}
		case err == nil || c != 9 || err.Error() != `unknown colour "`+want+`": want one of red, blue`:
			t.Errorf("%q is %d, %v", want, c, err)
		}
	}
}

func TestClosest(t *testing.T) {
	names := []string{"near", "pairs", "index", "json", "quiet", "k", "threads", "explain-plan", "plan-k"}
	for name, want := range map[string]string{
		"indx": "index", "jsno": "json", "limit": "", "kk": "", "thread-count": "threads", "qiet": "quiet", "": "", "pears": "pairs", "nears": "near",
		"q": "", "p": "", "thr": "threads", "x": "",
	} {
		if got := Closest(name, names); got != want {
			t.Errorf("Closest(%q) = %q, want %q", name, got, want)
		}
	}
}
