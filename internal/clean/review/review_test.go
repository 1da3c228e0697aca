package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// crowd returns candidates of groups of very different sizes, with similarities from 0.8 on.
func crowd(r *rand.Rand, n int) (all []Candidate) {
	for group := uint32(0); len(all) < n; group++ {
		for range 1 + int(math.Exp(5*r.Float64())) {
			all = append(all, Candidate{Similarity: min(1, 0.8+0.21*r.Float64()), Group: group, Pair: uint32(len(all))})
		}
	}
	return all[:n]
}

// The strata have all candidates, all of one stratum are equally likely, and a group has no more than its share.
func TestChoose(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 60))
	for _, n := range []int{0, 1, 3, 17, 1000, 5000} {
		for _, want := range []int{1, 7, 60} {
			all := crowd(r, n)
			strata, chosen := Choose(slices.Clone(all), want)
			if len(chosen) != min(n, want) {
				t.Fatalf("%d of %d are chosen, want %d", len(chosen), n, want)
			}
			again, same := Choose(slices.Clone(all), want)
			if !reflect.DeepEqual(again, strata) || !slices.Equal(same, chosen) {
				t.Error("another choice of the same")
			}
			sum, of, seen := 0, make([]int, len(strata)), map[uint32]bool{}
			for i, s := range strata {
				if sum += s.Pairs; s.From > s.To || i > 0 && s.From <= strata[i-1].To {
					t.Errorf("strata %+v", strata)
				}
			}
			if sum != n {
				t.Errorf("%d pairs in strata, want %d", sum, n)
			}
			for i, c := range chosen {
				s := strata[c.Stratum]
				if of[c.Stratum]++; c.Similarity < s.From || c.Similarity > s.To || seen[c.Pair] {
					t.Errorf("%+v is in stratum %+v, or twice", c, s)
				}
				seen[c.Pair] = true
				if i+1 == len(strata) && want == 60 && n >= 1000 && slices.Contains(of, 0) {
					t.Errorf("the first %d pairs are of strata %v", i+1, of)
				}
			}
			for group := range uint32(n) {
				for i, s := range strata {
					has, is := 0, 0
					for _, c := range all {
						if c.Group == group && s.From <= c.Similarity && c.Similarity <= s.To {
							has++
						}
					}
					for _, c := range chosen {
						if c.Group == group && c.Stratum == i {
							is++
						}
					}
					if is > 1+has*of[i]/s.Pairs {
						t.Errorf("%d of the %d candidates of group %d are chosen of stratum %+v", is, has, group, s)
					}
				}
				if group > 100 {
					break
				}
			}
		}
	}
}

func marked(p Population, marks ...string) *Marks {
	m := &Marks{V: 1, Population: p}
	for i, mark := range marks {
		m.Marks = append(m.Marks, Mark{fmt.Sprint("d", i), "k", i % len(p.Strata), mark})
	}
	return m
}

func TestResult(t *testing.T) {
	p := Population{What: "removals", Same: 500, Strata: []Stratum{{0.8, 0.9, 300}, {0.9, 0.99, 200}}}
	marks := marked(p, "right", "right", "wrong", "right", "unsure", "right")
	r := marks.Result()
	if r.Pairs != 1000 || r.Marked != 6 || r.Right != 4 || r.Wrong != 1 || r.Unsure != 1 || math.Abs(r.Near.Share-(0.6*0.5+0.4)) > 1e-12 || math.Abs(r.All.Share-0.85) > 1e-12 {
		t.Errorf("%+v, %+v, %+v", r, r.Near, r.All)
	}
	if !(r.Near.Low < r.Near.Share && r.Near.Share < r.Near.High && r.All.Low < r.All.Share && r.All.Share < r.All.High) {
		t.Errorf("%v and %v", r.Near, r.All)
	}
	if got := r.String(); !strings.HasPrefix(got, "of the removals 85.0 % (") || !strings.HasSuffix(got, "(6 marked, 4 right and 1 wrong, 1 unsure, which do not count)") {
		t.Error(got)
	}
	if r := marked(p, "right").Result(); r.All != nil || r.String() != "1 marked, 1 right and 0 wrong: too few to tell how many of all removals are right; mark some of each similarity" {
		t.Error(r)
	}
	if err := marks.Check(p); err != nil {
		t.Error(err)
	}
	p.Same++
	if marks.Check(p) == nil {
		t.Error("marks of another result are taken")
	}
}

func TestReadMarks(t *testing.T) {
	p := Population{What: "removals", Strata: []Stratum{{0.8, 0.9, 2}}}
	data, err := json.Marshal(marked(p, "right", "wrong"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ReadMarks(bytes.NewReader(data))
	if err != nil || !reflect.DeepEqual(m, marked(p, "right", "wrong")) {
		t.Errorf("%+v, %v", m, err)
	}
	for _, bad := range []string{
		"", "[]", "{}", `{"v":2,"strata":[{"pairs":1}]}`,
		strings.Replace(string(data), `"wrong"`, `"false"`, 1), strings.Replace(string(data), `"stratum":0`, `"stratum":1`, 1),
		strings.Replace(string(data), `"pairs":2`, `"pairs":1`, 1), strings.Replace(string(data), `"same":0`, `"same":-1`, 1),
	} {
		if m, err := ReadMarks(strings.NewReader(bad)); err == nil {
			t.Errorf("%s is read as %+v", bad, m)
		}
	}
}
