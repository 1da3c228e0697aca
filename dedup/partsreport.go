package dedup

import (
	"fmt"

	"simsearch/internal/dedupreport"
)

// report returns the report on what is cut. texts are those that newTexts has asked for.
func (p *divided) report(is CutResult, texts *partTexts) *dedupreport.Cuts {
	r := &dedupreport.Cuts{
		V: 1, Command: p.o.Command, Settings: p.settings(), By: p.o.By.String(), Mode: string(is.Mode), Threshold: p.o.Threshold,
		Files: is.Files.report(), Documents: is.Documents, Changed: is.Changed, Removed: is.Removed, Bad: is.Bad, Parts: is.Parts, Short: is.Short,
		Exact: is.Exact, Near: is.Near, Bytes: is.Bytes, CutBytes: is.CutBytes, Warnings: is.Warnings(),
	}
	for _, s := range is.Sources {
		r.Sources = append(r.Sources, dedupreport.CutSource{
			Path: s.Path, Documents: s.Documents, Changed: s.Changed, Removed: s.Removed, Bad: s.Bad,
			Parts: s.Parts, Exact: s.Exact, Near: s.Near, CutBytes: s.CutBytes,
		})
	}
	for _, of := range p.repeated {
		doc, part := p.place(of.part)
		text := texts.of[of.part]
		r.Repeated = append(r.Repeated, dedupreport.Repeated{Times: of.times, ID: string(p.id(doc)), Part: part, Text: text.text, Cut: text.cut})
	}
	for _, i := range texts.pairs {
		a, b := texts.of[p.nearOf[i]], texts.of[p.nearTo[i]]
		r.Borderline = append(r.Borderline, dedupreport.Pair{
			ID: p.named(p.nearOf[i]), Kept: p.named(p.nearTo[i]), Similarity: p.nearBy[i], A: a.text, B: b.text, Cut: a.cut || b.cut,
		})
	}
	return r
}

// named returns what a part is called in a report.
func (p *divided) named(part uint32) string {
	doc, number := p.place(part)
	return fmt.Sprintf("%s, %s %d", p.id(doc), p.o.By, number)
}

// settings returns the options that decide what is cut, as flags name them.
func (p *divided) settings() []dedupreport.Setting {
	return []dedupreport.Setting{
		{Name: "by", Value: p.o.By.String()},
		{Name: "min-words", Value: fmt.Sprint(p.o.MinWords)},
		{Name: "jaccard", Value: fmt.Sprint(p.o.Threshold)},
		{Name: "features", Value: p.o.Settings.SetFeatures.String()},
		{Name: "files", Value: fmt.Sprint(len(p.files) - p.refs)},
		{Name: "files of the reference", Value: fmt.Sprint(p.refs)},
	}
}
