// Package steps divides dedup into steps that any engine can run on many machines: files in, files out.
//
//   - sketch: a share of the files of a collection → a sketch of its documents and their sets
//   - plan: all sketches → how sets are divided into parts
//   - scatter: the plan and a sketch → the sets of the sketch, part by part
//   - join: one part of all scattered files → the pairs of near sets that show first in it
//   - components: all sketches, and all pairs or none → the lists of what dedup removes
//   - keep: the list of what is removed → a share of the files again, without these documents
//
// The last two write what dedup writes of the same files and settings, byte for byte. A step has no state beside its
// files. Its output appears complete or not at all, and a step that runs again writes the same bytes, so that an
// engine may run one twice or again on another machine.
//
// A pair of sets is near in one part only: that of the first feature in the order of the plan that both have, or of
// the first block of bits in which two fingerprints agree. So nobody has to remove pairs that were found twice.
// Vernica, Carey and Li ("Efficient Parallel Set-Similarity Joins Using MapReduce", SIGMOD 2010) divide sets by the
// features of their prefixes, too; here, the part decides by the first common feature whether a pair is its own.
//
// Where near pairs are very many, as among a million copies of one template, they are not listed: components then
// compares the sets itself, as dedup does.
package steps

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/join"
	"simsearch/internal/quality/explain"
	"simsearch/internal/quality/report"
)

// version is that of the files of all steps.
const version = 4

// Kinds of files.
const (
	sketchKind  = "sketch"
	planKind    = "plan"
	scatterKind = "scatter"
	pairsKind   = "pairs"
)

// A criterion says what is near, and what is kept. All files of one run have the same.
type criterion struct {
	Settings analysis.Settings `json:"settings"`
	Jaccard  float64           `json:"jaccard,omitempty"` // the least similarity of sets
	Distance *int              `json:"k,omitempty"`       // or the largest distance of fingerprints, in bits
	Keep     string            `json:"keep"`
	Group    string            `json:"group"` // star or components
	Spare    string            `json:"spare,omitempty"`
}

// criterionOf returns the criterion of a run of dedup. The error says what steps cannot do.
func criterionOf(o *dedup.Options) (json.RawMessage, error) {
	c := criterion{Settings: o.Settings, Keep: o.Keep.String(), Group: report.Either(o.Chain, "star", "components"), Spare: o.Spare.String()}
	if o.ByDistance() {
		c.Distance = &o.Distance
	} else {
		c.Jaccard = o.Threshold
	}
	switch {
	case o.By != dedup.Documents:
		return nil, errors.New("steps compare whole documents, and no parts of them")
	case o.Contained > 0:
		return nil, errors.New("steps do not look for contained documents")
	case o.MaxDF > 0 || o.Ignore != "":
		return nil, errors.New("steps leave out no features")
	}
	return json.Marshal(c)
}

// A header is what a file says of itself.
type header struct {
	V         int             `json:"v"`
	Kind      string          `json:"kind"`
	Criterion json.RawMessage `json:"criterion"` // as it stands in all files of a run
	Share     string          `json:"share,omitempty"`
	Files     []fileHeader    `json:"files,omitempty"` // of a sketch
	Parts     int             `json:"parts,omitempty"` // of a plan, and of what is made by it
	Sets      uint64          `json:"sets,omitempty"`  // of all sketches of a plan, equal ones of several sketches counted each time
	Part      int             `json:"part,omitempty"`  // of pairs, from 1
	Many      bool            `json:"many,omitempty"`  // there are too many pairs to list
}

// A fileHeader is a file that a sketch has read.
type fileHeader struct {
	Path      string `json:"path"` // escaped as in the lists of dedup
	Documents uint32 `json:"documents"`
	Bad       int    `json:"bad,omitempty"` // documents that cannot be read
}

// An input is an open file of a step.
type input struct {
	*section.File
	header
	share  corpus.Share // of a sketch, and of what is scattered of one
	path   string
	mapped *disk.Mapped
}

// open opens a file of one of some kinds. The caller closes it, and reads it within disk.Guarded.
func open(fsys disk.FS, path string, kinds ...string) (in *input, err error) {
	in = &input{path: path}
	at := path
	if fsys == disk.OS { // an engine may give a step its files as links
		at = disk.Follow(path)
	}
	if in.mapped, err = disk.MapOwn(fsys, at); err != nil {
		return nil, err
	}
	err = disk.Guarded(func() error {
		if in.File, err = section.Parse(path, in.mapped.Data()); err != nil {
			return err
		}
		in.Expect(in.mapped.Expect)
		about := in.Bytes(section.About)
		if err := json.Unmarshal(about, &in.header); err != nil {
			return in.Corruptf(section.About, 0, "%v", err)
		}
		if in.V != version {
			return fmt.Errorf("%w: it has version %d, and this program version %d", section.ErrVersion, in.V, version)
		}
		if !slices.Contains(kinds, in.Kind) {
			return fmt.Errorf("%s is a file of kind %q, which this step does not read", path, in.Kind)
		}
		if in.Kind == sketchKind || in.Kind == scatterKind {
			if in.share, err = corpus.ParseShare(in.Share); err != nil {
				return in.Corruptf(section.About, 0, "%v", err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(section.InFile(path, err), in.mapped.Close())
	}
	return in, nil
}

// inputs are open files of one run.
type inputs []*input

// openAll opens files of one run, of some kinds.
func openAll(fsys disk.FS, paths []string, kinds ...string) (all inputs, err error) {
	for _, path := range paths {
		in, err := open(fsys, path, kinds...)
		if err != nil {
			return nil, errors.Join(err, all.close())
		}
		if all = append(all, in); string(in.header.Criterion) != string(all[0].header.Criterion) {
			err := fmt.Errorf("%s was made by other settings than %s: make all sketches by the same flags", path, all[0].path)
			return nil, errors.Join(err, all.close())
		}
	}
	return all, nil
}

// reading opens the files of other steps, of some kinds, calls do with them, and closes them at the end.
func (c *Command) reading(kinds []string, do func(all inputs) error) error {
	all, err := openAll(c.How.FS, c.In, kinds...)
	if err != nil {
		return err
	}
	return errors.Join(disk.Guarded(func() error { return do(all) }), all.close())
}

// of returns those of a kind.
func (all inputs) of(kind string) (some inputs) {
	for _, in := range all {
		if in.Kind == kind {
			some = append(some, in)
		}
	}
	return some
}

func (all inputs) close() error {
	var errs []error
	for _, in := range all {
		errs = append(errs, in.mapped.Close())
	}
	return errors.Join(errs...)
}

// how returns the options of dedup that the criterion of the file stands for.
func (in *input) how() dedup.Options {
	var c criterion
	err := json.Unmarshal(in.header.Criterion, &c)
	o := dedup.Options{Settings: c.Settings, Threshold: c.Jaccard, Chain: c.Group == "components"}
	if err == nil && c.Distance != nil {
		if o.Distance = *c.Distance; o.Distance < 0 || o.Distance >= 64 {
			err = fmt.Errorf("a distance of %d bits: want 0 to %d", o.Distance, 63)
		}
		o.Threshold = join.SimilarityAt(o.Distance, 64)
	}
	if err == nil && (!(o.Threshold > 0 && o.Threshold <= 1) || (c.Distance != nil) != o.ByDistance()) {
		err = errors.New("no criterion of nearness")
	}
	if err == nil {
		o.Keep, err = dedup.ParseKeep(c.Keep)
	}
	if err == nil && c.Spare != "" {
		o.Spare, err = explain.ParseFacts(c.Spare)
	}
	if err != nil {
		panic(in.Corruptf(section.About, 0, "%v", err))
	}
	return o
}

// write writes the output, which is made from some files. It appears complete or not at all.
func (c *Command) write(from []string, h header, sections func(w *section.Writer) error) (err error) {
	dir, err := c.How.FS.Root(filepath.Dir(c.Out), run.Readers(from))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	h.V = version
	return section.WriteFile(dir, filepath.Base(c.Out), h, func(w *section.Writer) error {
		return disk.Guarded(func() error { return sections(w) })
	})
}
