package results

import (
	"encoding/json"
	"io"

	"simsearch/index"
	"simsearch/internal/idtext"
)

// A groupRow is a group as JSON.
type groupRow struct {
	V              int      `json:"v,omitempty"`
	Group          int      `json:"group"`
	Size           int      `json:"size"`
	Representative string   `json:"representative"`
	MinSimilarity  *float64 `json:"min_similarity,omitempty"`
	MaxDistance    *int     `json:"max_distance,omitempty"`
	Estimated      bool     `json:"estimated,omitempty"`
	IDs            []string `json:"ids"`
}

// PrintGroup prints group n of an answer as a JSON object on one line. n counts from 1. ids are those of
// its documents, the representative first; PrintGroup changes them.
func PrintGroup(out io.Writer, near index.Predicate, n int, g index.Group, ids []string) error {
	for i, id := range ids {
		ids[i] = idtext.String.Text(id)
	}
	row := groupRow{Group: n, Size: len(ids), Representative: ids[0], Estimated: g.Estimated, IDs: ids}
	if n == 1 {
		row.V = 1
	}
	if near.BySets() {
		row.MinSimilarity = &g.Jaccard
	} else {
		row.MaxDistance = &g.Distance
	}
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}
