package dedup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/ground/publish"
	"simsearch/internal/ground/section"
)

// writeChanged writes a file of sections, of which one has a changed byte, and less at its end.
func writeChanged(t *testing.T, path string, f *section.File, which byte, at uint16, flip byte, cut uint16) {
	t.Helper()
	var b bytes.Buffer
	w := section.NewWriter(&b)
	i := byte(0)
	f.Sections(func(name string, _, _ uint64) bool {
		content := f.Bytes(name)
		if content = slices.Clone(content); i == which && len(content) > 0 {
			content[int(at)%len(content)] ^= flip
			content = content[:len(content)-int(cut)%len(content)]
		}
		w.Begin(name)
		_, _ = w.Write(content)
		i++
		return true
	})
	_, _, err := w.Close()
	if err := errors.Join(err, os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// FuzzLog changes what an interrupted run has left of what it has read, and makes its checksums right. The next run
// ends, with a result or an error.
func FuzzLog(f *testing.F) {
	var lines strings.Builder
	for i, text := range dividedTexts(rand.New(rand.NewPCG(24, 1)), 40) {
		fmt.Fprintf(&lines, "{\"id\":\"%d\",\"day\":%d,\"text\":%q}\n", i, i, text)
	}
	in := filepath.Join(f.TempDir(), "in.jsonl")
	if err := os.WriteFile(in, []byte(lines.String()), 0o666); err != nil {
		f.Fatal(err)
	}
	runs := []struct {
		set func(o *Options)
		do  doing
	}{
		{func(o *Options) { o.Keep = Keep{Way: Newest, Field: "day"} }, removing(nil, in)},
		{cutWays[0].set, cutting(nil, in)},
		{func(o *Options) {
			o.Settings, o.Distance, o.PartBytes = DefaultFingerprints(), 3, 1<<9
		}, removing(nil, in)},
	}
	// of returns what is left of a run to out: its first part.
	of := func(out string, which byte) *section.File {
		o := resumable(out)
		runs[which].set(&o)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		o.Phase = func(what string) {
			if what == counting || what == run.Comparing {
				cancel()
			}
		}
		if err := runs[which].do(ctx, out, o); !errors.Is(err, context.Canceled) {
			f.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(out, publish.WorkName, partName(1)))
		if err != nil {
			f.Fatal(err)
		}
		part, err := section.Parse("", data)
		if err != nil {
			f.Fatal(err)
		}
		return part
	}
	outs, left := make([]string, len(runs)), make([]*section.File, len(runs))
	for i := range runs {
		outs[i] = filepath.Join(f.TempDir(), "out")
		left[i] = of(outs[i], byte(i))
	}
	for run := range byte(len(runs)) {
		for i := range byte(13) {
			f.Add(run, i, uint16(0), byte(1), uint16(0))
			f.Add(run, i, uint16(8), byte(0xff), uint16(0))
			f.Add(run, i, uint16(20), byte(0), uint16(4))
		}
	}
	f.Fuzz(func(t *testing.T, run, which byte, at uint16, flip byte, cut uint16) {
		run %= byte(len(runs))
		o := resumable(outs[run])
		runs[run].set(&o)
		out := filepath.Join(t.TempDir(), "out")
		if err := os.CopyFS(out, os.DirFS(outs[run])); err != nil {
			t.Fatal(err)
		}
		writeChanged(t, filepath.Join(out, publish.WorkName, partName(1)), left[run], which, at, flip, cut)
		o.State = out
		_ = runs[run].do(t.Context(), out, o) // it ends
	})
}
