package main

import (
	"errors"
	"io"

	"simsearch/analysis"
	"simsearch/eval"
	"simsearch/eval/protocol"
)

// core scores the runs on records of the CORE dataset.
func (e *evaluation) core() (*eval.Report, error) {
	if e.c.FilesFrom.Given {
		return nil, errors.New("--protocol core reads the files that arguments name, and takes no --files-from")
	}
	var records []protocol.Record
	for _, path := range e.c.Args {
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
	return protocol.CORE(e.c.Context, records, e.c.Common.Threads, e.c.Seed.Value)
}

// newsCopy scores the clusters of the runs on the NewsCopy dataset.
func (e *evaluation) newsCopy() (*eval.Report, error) {
	r, err := e.env.openCorpus(e.c, analysis.Classic().Bits)
	if err != nil {
		return nil, err
	}
	in := e.env.inputs().Start(r, e.c.Common.Progress, "reading")
	number := map[string]uint32{}
	var texts []string
	for d, err := range in.Documents() {
		if err != nil {
			return nil, errors.Join(err, in.Close())
		}
		e.readers.See(d.Source)
		number[string(d.ID)] = uint32(len(texts))
		texts = append(texts, string(d.Text))
	}
	e.bad = in.Bad
	if err := in.Close(); err != nil {
		return nil, err
	}
	var l *eval.Labels
	e.readers.See(e.c.Truth.Value)
	err = withFile(e.c.Truth.Value, func(r io.Reader) (err error) {
		l, err = eval.ReadLabels(r, func(id string) (uint32, bool) {
			n, ok := number[id]
			return n, ok
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return protocol.NewsCopy(e.c.Context, texts, l, e.c.Common.Threads, e.c.Seed.Value)
}
