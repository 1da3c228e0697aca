package dedup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
)

// A text with a notice that many have more is not kept in the place of one without, and all others are as with
// Longest: texts that are cut off, changed, or have more that is their own.
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

// Of a mail and what quotes it, the mail stays; of mails that say more of their own, those that do.
func TestCleanestMail(t *testing.T) {
	t.Parallel()
	const mail = "Dear Anna,\n\nthe harbour committee meets on Thursday at ten in the small hall. Please bring the drawings of the bridge and the list of " +
		"boats that need a place in winter. The mayor will join us for half an hour, and wants to hear about the costs.\n\nPeter\n"
	quoted := "> " + strings.ReplaceAll(strings.TrimSpace(mail), "\n", "\n> ") + "\n"
	for _, test := range []struct {
		what, other string
		stays       bool // the mail
	}{
		{"a reply above", "Thanks, I shall be there.\n\nOn Monday Peter wrote:\n" + quoted, true},
		{"a reply with a signature", "Thanks!\n\n" + quoted + "\n-- \nAnna Meyer, harbour office, Quay 3, 20457 Hamburg\n", true},
		{"a signature", mail + "\n-- \nPeter Larsen\nTel. 040 123457\n", true},
		{"one that is passed on", "FYI\n\n---------- Forwarded message ----------\nFrom: Peter\n\n" + mail, true},
		{"one that is passed on, German", "Zur Kenntnis\n-----Ursprüngliche Nachricht-----\nVon: Peter\nAn: Anna\n\n" + mail, true},
		{"more behind a heading between hyphens", "----- News -----\n" + mail + "\nThe bridge will be open on Friday.\n", false},
		{"more behind two hyphens", "--\n" + mail + strings.Repeat("\nThe bridge will be open.", 12), false},
		{"a second version", mail + "\nPS: The costs of the bridge are in the list, too.\n", false},
		{"one that is cut off", mail[:len(mail)-40], true},
	} {
		for _, all := range [][]string{{mail, test.other}, {test.other, mail}} {
			o := options()
			o.Keep.Way, o.Threshold = Cleanest, 0.5
			out, _ := ran(t, nil, []string{files(t, all)}, o)
			rows := rowsOf[removedRow](t, out[run.RemovedName])
			if kept := map[bool]string{true: "d0", false: "d1"}[(all[0] == mail) == test.stays]; len(rows) != 1 || rows[0].KeptID != kept {
				t.Errorf("%s: removed %+v, want one for %s", test.what, rows, kept)
			}
		}
	}
}

// All of a text that quotes nothing is its own.
func TestOwnBytes(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "a\n b:\n\n\n": 8, "---\ntitle: a\n---\n\n---- b ----\nc\n": 32, "a:\n> b\n\nc": 2, "> a\n > b": 0, "a\n\n--\nb": 2, "\r\n": 2,
	} {
		if got := ownBytes([]byte(text)); got != want {
			t.Errorf("%q has %d bytes of its own, want %d", text, got, want)
		}
	}
}
