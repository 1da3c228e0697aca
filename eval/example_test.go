package eval_test

import (
	"context"
	"fmt"
	"os"

	"simsearch/eval"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
)

var texts = []string{
	"the mill by the river grinds the corn of the whole valley",
	"the mill by the river grinds the corn of the whole wide valley",
	"the ferry leaves at noon and comes back in the evening",
	"the ferry leaves at noon and comes back late in the evening",
	"an apple cake wants sour apples, butter and patience",
}

func Example() {
	ctx := context.Background()
	documents := func(yield func(*document.Document, error) bool) {
		for i, text := range texts {
			if !yield(&document.Document{ID: fmt.Append(nil, i), Text: []byte(text)}, nil) {
				return
			}
		}
	}
	c, err := eval.Load(ctx, documents, eval.LoadOptions{Name: "texts", Settings: analysis.Default(), Truth: "words"})
	if err != nil {
		panic(err)
	}
	defer func() { _ = c.Close() }()
	experiments, err := eval.FindExperiments([]string{"methods"}, false)
	if err != nil {
		panic(err)
	}
	report, err := eval.Run(ctx, c, experiments, nil)
	if err != nil {
		panic(err)
	}
	err = report.WriteBrief(os.Stdout, 0, "")
	fmt.Println(err)
	// Output:
	// Evaluation of texts
	//   documents   5
	//   features    57, with repetitions; the median document has 12
	//   settings    fingerprints of words, weights tf, lang en; sets of words, lang none; bits 64, hash murmur3, perms 128, seed 0, sketch super
	//   truth       2 pairs of an exact Jaccard similarity of 0.8 or more of words, stop words included
	//   thresholds  2 pairs of 0.5, 2 pairs of 0.6, 2 pairs of 0.7, 2 pairs of 0.9 or more
	// warning: few pairs are near in truth, 2: recall is uncertain, see the intervals
	// warning: the texts are short, the median has 12 features: a changed word moves a fingerprint by many bits
	//
	// Near in truth are pairs of a Jaccard similarity of 0.8 or more, over words, stop words included: 2
	//   method                                   bytes a document  found  precision         recall             false-positive rate  false-negative rate  F1
	//   SimHash, k = 3                           8                 0      –                 0 % (0–65.8)       0 % (0–32.4)         100 % (34.2–100)     0
	//   SimHash, k = 8                           8                 0      –                 0 % (0–65.8)       0 % (0–32.4)         100 % (34.2–100)     0
	//   SimHash, k = 10                          8                 1      100 % (20.7–100)  50.0 % (9.5–90.5)  0 % (0–32.4)         50.0 % (9.5–90.5)    0.667
	//   SimHash, k = 10, verified                86.4              1      100 % (20.7–100)  50.0 % (9.5–90.5)  0 % (0–32.4)         50.0 % (9.5–90.5)    0.667
	//   MinHash, Jaccard ≥ 0.8, unverified       128               2      100 % (34.2–100)  100 % (34.2–100)   0 % (0–32.4)         0 % (0–65.8)         1
	//   MinHash, unverified, and within 12 bits  136               1      100 % (20.7–100)  50.0 % (9.5–90.5)  0 % (0–32.4)         50.0 % (9.5–90.5)    0.667
	//   MinHash, Jaccard ≥ 0.8, by signature     128               2      100 % (34.2–100)  100 % (34.2–100)   0 % (0–32.4)         0 % (0–65.8)         1
	//   MinHash, Jaccard ≥ 0.8, verified         206               2      100 % (34.2–100)  100 % (34.2–100)   0 % (0–32.4)         0 % (0–65.8)         1
	// <nil>
}
