package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/internal/unionfind"
	"simsearch/minhash"
	"simsearch/tables"
)

// A Record is a document of a protocol with the documents that are labelled its duplicates.
type Record struct {
	ID         string
	Text       string
	Duplicates []string
}

// ReadCORE reads records in the layout of the CORE deduplication dataset: a JSON object a line with
// core_id, processed_title (or title), processed_abstract (or abstract) and labelled_duplicates. The text
// is title, a space, abstract. Errors name the line.
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
	Exact                                                        int // records whose predicted set is the true one
}

// ScoreCORE scores predictions. A record without a prediction is a true negative if it has no
// duplicates, else a false negative. One with a prediction is a true positive only if it has duplicates
// and all of them are predicted, else a false positive: finding some of them is a mistake.
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

// row adds the published figures of a score: precision and recall of "duplicate" and of
// "non-duplicate", the mean of the two precisions, which was published as "macro F1", and accuracy.
func (s CoreScore) row(t *Table, name string) {
	n := s.TruePositives + s.FalsePositives + s.TrueNegatives + s.FalseNegatives
	duplicate, apart := share(s.TruePositives, s.TruePositives+s.FalsePositives), share(s.TrueNegatives, s.TrueNegatives+s.FalseNegatives)
	t.add(name, duplicate, share(s.TruePositives, s.TruePositives+s.FalseNegatives), apart, share(s.TrueNegatives, s.TrueNegatives+s.FalsePositives),
		(duplicate+apart)/2, NewRate(s.Exact, n))
}

func share(part, whole int) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

// AdjustedRandIndex compares two partitions of the same things: cluster numbers of each. It is 1 where
// they are equal, about 0 where they agree by chance; 1 if both are all singletons or both all one.
//
// Source: L. Hubert, P. Arabie, "Comparing Partitions", Journal of Classification 2 (1985),
// https://doi.org/10.1007/BF01908075.
func AdjustedRandIndex(a, b []uint32) float64 {
	both, as, bs := map[[2]uint32]int{}, map[uint32]int{}, map[uint32]int{}
	for i := range a {
		both[[2]uint32{a[i], b[i]}]++
		as[a[i]]++
		bs[b[i]]++
	}
	pairs := func(n int) float64 { return float64(n) * float64(n-1) / 2 }
	var together, inA, inB float64
	for _, n := range both {
		together += pairs(n)
	}
	for _, n := range as {
		inA += pairs(n)
	}
	for _, n := range bs {
		inB += pairs(n)
	}
	all := pairs(len(a))
	if all == 0 {
		return 1
	}
	expected, most := inA*inB/all, (inA+inB)/2
	if most == expected {
		return 1
	}
	return (together - expected) / (most - expected)
}

// words lower-cases a text and splits it at what is no letter, digit or underscore, as the published
// runs do.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// gramSets returns the sets of word n-grams of texts, as ascending hashes; a shorter text is one gram.
func gramSets(texts []string, n int) [][]uint64 {
	out := make([][]uint64, len(texts))
	for i, text := range texts {
		ws := words(text)
		if len(ws) == 0 {
			continue
		}
		var set []uint64
		for at := 0; at == 0 || at+n <= len(ws); at++ {
			set = append(set, fingerprint.Murmur3.Sum([]byte(strings.Join(ws[at:min(len(ws), at+n)], " "))))
		}
		slices.Sort(set)
		out[i] = slices.Compact(set)
	}
	return out
}

// byBands returns the components of sets that agree on some band of r values of a sketch, unverified.
func byBands(sets [][]uint64, perms, bands, rows int, seed uint64) unionfind.Sets {
	s := minhash.NewFast(perms, seed)
	sketches := make([][]uint64, len(sets))
	for i, set := range sets {
		if len(set) > 0 {
			sketches[i] = s.Sketch(nil, set)
		}
	}
	components := unionfind.New(len(sets))
	for b := range bands {
		first := map[uint64]uint32{}
		for i, sketch := range sketches {
			if sketch == nil {
				continue
			}
			var key []byte
			for _, v := range sketch[b*rows : (b+1)*rows] {
				key = fmt.Appendf(key, "%x.", v)
			}
			h := fingerprint.Murmur3.Sum(key)
			if other, ok := first[h]; ok {
				components.Union(other, uint32(i))
			} else {
				first[h] = uint32(i)
			}
		}
	}
	return components
}

// byDistance returns the components of the SimHashes of sets within distance k.
func byDistance(ctx context.Context, sets [][]uint64, k, threads int) (unionfind.Sets, error) {
	components := unionfind.New(len(sets))
	var values []uint64
	var docs []uint32
	for i, set := range sets {
		if fp, ok := fingerprint.Unit(set, 64); ok {
			values, docs = append(values, fp), append(docs, uint32(i))
		}
	}
	g := tables.Group(values, docs)
	for v := range g.Values {
		members := g.Members(uint32(v))
		for _, m := range members[1:] {
			components.Union(members[0], m)
		}
	}
	err := tables.Pairs(ctx, g.Values, 64, k, tables.PairOptions{Threads: threads}, func(p tables.Pair) error {
		components.Union(g.Members(p.A)[0], g.Members(p.B)[0])
		return nil
	})
	return components, err
}

// bySimilarity returns the components of sets at or above an exact Jaccard similarity.
func bySimilarity(ctx context.Context, sets [][]uint64, threshold float64, threads int) (unionfind.Sets, error) {
	pairs, err := SimilarPairs(ctx, sets, threshold, threads)
	components := unionfind.New(len(sets))
	for _, p := range pairs {
		components.Union(p.A, p.B)
	}
	return components, err
}

// others returns, for each record, the rest of its component.
func others(components unionfind.Sets) [][]uint32 {
	members := map[uint32][]uint32{}
	for i := range components {
		root := components.Find(uint32(i))
		members[root] = append(members[root], uint32(i))
	}
	out := make([][]uint32, len(components))
	for i := range components {
		for _, m := range members[components.Find(uint32(i))] {
			if m != uint32(i) {
				out[i] = append(out[i], m)
			}
		}
	}
	return out
}

// CORE scores the published runs on records in the CORE layout, and searches of ours beside them. A
// record's prediction is its connected component less itself.
func CORE(ctx context.Context, records []Record, threads int, seed uint64) (*Report, error) {
	number := map[string]uint32{}
	texts := make([]string, len(records))
	for i, r := range records {
		number[r.ID] = uint32(i)
		texts[i] = r.Text
	}
	r := &Report{Version: 1, Title: "The CORE protocol", Warnings: []string{}}
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
	r.Facts = []Fact{{"records", fmt.Sprintf("%d, %d of them with duplicates", len(records), labelled)}}
	s := &Section{Name: "core", Title: "Duplicates of a record"}
	s.Text = append(s.Text, "A true positive is a record all of whose duplicates are predicted; a partial hit is a false positive. Accuracy is the share of records whose predicted set equals the true one. The mean of the two precisions was published as \"macro F1\".")
	t := s.table("", "run", "precision, duplicate", "recall, duplicate", "precision, non-duplicate", "recall, non-duplicate", "mean precision", "accuracy")
	pairsOfWords, single := gramSets(texts, 2), gramSets(texts, 1)
	ScoreCORE(duplicates, others(byBands(pairsOfWords, 200, 50, 4, seed))).row(t, "published MinHash: word 2-grams, 200 permutations, 50 bands of 4, unverified")
	near, err := byDistance(ctx, single, 7, threads)
	if err != nil {
		return nil, err
	}
	ScoreCORE(duplicates, others(near)).row(t, "published SimHash: set of words, 64 bits, distance 7")
	for _, threshold := range []float64{0.5, 0.6, 0.7, 0.8} {
		near, err := bySimilarity(ctx, pairsOfWords, threshold, threads)
		if err != nil {
			return nil, err
		}
		ScoreCORE(duplicates, others(near)).row(t, fmt.Sprintf("word 2-grams, exact Jaccard ≥ %.1f", threshold))
	}
	r.Sections = append(r.Sections, s)
	return r, nil
}

// NewsCopy scores the published runs by the adjusted Rand index of their clusters against labelled
// ones, and searches of ours beside them. Documents with no labelled cluster are clusters of their own.
func NewsCopy(ctx context.Context, texts []string, l *Labels, threads int, seed uint64) (*Report, error) {
	want := unionfind.New(len(texts))
	for a, b := range l.Pairs {
		want.Union(a, b)
	}
	partition := func(s unionfind.Sets) []uint32 {
		out := make([]uint32, len(s))
		for i := range s {
			out[i] = s.Find(uint32(i))
		}
		return out
	}
	r := &Report{Version: 1, Title: "The NEWS-COPY protocol", Warnings: append([]string{}, l.Warnings()...), Facts: []Fact{{"documents", fmt.Sprint(len(texts))}, {"clusters", fmt.Sprint(l.Clusters)}}}
	s := &Section{Name: "news-copy", Title: "Clusters"}
	s.Text = append(s.Text, "The adjusted Rand index of predicted clusters, connected components, against the labelled ones: 1 is agreement, 0 chance.")
	t := s.table("", "run", "adjusted Rand index")
	grams := gramSets(texts, 2)
	t.add("published MinHash: word 2-grams, 256 permutations, 47 bands of 5, unverified", AdjustedRandIndex(partition(want), partition(byBands(grams, 256, 47, 5, seed))))
	filtered, err := nearAndSimilar(ctx, grams, 12, 0.45, threads)
	if err != nil {
		return nil, err
	}
	t.add("published SimHash: 12 bits, then Jaccard ≥ 0.45", AdjustedRandIndex(partition(want), partition(filtered)))
	for _, threshold := range []float64{0.3, 0.45, 0.6, 0.8} {
		near, err := bySimilarity(ctx, grams, threshold, threads)
		if err != nil {
			return nil, err
		}
		t.add(fmt.Sprintf("word 2-grams, exact Jaccard ≥ %.2f", threshold), AdjustedRandIndex(partition(want), partition(near)))
	}
	r.Sections = append(r.Sections, s)
	return r, nil
}

// nearAndSimilar returns the components of sets at or above an exact similarity whose SimHashes are
// within distance k, too.
func nearAndSimilar(ctx context.Context, sets [][]uint64, k int, threshold float64, threads int) (unionfind.Sets, error) {
	pairs, err := SimilarPairs(ctx, sets, threshold, threads)
	components := unionfind.New(len(sets))
	for _, p := range pairs {
		a, _ := fingerprint.Unit(sets[p.A], 64)
		b, _ := fingerprint.Unit(sets[p.B], 64)
		if hamming.Distance(a, b) <= k {
			components.Union(p.A, p.B)
		}
	}
	return components, err
}
