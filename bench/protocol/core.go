package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
)

// A Record is a document with the ids of the documents that are labelled its duplicates.
type Record struct {
	ID         string
	Text       string
	Duplicates []string
}

// ReadCORE reads records in the layout of the CORE deduplication dataset. Each line is a JSON
// object with core_id, processed_title (or title), processed_abstract (or abstract) and
// labelled_duplicates. The text of a record is its title, a space and its abstract. Errors name the
// line. A file without records is an error.
func ReadCORE(r io.Reader) ([]Record, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	var out []Record
	for n := 1; lines.Scan(); n++ {
		var row struct {
			ID                json.Number `json:"core_id"`
			Title             string      `json:"title"`
			Abstract          string      `json:"abstract"`
			ProcessedTitle    *string     `json:"processed_title"`
			ProcessedAbstract *string     `json:"processed_abstract"`
			Duplicates        *[]any      `json:"labelled_duplicates"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if row.ID == "" || row.Duplicates == nil {
			return nil, fmt.Errorf("line %d: want core_id and labelled_duplicates, as the CORE dataset has them", n)
		}
		if row.ProcessedTitle != nil {
			row.Title = *row.ProcessedTitle
		}
		if row.ProcessedAbstract != nil {
			row.Abstract = *row.ProcessedAbstract
		}
		record := Record{ID: row.ID.String(), Text: row.Title + " " + row.Abstract}
		for _, d := range *row.Duplicates {
			if x, ok := d.(float64); ok {
				d = fmt.Sprintf("%.0f", x)
			}
			record.Duplicates = append(record.Duplicates, fmt.Sprint(d))
		}
		out = append(out, record)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, errors.New("there are no records")
	}
	return out, nil
}

// A CoreScore counts records by the rules of the published benchmark on CORE.
type CoreScore struct {
	TruePositives, FalsePositives, TrueNegatives, FalseNegatives int
	Exact                                                        int // records whose prediction is exactly the true set
}

// ScoreCORE scores predictions. predicted[i] is the prediction for a record with the true
// duplicates[i]. A record without a prediction is a true negative if it has no duplicates, and a
// false negative otherwise. A record with a prediction is a true positive if it has duplicates and
// all of them are predicted, and a false positive otherwise. So a record with only some of its
// duplicates predicted counts as a mistake.
func ScoreCORE(duplicates, predicted [][]uint32) CoreScore {
	var s CoreScore
	for i, want := range duplicates {
		got := predicted[i]
		missed := slices.ContainsFunc(want, func(d uint32) bool { return !slices.Contains(got, d) })
		switch {
		case len(got) == 0 && len(want) == 0:
			s.TrueNegatives++
		case len(got) == 0:
			s.FalseNegatives++
		case len(want) > 0 && !missed:
			s.TruePositives++
		default:
			s.FalsePositives++
		}
		if len(got) == len(want) && !missed {
			s.Exact++
		}
	}
	return s
}

// row adds the figures that were published: precision and recall of "duplicate" and of
// "non-duplicate", the mean of the two precisions, and accuracy. The mean was published as "macro
// F1".
func (s CoreScore) row(t *report.Table, name string) {
	n := s.TruePositives + s.FalsePositives + s.TrueNegatives + s.FalseNegatives
	duplicate, apart := share(s.TruePositives, s.TruePositives+s.FalsePositives), share(s.TrueNegatives, s.TrueNegatives+s.FalseNegatives)
	t.Add(name, duplicate, share(s.TruePositives, s.TruePositives+s.FalseNegatives), apart, share(s.TrueNegatives, s.TrueNegatives+s.FalsePositives),
		(duplicate+apart)/2, truth.NewRate(s.Exact, n))
}

// share returns part/whole, or NaN if whole is 0.
func share(part, whole int) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

// CORE repeats the published runs on records, adds exact searches and scores all of them. The
// prediction for a record is the other records of its connected component.
func CORE(ctx context.Context, records []Record, threads int, seed uint64) (*report.Report, error) {
	number := map[string]uint32{}
	texts := make([]string, len(records))
	for i, r := range records {
		number[r.ID] = uint32(i)
		texts[i] = r.Text
	}
	r := &report.Report{Version: 1, Title: "The CORE protocol", Warnings: []string{}}
	duplicates, unknown, labelled := make([][]uint32, len(records)), 0, 0
	for i, record := range records {
		for _, id := range record.Duplicates {
			if d, ok := number[id]; ok {
				duplicates[i] = append(duplicates[i], d)
			} else {
				unknown++
			}
		}
		if len(duplicates[i]) > 0 {
			labelled++
		}
	}
	if unknown > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("labels name %d ids that no record has; they are left out", unknown))
	}
	r.Facts = []report.Fact{{Name: "records", Value: fmt.Sprintf("%d, %d of them with duplicates", len(records), labelled)}}
	s := &report.Section{Name: "core", Title: "Duplicates of a record"}
	s.Text = append(s.Text, "A true positive is a record all of whose duplicates are predicted; a partial hit is a false positive. Accuracy is the share of records whose predicted set equals the true one. The mean of the two precisions was published as \"macro F1\".")
	t := s.AddTable("", "run", "precision, duplicate", "recall, duplicate", "precision, non-duplicate", "recall, non-duplicate", "mean precision", "accuracy")
	pairsOfWords := gramSets(texts, 2)
	ScoreCORE(duplicates, others(byBands(pairsOfWords, 200, 50, 4, seed))).row(t, "published MinHash: word 2-grams, 200 permutations, 50 bands of 4, unverified")
	near, err := byDistance(ctx, gramSets(texts, 1), 7)
	if err != nil {
		return nil, err
	}
	ScoreCORE(duplicates, others(near)).row(t, "published SimHash: set of words, 64 bits, distance 7")
	for _, threshold := range []float64{0.5, 0.6, 0.7, 0.8} {
		near, err := bySimilarity(ctx, pairsOfWords, threshold, 64, threads)
		if err != nil {
			return nil, err
		}
		ScoreCORE(duplicates, others(near)).row(t, fmt.Sprintf("word 2-grams, exact Jaccard ≥ %.1f", threshold))
	}
	r.Sections = append(r.Sections, s)
	return r, nil
}
