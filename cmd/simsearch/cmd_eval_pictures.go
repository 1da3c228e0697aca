package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/corpus"
	"simsearch/eval"
	"simsearch/eval/pictures"
	"simsearch/internal/commandline"
	"simsearch/internal/idtext"
	"simsearch/internal/intake"
)

// checkPictures returns an error if flags are given that say nothing of pictures.
func (e *evaluation) checkPictures() error {
	c := e.c
	name := commandline.FirstGiven(&c.Truth, &c.TruthFeatures, &c.Floor, &c.Experiment, &c.BandsTried, &c.WeighMisses, &c.Recommend, &c.Protocol,
		&c.Preset, &c.Mode, &c.Features, &c.Weights, &c.Lang, &c.Bits, &c.Perms, &c.Sketch, &c.Hash)
	if name != "" {
		return fmt.Errorf("--%s is not about pictures: eval --format image measures copies of them by both hashes; leave it out", name)
	}
	return nil
}

// pictures measures the hashes of pictures on copies.
func (e *evaluation) pictures() (*eval.Report, error) {
	o, err := e.env.corpusOptions(e.c, 64)
	if err != nil {
		return nil, err
	}
	r, err := corpus.Open(e.c.Args, o)
	if err != nil {
		return nil, err
	}
	err = intake.ReadOnce(r, "eval reads its input several times")
	in := e.env.inputs().Start(r, e.c.Common.Progress, "reading")
	var paths []string
	if err == nil {
		for doc, readErr := range in.Documents() {
			if err = readErr; err != nil {
				break
			}
			paths = append(paths, doc.Source)
			e.readers.See(doc.Source)
		}
	}
	e.bad = in.Bad
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	e.say("editing copies")
	report, err := pictures.Evaluate(e.c.Context, len(paths), func(i int) ([]byte, error) { return corpus.PictureFile(paths[i]) }, pictures.Options{
		Name: idtext.Harmless(strings.Join(slices.Concat(e.c.Args, e.c.FilesFrom.Value), ", ")), Sample: e.c.Sample.Value, Seed: e.c.Seed.Value, Threads: e.c.Common.Threads,
	})
	if errors.Is(err, eval.ErrEmpty) {
		err = errors.New("copies are told from other pictures: name two or more that are not of one colour")
	}
	return report, err
}
