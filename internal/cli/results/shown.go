package results

import (
	"context"
	"errors"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/judge"
	"simsearch/internal/quality/explain"
)

// Texts has the texts of documents, such as an index.
type Texts interface {
	// Text returns the text of a document, or says why it cannot be had.
	Text(doc uint32) (string, error)
	Close() error
}

// A Shower shows documents of an index that are near each other, or near a query.
type Shower struct {
	Texts Texts
	Style explain.Style
	Limit int // changes that are shown of two texts
	// TitlesAlone says that the texts are descriptions, of which no differences are shown.
	TitlesAlone bool

	recent [2]kept // the documents that were asked for last, the last one first
}

// kept is the text of a document.
type kept struct {
	doc  uint32
	read bool
	text string
	err  error
}

// Shown is what people look at of two texts.
type Shown struct {
	TitleA, TitleB string
	explain.Differences
	Err   error // why there are no differences; of a source that has changed, for example
	alone bool  // B is compared with none
}

// Close closes the texts of a shower, which may be nil. They were read only.
func (s *Shower) Close() {
	if s != nil {
		_ = s.Texts.Close()
	}
}

// text returns the text of a document. Pairs come in order of their first document, and a document may be
// asked for twice, so that two texts are kept.
func (s *Shower) text(doc uint32) (string, error) {
	for i, k := range s.recent {
		if k.read && k.doc == doc {
			s.recent[0], s.recent[i] = k, s.recent[0]
			return k.text, k.err
		}
	}
	text, err := s.Texts.Text(doc)
	s.recent[0], s.recent[1] = kept{doc, true, text, err}, s.recent[0]
	return text, err
}

// fatal returns the errors of a text that stop a command. Other errors are of that document alone, and
// are told in the place of its differences.
func fatal(errs ...error) error {
	err := errors.Join(errs...)
	for _, class := range []error{index.ErrCorrupt, index.ErrClosed, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, class) {
			return err
		}
	}
	return nil
}

// Pair returns what is shown of documents a and b of an index. The error is one that concerns not only
// these.
func (s *Shower) Pair(a, b uint32) (Shown, error) {
	textA, errA := s.text(a)
	textB, errB := s.text(b)
	err := errors.Join(errA, errB)
	if errA != nil && errB != nil && errA.Error() == errB.Error() {
		err = errA
	}
	return s.two(textA, textB, err), fatal(errA, errB)
}

// Match returns what is shown of a document that is near a query, which is a text.
func (s *Shower) Match(query string, doc uint32) (Shown, error) {
	text, err := s.text(doc)
	return s.two(query, text, err), fatal(err)
}

// Document returns what is shown of a document that is compared with none.
func (s *Shower) Document(doc uint32) (Shown, error) {
	text, err := s.text(doc)
	return Shown{TitleB: s.title(text), Err: err, alone: true}, fatal(err)
}

// two returns what is shown of two texts. If one of them cannot be had, err is the reason.
func (s *Shower) two(a, b string, err error) Shown {
	x := Shown{TitleA: s.title(a), TitleB: s.title(b), Err: err}
	if err == nil && !s.TitlesAlone {
		x.Differences = explain.CompareTexts(a, b, s.Limit)
	}
	return x
}

// title returns the title of a text that fits a line with a sign before it.
func (s *Shower) title(text string) string {
	columns := 76
	if s.Style.Columns > 0 {
		columns = max(8, s.Style.Columns-len(s.Style.Indent)-2)
	}
	return judge.Title(text, columns)
}

// Lines returns the lines below a row: the titles, or the one that both have, and where the texts differ.
func (s *Shower) Lines(x Shown) []string {
	a := x.TitleA
	if x.alone {
		a = x.TitleB
	}
	lines := s.Style.Titles(a, x.TitleB)
	if x.Err != nil {
		lines = append(lines, s.Style.Failure(x.Err))
	}
	lines = append(lines, x.Differences.Lines(s.Style)...)
	return append(lines, "")
}

// PrintPair prints the row of a pair, with what is shown of it unless s is nil.
func (s *Shower) PrintPair(out *terminal.Rows, columns []terminal.Column, a, b uint32) error {
	if s == nil {
		return out.Print(columns...)
	}
	shown, err := s.Pair(a, b)
	if err != nil {
		return err
	}
	return s.Print(out, columns, shown, "a_title", "b_title")
}

// Print prints a row with what is shown of its documents. titleA and titleB are the keys of titles in JSON.
func (s *Shower) Print(out *terminal.Rows, columns []terminal.Column, x Shown, titleA, titleB string) error {
	if out.JSON() {
		return out.Print(append(columns, x.Columns(titleA, titleB)...)...)
	}
	return out.PrintWith(s.Lines(x), columns...)
}

// Columns returns the keys of JSON that say the same. titleA and titleB are the keys of the titles.
func (x Shown) Columns(titleA, titleB string) []terminal.Column {
	columns := terminal.Keyed(titleA, x.TitleA, titleB, x.TitleB)
	switch {
	case x.alone:
		columns = columns[1:]
	case x.Err == nil:
		return append(columns, x.differences()...)
	}
	if x.Err != nil {
		columns = append(columns, col("show_error", explain.Reason(x.Err)))
	}
	return columns
}

// differences returns the keys of JSON for differences.
func (x Shown) differences() []terminal.Column {
	columns := terminal.Keyed("differences", append([]explain.Change{}, x.Changes...))
	columns = with(columns, x.More > 0, "more_differences", x.More)
	columns = with(columns, x.Verdict != "", "verdict", x.Verdict)
	columns = with(columns, x.Facts != 0, "differs", x.Facts.Names())
	return with(columns, len(x.Remarks) > 0, "remarks", x.Remarks)
}
