package svg

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// A box is a rectangle of a drawing.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(other box) bool {
	return b.left < other.right && other.left < b.right && b.top < other.bottom && other.top < b.bottom
}

// A labelled is a point with a label.
type labelled struct {
	x, y float64
	text string
}

// Sizes of a label.
const (
	labelLetter = 6.2 // the width of most of its letters
	labelHigh   = 12.0
	markRoom    = 4.0 // from the middle of a mark to its edge, and a gap
)

// drawLabels writes the labels of points beside them, where they hide no mark and no other label. Others are left out; the first
// ones come first.
func (p *Plot) drawLabels(b *strings.Builder, x, y scale) {
	var taken []box
	var wanted []labelled
	for i := range p.Series {
		s := &p.Series[i]
		taken = append(taken, box{left + plotWidth + 8, nameAt(i) - 10, left + plotWidth + p.right(), nameAt(i) + 10})
		for at, point := range s.Points {
			if !x.has(point[0]) || !y.has(point[1]) {
				continue
			}
			px, py := x.at(point[0]), y.at(point[1])
			if !s.Small {
				taken = append(taken, box{px - markRoom, py - markRoom, px + markRoom, py + markRoom})
			}
			if at < len(s.Labels) && s.Labels[at] != "" {
				wanted = append(wanted, labelled{px, py, s.Labels[at]})
			}
		}
	}
	for _, l := range wanted {
		wide := labelLetter * float64(utf8.RuneCountInString(l.text))
		for _, place := range [][2]float64{{l.x + markRoom, l.y - markRoom - labelHigh}, {l.x + markRoom, l.y + markRoom}, {l.x - markRoom - wide, l.y + markRoom}, {l.x - markRoom - wide, l.y - markRoom - labelHigh}, {l.x + markRoom + 2, l.y - labelHigh/2}, {l.x - markRoom - 2 - wide, l.y - labelHigh/2}} {
			at := box{place[0], place[1], place[0] + wide, place[1] + labelHigh}
			if at.left < min(x.from, x.to) || at.right > max(x.from, x.to)+leastRight/3 || at.top < min(y.from, y.to)-labelHigh || at.bottom > max(y.from, y.to) || meetsAny(at, taken) {
				continue
			}
			taken = append(taken, at)
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="11">%s</text>`+"\n", at.left, at.bottom-2.5, html.EscapeString(l.text))
			break
		}
	}
}

func meetsAny(b box, others []box) bool {
	for _, other := range others {
		if b.meets(other) {
			return true
		}
	}
	return false
}
