package main

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

func TestPictures(t *testing.T) {
	var files [][]byte
	for n := range uint64(12) {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, testkit.Photo(n, 240, 180), nil); err != nil {
			t.Fatal(err)
		}
		files = append(files, b.Bytes())
	}
	var white bytes.Buffer
	if err := jpeg.Encode(&white, image.NewGray(image.Rect(0, 0, 20, 20)), nil); err != nil {
		t.Fatal(err)
	}
	// One is there twice, one is of one colour, and one is no picture.
	files = append(files, files[3], white.Bytes(), []byte("a text"))
	file := func(i int) ([]byte, error) {
		if i == 15 {
			return nil, errors.New("it is gone")
		}
		return files[i], nil
	}
	var texts []string
	for _, threads := range []int{1, 3} {
		r, err := Evaluate(t.Context(), 16, file, Options{Name: "album", Sample: 8, Seed: 1, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.WriteBrief(&b, 0, ""); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b.String())
		if len(r.Sections) != 2 || r.Facts[0].Value != "12, and 4 left out that are equal, of one colour or unreadable" {
			t.Fatalf("%d sections, %q", len(r.Sections), r.Facts)
		}
		for _, s := range r.Sections {
			// Copies of a better quality are not farther than others of their kind, and all are within 20 bits.
			rows := s.Tables[1].Rows
			if len(rows) != 19 || rows[0][0] != "JPEG of quality 75" || rows[0][3].(int) > 2 || rows[0][4].(float64) != 1 {
				t.Errorf("%s: %v", s.Name, rows[0])
			}
			last := 0.0
			for _, row := range s.Tables[0].Rows {
				recall, precision := row[1].(float64), row[2].(float64)
				if recall < last || recall > 1 || precision > 1 {
					t.Errorf("%s: %v", s.Name, row)
				}
				last = recall
			}
			if last < 0.95 {
				t.Errorf("%s: recall %v at the largest distance", s.Name, last)
			}
		}
	}
	if texts[0] != texts[1] {
		t.Error("the report depends on the threads")
	}
	if !strings.Contains(texts[0], "8 pictures") {
		t.Errorf("the number of sampled pictures is not said: %s", texts[0])
	}
	if _, err := Evaluate(t.Context(), 1, file, Options{}); !errors.Is(err, errFew) {
		t.Errorf("one picture: %v", err)
	}
}

// The distance that is chosen is the largest one of the precision wanted.
func TestChoose(t *testing.T) {
	f := found{queries: 100}
	f.own[0], f.own[4], f.others[5], f.others[6] = 60, 40, 1, 1
	if k := choose(&f); k != 5 {
		t.Errorf("k = %d, want 5", k)
	}
	if m, all, none := f.quantile(0.5), f.quantile(1), (&found{queries: 1}).quantile(1); m != 0 || all != 4 || none != -1 {
		t.Errorf("quantiles %d, %d, %d", m, all, none)
	}
}
