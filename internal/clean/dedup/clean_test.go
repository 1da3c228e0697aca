package dedup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
)

// A text with a notice that many have more is not kept in the place of one without, and all others are as with Longest: texts that
// are cut off, changed, or have more that is their own.
func TestCleanest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2057, 2058))
	word := func() string { return fmt.Sprintf("w%d", int(3000*r.Float64()*r.Float64())) }
	var all []string
	better := map[int]int{} // of each document that is to go: the one that stays
	add := func(stays, goes string) {
		if r.IntN(2) == 0 {
			better[len(all)] = len(all) + 1
			all = append(all, goes, stays)
		} else {
			better[len(all)+1] = len(all)
			all = append(all, stays, goes)
		}
	}
	notices := []string{" … Read more here.", " Subscribe to our newsletter for all news of the morning", ""}
	for i := range 400 {
		var words []string
		for range 40 + r.IntN(40) {
			words = append(words, word())
		}
		text := strings.Join(words, " ")
		switch i % 5 {
		case 0, 1:
			add(text, text+notices[i%5])
		case 2:
			add(text, strings.Join(words[:len(words)-4], " "))
		case 3:
			add(text+fmt.Sprintf(" and this is news %d", i), text)
		default:
			all = append(all, text, fmt.Sprint(text, i, " ", notices[i%3]))
		}
	}
	in := files(t, all)
	for _, keep := range []Way{Cleanest, Longest} {
		o := options()
		o.Keep.Way = keep
		out, result := ran(t, nil, []string{in}, o)
		right, notice := 0, 0
		for _, row := range rowsOf[removedRow](t, out[run.RemovedName]) {
			var gone, kept int
			if _, err := fmt.Sscanf(row.ID+" "+row.KeptID, "d%d d%d", &gone, &kept); err != nil {
				t.Fatal(err)
			}
			if stays, ok := better[gone]; ok && stays == kept {
				right++
			}
			if better[kept] == gone && strings.HasSuffix(all[kept], notices[0]) {
				notice++
			}
		}
		warned := strings.Contains(strings.Join(result.Warnings, " "), "give keep cleanest")
		if want := keep == Longest; warned != want || (notice > 0) != want {
			t.Errorf("%v: warned %v, %d texts with a notice displace one without", keep, warned, notice)
		}
		if keep == Cleanest && right < 310 {
			t.Errorf("%v: the better text is kept of %d pairs of 320", keep, right)
		}
	}
}
