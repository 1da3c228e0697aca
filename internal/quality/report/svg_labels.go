package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A box is a rectangle of a drawing.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(other box) bool {
	return b.left < other.right && other.left < b.right && b.top < other.bottom && other.top < b.bottom
}

// Sizes of a label.
const (
	labelLetter = 6.2 // the width of most of its letters
	labelHigh   = 12.0
	markRoom    = 4.0 // from the middle of a mark to its edge, and a gap
)

// drawLabels writes the labels of points beside them, where they hide no mark and no other label. Others are left
// out; the first ones come first.
func (p *Plot) drawLabels(b *strings.Builder, x, y scale) {
	var taken []box
	for i, s := range p.Series {
		taken = append(taken, box{left + plotWidth + 8, nameAt(i) - 10, left + plotWidth + p.right(), nameAt(i) + 10})
		for _, point := range s.Points {
			if px, py := x.at(point[0]), y.at(point[1]); !s.Small && x.has(point[0]) && y.has(point[1]) {
				taken = append(taken, box{px - markRoom, py - markRoom, px + markRoom, py + markRoom})
			}
		}
	}
	within := box{min(x.from, x.to), min(y.from, y.to) - labelHigh, max(x.from, x.to) + leastRight/3, max(y.from, y.to)}
	for _, s := range p.Series {
		for i, label := range s.Labels {
			if point := s.Points[i]; label == "" || !x.has(point[0]) || !y.has(point[1]) {
				continue
			}
			px, py, wide := x.at(s.Points[i][0]), y.at(s.Points[i][1]), labelLetter*float64(utf8.RuneCountInString(label))
			right, left := px+markRoom, px-markRoom-wide
			above, below, beside := py-markRoom-labelHigh, py+markRoom, py-labelHigh/2
			places := [][2]float64{{right, above}, {right, below}, {left, below}, {left, above}, {right + 2, beside},
				{left - 2, beside}}
			for _, place := range places {
				at := box{place[0], place[1], place[0] + wide, place[1] + labelHigh}
				fits := at.left >= within.left && at.top >= within.top && at.right <= within.right && at.bottom <= within.bottom
				if !fits || slices.ContainsFunc(taken, at.meets) {
					continue
				}
				taken = append(taken, at)
				fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="11">%s</text>`+"\n", at.left, at.bottom-2.5, escape(label))
				break
			}
		}
	}
}
