package results

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/preprocess"
)

// PrintInfo prints what an index holds, as a text.
func PrintInfo(out io.Writer, ix *index.Snapshot) error {
	info := ix.Info()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	s := info.Settings
	if s.Image != 0 {
		fmt.Fprintf(w, "documents\t%s, %s of them of one colour\n", terminal.Thousands(info.Documents), terminal.Thousands(info.Empty))
		fmt.Fprintf(w, "settings\tmode %s, hashes of pictures, image hash %v, bits %d", s.Mode, s.Image, s.Bits)
	} else {
		fmt.Fprintf(w, "documents\t%s\n", terminal.Thousands(info.Documents))
		fmt.Fprintf(w, "settings\tmode %s, features %s, weights %s, lang %s, bits %d, hash %s", s.Mode, s.Features, s.Weights, s.Language, s.Bits, s.Hash)
	}
	fmt.Fprintln(w, terminal.If(s.Signatures(), ", perms %d, seed %d, sketch %v", s.Positions, s.Seed, s.Sketch))
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, text)
		}
	}
	row("holds", describeInput(info.Input))
	row("made for", describeSearch(info))
	row("passages", terminal.If(ix.HasPassages(), "are found by codes of words (--passages)"))
	row("ids", terminal.If(info.Base != "" && !isHere(info.Base), "have paths from %s", terminal.Plain(info.Base)))
	row("size", terminal.Bytes(int64(info.Bytes))+" in "+terminal.Plural(len(info.Segments), "segment"))
	row("deleted", terminal.If(info.Deleted > 0, "%s, %.1f %% of those in the files", terminal.Plural(info.Deleted, "document"),
		100*deletedShare(info)))
	row("compact", compactPays(info))
	distance := index.DefaultDistance
	if s.Wide() {
		distance = info.Search.Distance
	}
	byDistance, err := explainIf(ix, s.Fingerprints(), index.Within(distance))
	bySimilarity, failed := explainIf(ix, s.Sets(), index.Default(s, info.Search))
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	for i, seg := range info.Segments {
		row("\nsegment "+seg.Name, terminal.Plural(seg.Documents, "document")+terminal.Some(seg.Deleted, ", and %s deleted"))
		if s.Fingerprints() {
			row("  fingerprints", terminal.Thousands(seg.Distinct)+" distinct")
			tables := fmt.Sprint(seg.Design)
			if seg.Tables != nil {
				tables += fmt.Sprintf(", %.3g entries expected a probe", seg.Tables.EntriesAProbe)
			}
			row("  tables", tables)
			_, search, _ := strings.Cut(byDistance[i], "; ")
			row("  search", search)
		}
		if s.Sets() {
			row("  sets", terminal.Thousands(seg.Sets)+" distinct")
			_, search, _ := strings.Cut(bySimilarity[i], ": ")
			row("  search", search)
			if seg.Bands != nil {
				row("  bands", fmt.Sprint(seg.Bands))
				row("  curve", curve(seg.Curve))
			}
		}
	}
	return w.Flush()
}

// deletedShare returns the share of the documents in the files that are deleted.
func deletedShare(info index.Info) float64 {
	return float64(info.Deleted) / float64(max(1, info.Documents+info.Deleted))
}

// Compacting writes the whole index again. It pays where it gives back a good part of it, or where each search looks
// into many segments.
const (
	manyDeleted  = 0.2
	manySegments = 5
)

// compactPays says why compacting an index pays. It returns "" if it does not.
func compactPays(info index.Info) string {
	space := uint64(0) // of deleted documents
	for _, s := range info.Segments {
		space += uint64(float64(s.Bytes) * float64(s.Deleted) / float64(max(1, s.Documents+s.Deleted)))
	}
	switch {
	case deletedShare(info) >= manyDeleted:
		return fmt.Sprintf("pays: it would give back about %s", terminal.Bytes(int64(space)))
	case len(info.Segments) >= manySegments:
		return fmt.Sprintf("pays: each search looks into %d segments", len(info.Segments))
	}
	return ""
}

// isHere reports whether dir is the working directory.
func isHere(dir string) bool {
	there, _ := os.Stat(dir)
	here, _ := os.Stat(".")
	return os.SameFile(here, there) // which nil is with none
}

// describeInput says in a few words what the documents of an index are. It returns "" if that is unknown.
func describeInput(in index.Input) string {
	text := map[string]string{"both": "texts and fingerprints"}[in.Holds]
	text = cmp.Or(text, in.Holds)
	for _, field := range []struct{ what, name string }{{"id", in.IDField}, {"text", in.TextField}, {"fingerprint", in.FingerprintField}} {
		text += terminal.If(field.name != "" && text != "", "; %s from %s", field.what, terminal.Plain(field.name))
	}
	switch {
	case in.Transposed:
		text += "; items, as sets of the ids that have them (--gather items)"
	case in.Pairs:
		text += "; sets of the items of one id (--gather users)"
	}
	mail, fields := strings.ReplaceAll(in.MailWithout, ",", " and "), strings.ReplaceAll(in.KeepFields, ",", ", ")
	text += terminal.If(mail != "" && text != "", "; messages without %s", terminal.Plain(mail))
	text += terminal.If(in.HTML != "" && text != "", "; HTML with all of its text")
	return text + terminal.If(fields != "", "; fields kept: %s", terminal.Plain(fields))
}

// describeSearch says in a few words which search an index is made for.
func describeSearch(info index.Info) string {
	s := info.Settings
	p := index.Default(s, info.Search)
	text := fmt.Sprintf("a distance of %d", p.Distance)
	if p.BySets() {
		text = fmt.Sprintf("%s of %v", p.Kind.Name, p.Threshold) +
			terminal.If(!p.Kind.Texts, " of the sets of %v", s.SetFeatures) +
			terminal.If(s.SetLanguage != preprocess.NoLanguage, " without stop words (%s)", s.SetLanguage)
	}
	if p.Recall != 1 && p.BySets() {
		text += fmt.Sprintf(", searched by bands with a recall of %v", p.Recall)
	} else if info.Search.Bands > 0 {
		text += fmt.Sprintf(", searched by %v", p.Bands)
	}
	return text + terminal.If(info.Search.Planned > 0, "; planned for queries of %v or more (--jaccard)", info.Search.Planned) +
		terminal.If(info.Search.Preset != "", " (preset %s)", info.Search.Preset)
}

// explainIf explains the searches by c if has is true.
func explainIf(ix *index.Snapshot, has bool, c index.Predicate) ([]string, error) {
	if !has {
		return nil, nil
	}
	how, _, err := ix.Explain(c)
	return how, err
}

// curve formats the probabilities of finding pairs of Jaccard similarity 0.1, 0.2, …
func curve(tenths []float64) string {
	var b strings.Builder
	for i, p := range tenths {
		fmt.Fprintf(&b, "%s%.1f: %.3g", map[bool]string{true: "  "}[i > 0], float64(i+1)/10, p)
	}
	return b.String()
}
