package dedup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/clean/warnings"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// add adds what has been cut of a file.
func (c *Cuts) add(t *cutter) {
	s := t.source
	c.halved, c.Short = c.halved+t.halved, c.Short+t.short
	c.Documents, c.Changed, c.Removed, c.Bad = c.Documents+s.Documents, c.Changed+s.Changed, c.Removed+s.Removed, c.Bad+s.Bad
	c.Parts, c.Exact, c.Near, c.CutBytes = c.Parts+s.Parts, c.Exact+s.Exact, c.Near+s.Near, c.CutBytes+s.CutBytes
	c.Sources = append(c.Sources, s)
}

// warned returns what should make one look at the result before using it, a sentence each.
func (c *Cuts) warned() (list []string) {
	if c.Documents == 0 && c.Bad == 0 {
		list = append(list, noDocuments)
	}
	for _, s := range c.Sources {
		if cut := s.Exact + s.Near; s.Documents >= warnings.Least && float64(cut) > warnings.NearlyAll*float64(s.Parts) {
			list = append(list, fmt.Sprintf("%s %s %d of its %d %ss.", warnings.Called(s.Path), loses(c.Mode), cut, s.Parts, c.By))
		}
	}
	if c.halved >= warnings.Least && float64(c.halved) > manyHalved*float64(c.Documents) {
		list = append(list, fmt.Sprintf("%d documents lose more than half of their texts and stay. They may be near others: "+
			"remove near documents first.", c.halved))
	}
	return list
}

// manyHalved is a share of documents that lose more than half of their texts that is told of.
const manyHalved = 0.05

// Summary returns what was cut, on one line.
func (c *Cuts) Summary() string {
	return fmt.Sprintf("%s of %s %s, %s of %s: %s with the words of one that stays, %s near one; %s of %s changed, %s removed",
		terminal.Thousands(c.Exact+c.Near), terminal.Plural(c.Parts, c.By), done(c.Mode, "cut"), terminal.Bytes(c.CutBytes),
		terminal.Bytes(c.Bytes), terminal.Thousands(c.Exact), terminal.Thousands(c.Near),
		terminal.Thousands(c.Changed), terminal.Plural(c.Documents, "document"), terminal.Thousands(c.Removed))
}

// uncut returns the report before anything is written.
func (d *Decisions) uncut() Cuts {
	o, files := &d.c.Options, len(d.c.Files)
	settings := report.Facts("by", o.By, "min-words", o.MinWords, "jaccard", o.Threshold, "features", o.Settings.SetFeatures,
		"files", files-d.c.Refs, "files of the reference", d.c.Refs)
	r := Cuts{V: 1, Command: o.Command, Settings: settings, Threshold: o.Threshold, By: o.By.String(), Mode: mode(o)}
	for _, length := range d.c.Lengths[d.c.Starts[d.c.Refs]:] {
		r.Bytes += int64(length)
	}
	return r
}

// Cuts says what Write or Stream has cut.
func (d *Decisions) Cuts() *Cuts {
	d.cut.Warnings = d.cut.warned()
	return &d.cut
}

// repeated returns the parts for which others are cut most often, those that are the first, the most often first.
func (d *Decisions) repeated() (most []Repeated, units []uint32) {
	times := map[uint32]int{}
	for part, kept := range d.kept {
		if kept != uint32(part) && !d.staysAlone(uint32(part)) { // else it goes with its document, and is not cut elsewhere
			times[kept]++
		}
	}
	top := run.Top[uint32]{Most: mostRepeated, Order: func(a, b uint32) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	}}
	for part := range times {
		top.Add(part)
	}
	top.Trim()
	for _, part := range top.Rows {
		doc, number := d.place(part)
		most = append(most, Repeated{Times: times[part], ID: string(d.c.ID(doc)), Part: number})
	}
	return most, top.Rows
}

// mostRepeated is how many of the most repeated parts a report names.
const mostRepeated = 100

// cutReport returns the report on what is cut.
func (d *Decisions) cutReport(o *outputs) *Cuts {
	c, r := d.c, d.Cuts()
	most, units := d.repeated()
	for i, part := range units {
		text := o.texts.at(part)
		most[i].Text, most[i].Cut = string(text.Text), text.More
	}
	r.Repeated = most
	named := func(part uint32) string {
		doc, number := d.place(part)
		return fmt.Sprintf("%s, %s %d", c.ID(doc), c.Options.By, number)
	}
	for _, part := range o.pairs {
		a, b := o.texts.at(part), o.texts.at(d.kept[part])
		r.Borderline = append(r.Borderline, Pair{
			ID: named(part), Kept: named(d.kept[part]), Similarity: d.similarity(part), A: string(a.Text), B: string(b.Text), Cut: a.More || b.More,
		})
	}
	return r
}

// A cutter takes the parts that are cut out of the documents of a file, and lists them.
type cutter struct {
	d      *Decisions
	list   []Part
	text   []byte
	buffer bytes.Buffer // of a row
	listed spill.Bytes  // of the list of parts that are cut
	source cutSource
	short  int // parts that are too short to be cut
	halved int // documents that lose more than half of their texts
}

// rowsHeld is how many bytes of rows of a file are held in memory.
const rowsHeld = 1 << 20

func (d *Decisions) cutter(file int) *cutter {
	c := d.c
	t := &cutter{d: d, listed: spill.NewBytes(c.Options.FS, c.Options.Temp, rowsHeld)}
	t.source = cutSource{Path: c.Files[file].Path, Documents: int(c.Starts[file+1] - c.Starts[file]), Bad: c.Bad[file]}
	for part, to := c.units(c.Starts[file], c.Starts[file+1]); part < to; part++ {
		if c.SetOf[part] != NoSet {
			t.source.Parts++
		}
		if d.staysAlone(part) {
			t.short++
		}
	}
	return t
}

// cut cuts a document.
func (t *cutter) cut(at uint32, doc *document.Document, texts *caught[seenText]) (rewrite.Decision, error) {
	d := t.d
	from, to := d.c.units(at, at+1)
	t.list = split(t.list[:0], doc.Text, d.c.Options.By)
	if uint32(len(t.list)) != to-from {
		return rewrite.Decision{}, run.Changed(doc.Source)
	}
	for _, part := range texts.unknown(from, to) {
		is := t.list[part-from]
		texts.see(part, &document.Document{Text: doc.Text[is.Start:is.End]})
	}
	isCut := func(i int) bool { return d.kept[from+uint32(i)] != from+uint32(i) }
	some := false
	for i := range t.list {
		if isCut(i) {
			some = true
			if d.isNear(from + uint32(i)) {
				t.source.Near++
			} else {
				t.source.Exact++
			}
			if texts == nil { // there is no list
				continue
			}
			if err := t.row(doc, i, from+uint32(i)); err != nil {
				return rewrite.Decision{}, err
			}
		}
	}
	switch {
	case !some:
		return rewrite.Decision{}, nil
	case d.removed[at]:
		t.source.Removed++
		t.source.CutBytes += int64(len(doc.Text))
		return rewrite.Decision{Drop: true}, nil
	}
	t.text = without(t.text[:0], doc.Text, t.list, isCut)
	t.source.Changed++
	if len(t.text) < len(doc.Text)/2 {
		t.halved++
	}
	t.source.CutBytes += int64(len(doc.Text) - len(t.text))
	return rewrite.Decision{Replace: true, Text: t.text}, nil
}

// A cutRow is a line of the list of parts that are cut.
type cutRow struct {
	ID         string  `json:"id"`
	Part       int     `json:"part"`  // its number in the text, from 1
	Start      int     `json:"start"` // its place in the text, in bytes
	End        int     `json:"end"`
	Text       string  `json:"text"` // the beginning
	KeptID     string  `json:"kept_id"`
	KeptPart   int     `json:"kept_part"`
	Similarity float64 `json:"similarity"`
	Near       bool    `json:"near"` // the words are others, or in another order
}

// isNear reports whether the words of a part are others than those of the part kept for it, or in another order.
func (d *Decisions) isNear(part uint32) bool { return d.centers[d.c.SetOf[part]] != d.c.SetOf[part] }

// row lists a part that is cut, the i-th of its document.
func (t *cutter) row(doc *document.Document, i int, part uint32) error {
	d := t.d
	is := t.list[i]
	keptDoc, keptPart := d.place(d.kept[part])
	to := json.NewEncoder(&t.buffer)
	to.SetEscapeHTML(false)
	err := to.Encode(cutRow{escaped(doc.ID), i + 1, is.Start, is.End, beginning(doc.Text[is.Start:is.End]), escaped(d.c.ID(keptDoc)),
		keptPart, d.similarity(part), d.isNear(part)})
	t.listed.Append(t.buffer.Bytes())
	t.buffer.Reset()
	return cmp.Or(err, t.listed.Flush())
}

// place returns the document of a part, and the number of the part in it, from 1.
func (d *Decisions) place(part uint32) (doc uint32, number int) {
	doc = d.c.docOf(part)
	return doc, int(part-d.c.unitsEnd(doc)) + 1
}

// shownBytes is how many bytes of a text a list shows.
const shownBytes = 100

// beginning returns the beginning of a text, on one line.
func beginning(text []byte) string {
	some := text[:min(len(text), 4*shownBytes)]
	line := strings.Join(strings.Fields(strings.ToValidUTF8(string(some), "\ufffd")), " ")
	if len(line) <= shownBytes && len(some) == len(text) {
		return line
	}
	line = line[:min(len(line), shownBytes)]
	for len(line) > 0 && !utf8.ValidString(line) {
		line = line[:len(line)-1]
	}
	return line + "…"
}
