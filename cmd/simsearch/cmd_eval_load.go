package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/document"
	"simsearch/eval"
	"simsearch/eval/protocol"
	"simsearch/internal/commandline"
	"simsearch/internal/idtext"
	"simsearch/internal/intake"
	"simsearch/internal/terminal"
	"simsearch/preprocess"
)

// recommend evaluates several settings and recommends one.
func (e *evaluation) recommend() (*eval.Report, error) {
	texts, err := eval.ReadTexts(e.name(), e.documents(e.Settings))
	if err != nil || e.broken != nil {
		return nil, errors.Join(err, e.broken)
	}
	col, err := eval.LoadTexts(e.Context, texts, e.loadOptions(e.Tries[0]))
	if err == nil {
		err = e.judge(col)
	}
	if err != nil {
		return nil, err
	}
	r, err := eval.Advise(e.Context, col, eval.AdviceOptions{Tries: e.Tries, AnyLanguage: e.AnyLanguage, Wanted: eval.Demands{Precision: e.MinPrecision.Value, Recall: e.MinRecall.Value}, Own: e.Own, OwnWith: e.OwnWith, OwnFlags: e.OwnFlags, Progress: e.say})
	return r, errors.Join(err, e.broken) // texts may have been read again
}

// name returns the name of the collection in reports.
func (e *evaluation) name() string {
	if e.ix != nil {
		return idtext.Harmless(e.Index.Value)
	}
	return idtext.Harmless(strings.Join(slices.Concat(e.Args, e.FilesFrom.Value), ", "))
}

// loadOptions returns how a collection is loaded for some settings.
func (e *evaluation) loadOptions(s analysis.Settings) eval.LoadOptions {
	truth := e.TruthFeatures.Value
	if truth == "" && s.Features.Kind != preprocess.Items {
		truth = "word:3"
	}
	return eval.LoadOptions{Name: e.name(), Settings: s, Truth: truth, Floor: e.Floor.Value, Seed: s.Seed, Sample: e.Sample.Value, Threads: e.Common.Threads, Bands: e.BandsTried.Value, Misses: e.WeighMisses.Value, Inputs: e.flagsOfInputs()}
}

// documents returns the documents of the inputs. Each call of the result reads them from the beginning.
func (e *evaluation) documents(s analysis.Settings) func() iter.Seq2[*document.Document, error] {
	e.bad, e.passes = 0, 0
	if e.ix != nil {
		return e.indexed
	}
	return func() iter.Seq2[*document.Document, error] {
		r, err := e.openCorpus(s.Bits)
		if err == nil {
			err = intake.ReadOnce(r, "eval reads its input several times")
		}
		if err != nil {
			return func(yield func(*document.Document, error) bool) { yield(nil, err) }
		}
		e.passes++
		in := e.task.inputs().Start(r, e.Common.Progress, "reading")
		in.Silent = e.passes > 1
		return func(yield func(*document.Document, error) bool) {
			in.Documents()(func(d *document.Document, err error) bool {
				if err == nil && d.HasFingerprint && !e.Fingerprints {
					d, err = nil, fmt.Errorf("%s: %w", terminal.Plain(d.Source), errNoFeatures)
				}
				if err == nil {
					e.readers.See(d.Source)
				}
				return yield(d, err) && err == nil
			})
			if e.passes == 1 {
				e.bad = in.Bad
			}
			e.broken = errors.Join(e.broken, in.Close())
		}
	}
}

// load reads the collection and its labels.
func (e *evaluation) load(s analysis.Settings) (col *eval.Collection, err error) {
	if e.Fingerprints {
		col, err = eval.LoadFingerprints(e.documents(s)(), s.Bits, e.loadOptions(s))
	} else {
		col, err = eval.Load(e.Context, e.documents(s), e.loadOptions(s))
	}
	if err != nil {
		return nil, errors.Join(err, e.broken)
	}
	if err = e.broken; err == nil {
		err = e.judge(col)
	}
	if err != nil {
		return nil, errors.Join(err, col.Close())
	}
	return col, nil
}

// judge reads the labels, if there are any.
func (e *evaluation) judge(col *eval.Collection) error {
	if path := e.Truth.Value; path != "" {
		e.readers.See(path)
		return withFile(path, col.Judge)
	}
	return nil
}

// flagsOfInputs returns the inputs, and the flags that say how to read them, as a command line has them.
func (e *evaluation) flagsOfInputs() string {
	if e.ix != nil {
		return ""
	}
	return commandline.Arguments(e.Args, e.Inputs)
}

// checkPictures returns an error if flags are given that say nothing of pictures.
func (e *evaluation) checkPictures() error {
	c := &e.Flags
	name := commandline.FirstGiven(&c.Truth, &c.TruthFeatures, &c.Floor, &c.Experiment, &c.BandsTried, &c.WeighMisses, &c.Recommend, &c.Protocol,
		&c.Preset, &c.Mode, &c.Features, &c.Weights, &c.Lang, &c.Bits, &c.Perms, &c.Sketch, &c.Hash)
	if name != "" {
		return fmt.Errorf("--%s is not about pictures: eval --format image measures copies of them by both hashes; leave it out", name)
	}
	return nil
}

// once reads the documents of r, for what reads them once.
func (e *evaluation) once(r *corpus.Reader, do func(*document.Document)) (err error) {
	in := e.task.inputs().Start(r, e.Common.Progress, "reading")
	for doc, readErr := range in.Documents() {
		if err = readErr; err != nil {
			break
		}
		e.readers.See(doc.Source)
		do(doc)
	}
	e.bad = in.Bad
	return errors.Join(err, in.Close())
}

// pictures measures the hashes of pictures on copies.
func (e *evaluation) pictures() (*eval.Report, error) {
	r, err := e.openCorpus(64)
	if err != nil {
		return nil, err
	}
	if err := intake.ReadOnce(r, "eval reads its input several times"); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	var paths []string
	if err := e.once(r, func(doc *document.Document) { paths = append(paths, doc.Source) }); err != nil {
		return nil, err
	}
	e.say("editing copies")
	report, err := eval.Pictures(e.Context, len(paths), func(i int) ([]byte, error) { return corpus.PictureFile(paths[i]) }, eval.PictureOptions{
		Name: e.name(), Sample: e.Sample.Value, Seed: e.Seed.Value, Threads: e.Common.Threads,
	})
	if errors.Is(err, eval.ErrEmpty) {
		err = errors.New("copies are told from other pictures: name two or more that are not of one colour")
	}
	return report, err
}

// core scores the runs on records of the CORE dataset.
func (e *evaluation) core() (*eval.Report, error) {
	if e.FilesFrom.Given {
		return nil, errors.New("--protocol core reads the files that arguments name, and takes no --files-from")
	}
	var records []protocol.Record
	for _, path := range e.Args {
		e.readers.See(path)
		err := withFile(path, func(r io.Reader) error {
			more, err := protocol.ReadCORE(r)
			records = append(records, more...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return protocol.CORE(e.Context, records, e.Common.Threads, e.Seed.Value)
}

// newsCopy scores the clusters of the runs on the NewsCopy dataset.
func (e *evaluation) newsCopy() (*eval.Report, error) {
	r, err := e.openCorpus(analysis.Classic().Bits)
	if err != nil {
		return nil, err
	}
	number := map[string]uint32{}
	var texts []string
	err = e.once(r, func(doc *document.Document) {
		number[string(doc.ID)] = uint32(len(texts))
		texts = append(texts, string(doc.Text))
	})
	if err != nil {
		return nil, err
	}
	var l *eval.Labels
	e.readers.See(e.Truth.Value)
	err = withFile(e.Truth.Value, func(r io.Reader) (err error) {
		l, err = eval.ReadLabels(r, func(id string) (uint32, bool, error) {
			n, ok := number[id]
			return n, ok, nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return protocol.NewsCopy(e.Context, texts, l, e.Common.Threads, e.Seed.Value)
}
