package dedup

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
)

// What a field decides is what comparing each document with each gives.
func TestKeepByFields(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 9))
		all := texts(rng, 200)
		sets := setsOf(t, all)
		documents := map[Way][]plainDocument{}
		var lines []string
		for i, text := range all {
			day, score := rng.IntN(9), rng.IntN(5)
			date, number := fmt.Sprintf(`"2024-01-0%d"`, day), fmt.Sprint(score)
			if day == 0 { // is no date
				date = `"2024-01-00"`
			}
			if score == 0 {
				number = "null"
			}
			if i%2 == 0 {
				number = `"` + number + `.0"`
				if day > 0 {
					date = fmt.Sprint(time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC).Unix())
				}
			}
			if i%2 == 0 && score == 0 {
				number = `"none"`
			}
			from := rng.IntN(4)
			source := []string{"http://www.wiki.org/a", "news", "blog", "none"}[from]
			lines = append(lines, fmt.Sprintf(`{"id":"d%d","at":{"day":%s},"score":%s,"from":%q,"text":%q}`, i, date, number, source, text))
			worst := func(value int) int { // that there is none is worse than all others
				if value == 0 {
					return 100
				}
				return 0
			}
			for way, before := range map[Way][]int{
				Newest: {worst(day), -day}, Oldest: {worst(day), day}, Highest: {worst(score), -score}, Lowest: {worst(score), score},
				Listed: {from}, Longest: {-len(text)}, First: nil,
			} {
				documents[way] = append(documents[way], plainDocument{sets[i], equal(sets[i]), before})
			}
		}
		dir := writeFiles(t, map[string]string{"a.jsonl": joined(lines[:80]), "b.json": "[" + strings.Join(lines[80:], ",\n") + "]"})
		for way, documents := range documents {
			o := options()
			o.Keep.Way = way
			if way == Listed {
				o.Keep.Field, o.Keep.Among = "from", "wiki.org,news,blog"
			} else if way.hasField() {
				o.Keep.Field = map[bool]string{true: "at.day", false: "score"}[way.isTime()]
			}
			got, _ := ran(t, nil, []string{dir}, o)
			checkKept(t, fmt.Sprintf("seed %d, %v", seed, o.Keep), got[run.RemovedName], documents, o.Threshold)
		}
	}
}

const sameText = "one two three four five six seven eight nine ten"

// Fields are read in every format that has them.
func TestFieldsOfFormats(t *testing.T) {
	record := func(date, id string) string {
		text := sameText
		block := fmt.Sprintf("WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", date, id, len(text), text)
		return block
	}
	for name, test := range map[string]struct{ field, text string }{
		"a.csv":   {"date", "id;date;text;note\na;2024-01-01;\"" + sameText + "\";\"x;\n\"\"y\"\nb;\"2024-01-03\";" + sameText + ";\nc;2024-01-02;" + sameText + ";\n"},
		"a.tsv":   {"date", "id\ttext\tdate\na\t" + sameText + "\t2024-01-01\nb\t" + sameText + "\t2024-01-03\nc\t" + sameText + "\t\n"},
		"a.jsonl": {"date", `{"id":"a","text":"` + sameText + `","date":1}` + "\n" + `{"id":"b","text":"` + sameText + `","date":3.5}` + "\n" + `{"id":"c","text":"` + sameText + `"}` + "\n"},
		"a.warc":  {"warc-date", record("2024-01-01T00:00:00Z", "a") + record("2024-01-03T00:00:00Z", "b") + record("2024-01-02T00:00:00Z", "c")},
	} {
		dir := writeFiles(t, map[string]string{name: test.text})
		o := options()
		o.Keep = Keep{Way: Newest, Field: test.field}
		got, result := ran(t, nil, []string{filepath.Join(dir, name)}, o)
		for _, row := range rowsOf[removedRow](t, got[run.RemovedName]) {
			if row.KeptID != "b" {
				t.Errorf("%s: %+v, want b to be kept", name, row)
			}
		}
		if result.Removed != 2 {
			t.Errorf("%s: %d documents are removed", name, result.Removed)
		}
	}
}

// A field that no document has, and files without fields, are told of; what single documents lack is counted.
func TestMissingFields(t *testing.T) {
	line := `{"id":"a","title":"x","text":"` + sameText + `"}` + "\n"
	dated := strings.Replace(line, `"title"`, `"date":"2024-01-01","title"`, 1)
	dir := writeFiles(t, map[string]string{
		"none.jsonl": line + line, "one.jsonl": line + dated, "late.jsonl": strings.Repeat(line, leastFieldless) + dated, "t.txt": sameText,
	})
	read := func(name, keep string, change func(*Options)) (*Collection, error) {
		o := options()
		var err error
		if o.Keep, err = ParseKeep(keep); err != nil {
			t.Fatal(err)
		}
		change(&o)
		c, err := Read(t.Context(), nil, []string{filepath.Join(dir, name)}, o)
		if err == nil {
			t.Cleanup(func() { _ = c.Close() })
		}
		return c, err
	}
	as := func(*Options) {}
	for name, want := range map[string]FieldError{
		"none.jsonl newest:date":   {Documents: 2, Fields: []string{"id", "title", "text"}},
		"none.jsonl highest:title": {Documents: 2, Value: "x", Fields: []string{"id", "title", "text"}},
		"late.jsonl first:title=y": {Documents: leastFieldless + 1, Value: "x", Fields: []string{"id", "title", "text"}},
		"late.jsonl newest:date":   {Documents: leastFieldless, More: true, Fields: []string{"id", "title", "text"}},
	} {
		file, keep, _ := strings.Cut(name, " ")
		_, err := read(file, keep, as)
		if e := (*FieldError)(nil); !errors.As(err, &e) || e.Documents != want.Documents || e.Value != want.Value || e.More != want.More || !slices.Equal(e.Fields, want.Fields) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read("late.jsonl", "newest:date", func(o *Options) { o.Corpus.Lenient = true }); err != nil {
		t.Errorf("leniently: %v", err)
	}
	if _, err := read("t.txt", "newest:date", as); !errors.Is(err, corpus.ErrFields) {
		t.Errorf("a text: %v", err)
	}
	if _, err := read("absent", "newest:date", func(o *Options) { o.Corpus.Format = corpus.Lines }); !errors.Is(err, corpus.ErrFields) {
		t.Errorf("lines: %v", err)
	}
	c, err := read("one.jsonl", "newest:date", as)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Decide(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	result := d.Result()
	if w := result.Warnings; len(w) != 1 || !strings.HasPrefix(w[0], `1 of 2 documents has no date or time in the field "date"`) || !strings.HasSuffix(w[0], "one.jsonl:1.") {
		t.Errorf("%q", w)
	}
}

// The documents of a reference need no field.
func TestFieldAgainst(t *testing.T) {
	line := `{"id":"%s","date":"%s","text":"` + sameText + ` %s"}` + "\n"
	dir := writeFiles(t, map[string]string{"ref.txt": "nothing of the kind", "in.jsonl": fmt.Sprintf(line, "a", "2024-01-01", "") + fmt.Sprintf(line, "b", "2024-01-02", "")})
	o := options()
	o.Keep = Keep{Way: Newest, Field: "date"}
	got, _ := ran(t, []string{filepath.Join(dir, "ref.txt")}, []string{filepath.Join(dir, "in.jsonl")}, o)
	if rows := rowsOf[removedRow](t, got[run.RemovedName]); len(rows) != 1 || rows[0].ID != "a" {
		t.Errorf("%+v", rows)
	}
}

// A column of times of a Parquet file is read, also where rows before it are bad.
func TestFieldOfParquet(t *testing.T) {
	type row struct {
		ID   string    `parquet:"id"`
		Text *string   `parquet:"text,optional"`
		At   time.Time `parquet:"at,timestamp(millisecond)"`
	}
	text := sameText
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "a.parquet")
	err := parquet.WriteFile(path, []row{{"a", &text, at}, {"x", nil, at.Add(time.Hour)}, {"b", &text, at.Add(time.Minute)}, {"c", &text, at.Add(time.Second)}})
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Keep = Keep{Way: Newest, Field: "at"}
	got, result := ran(t, nil, []string{path}, o)
	for _, row := range rowsOf[removedRow](t, got[run.RemovedName]) {
		if row.KeptID != "b" {
			t.Errorf("%+v, want b to be kept", row)
		}
	}
	if result.Removed != 2 || result.Bad != 1 {
		t.Errorf("%d documents are removed, %d are bad", result.Removed, result.Bad)
	}
}

// leastFieldless is how many documents without a value are an error.
const leastFieldless = 1000

// A document with a larger number is kept though no floating-point number tells them apart.
func TestKeepByLargeNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var lines []string
	for i, n := range rng.Perm(40) {
		lines = append(lines, fmt.Sprintf(`{"id":"%d","n":%d,"text":"%s"}`, i, 1<<60+int64(n), sameText))
	}
	dir := writeFiles(t, map[string]string{"a.jsonl": joined(lines)})
	for way, want := range map[Way]int64{Highest: 1<<60 + 39, Lowest: 1 << 60} {
		o := options()
		o.Keep = Keep{Way: way, Field: "n"}
		got, _ := ran(t, nil, []string{filepath.Join(dir, "a.jsonl")}, o)
		if kept := got[run.KeptName+"/a.jsonl"]; strings.Count(kept, "\n") != 1 || !strings.Contains(kept, fmt.Sprintf(`"n":%d,`, want)) {
			t.Errorf("%v keeps %s, want %d", way, kept, want)
		}
	}
}
