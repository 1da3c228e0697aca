package dedup

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/document"
)

// Documents of an iterator are decided on as those of files are.
func TestOf(t *testing.T) {
	all := texts(rand.New(rand.NewPCG(51, 1)), 400)
	dir := files(t, all)
	for what, set := range map[string]func(o *Options){
		"longest": func(*Options) {}, "first": func(o *Options) { o.Keep = Keep{Way: First} }, "contained": func(o *Options) { o.Contained = 0.9 },
		"components": func(o *Options) { o.Chain, o.Threshold = true, 0.5 }, "fingerprints": func(o *Options) { *o = byBits(3) },
	} {
		o := options()
		set(&o)
		out, _ := ran(t, nil, []string{dir}, o)
		want := map[string]string{}
		for _, row := range rowsOf[removedRow](t, out[run.RemovedName]) {
			want[row.ID] = row.KeptID
		}
		c, err := Of(t.Context(), func(yield func(*document.Document, error) bool) {
			for i, text := range all {
				if !yield(&document.Document{ID: fmt.Append(nil, "d", i), Text: []byte(text)}, nil) {
					return
				}
			}
		}, o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Decide(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for doc := range all {
			if kept := d.KeptFor(doc).Document; kept != doc {
				got[fmt.Sprint("d", doc)] = fmt.Sprint("d", kept)
			}
		}
		if !maps.Equal(got, want) || len(got) < 20 {
			t.Errorf("%s: %d are removed, and %d of files", what, len(got), len(want))
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	broken := errors.New("broken")
	if _, err := Of(t.Context(), func(yield func(*document.Document, error) bool) { yield(nil, broken) }, options()); !errors.Is(err, broken) {
		t.Errorf("an iterator that fails: %v", err)
	}
	if _, err := Of(t.Context(), nil, Options{}); err == nil {
		t.Error("no threshold is taken")
	}
}
