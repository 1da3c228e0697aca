package store

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
)

// some returns a catalogue with files of all kinds.
func some() *Catalogue {
	c := &Catalogue{How: 77, Distinct: 3, Files: []CatalogueFile{
		{Path: "b.jsonl", Size: 10, Changed: -5, Digest: FileDigest{1, 15: 2}, Read: true, IDs: segment.IDListOf("x", "a longer id")},
		{Path: "a/\xff.txt", Size: 1 << 40, Changed: 1 << 60, Digest: FileDigest{3}, Again: true, Read: true, Whole: true},
		{Path: "empty", Again: true},
		{Path: "d.jsonl", Added: true, IDs: segment.IDListOf("y", "y")},
		{Path: "c.jsonl", IDs: segment.IDListOf("x")},
	}}
	c.Sort()
	return c
}

func encodedCatalogue(t testing.TB, c *Catalogue) (data []byte, digest string) {
	t.Helper()
	var b bytes.Buffer
	w := section.NewWriter(&b)
	c.encode(w)
	_, sum, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), fmt.Sprintf("%08x", sum)
}

// decoded decodes the bytes of a file.
func decoded(data []byte, digest string) (c *Catalogue, err error) {
	f, err := section.ParseKnown("", data, uint64(len(data)), digest)
	if err != nil {
		return nil, err
	}
	err = section.DamageOf(func() { c = decode(f) })
	return c, err
}

// Ids that are rows take no bytes, and come back, repeated ones, too. Damaged ones are refused.
func TestRowsOfFiles(t *testing.T) {
	t.Parallel()
	c := some()
	for i := range c.Files {
		for row := range 20_000 {
			if f := &c.Files[i]; f.Path == "c.jsonl" || f.Path == "d.jsonl" {
				f.IDs.Add(fmt.Append([]byte(f.Path), "#", row%19_000))
			}
		}
	}
	c.Files = append(c.Files, CatalogueFile{Path: "g.u64", Read: true}, CatalogueFile{Path: "h.u64", Read: true})
	for row := range 20_000 {
		c.Files[5].IDs.Add(fmt.Append(nil, "g.u64#", row%19_000))
		c.Files[6].IDs.Add(fmt.Append(nil, "h.u64#", row+1))
	}
	fsys := disk.NewMemory()
	ref, err := c.Write(fsys, ".", "000001.files")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadCatalogue(fsys, ".", *ref)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Files) != len(c.Files) {
		t.Fatalf("%+v, %d files", ref, len(got.Files))
	}
	for i := range c.Files {
		want := slices.Collect(c.Files[i].IDs.All())
		if ids := slices.Collect(got.Files[i].IDs.All()); !slices.Equal(ids, want) {
			t.Errorf("%s has %d ids, want %d", c.Files[i].Path, len(ids), len(want))
		}
	}
	c.Files = c.Files[5:]
	data, _ := encodedCatalogue(t, c)
	if len(data) > 5000 {
		t.Errorf("40,000 rows of two files take %d bytes", len(data))
	}
	c.Files[0].Whole = true
	if data, digest := encodedCatalogue(t, c); true {
		if _, err := decoded(data, digest); !errors.Is(err, section.ErrCorrupt) {
			t.Errorf("a file that is one document, with rows: %v", err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []*Catalogue{some(), {Distinct: UnknownDistinct, Files: []CatalogueFile{}}} {
		ref, err := c.Write(disk.OS, dir, "000001.files")
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadCatalogue(disk.OS, dir, *ref)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%+v, %v, want %+v", got, err, c)
		}
		other := *ref
		other.Digest = "00000000"
		if _, err := ReadCatalogue(disk.OS, dir, other); !errors.Is(err, section.ErrCorrupt) {
			t.Errorf("another file: %v", err)
		}
	}
	if _, err := ReadCatalogue(disk.OS, dir, CatalogueRef{FileRef: FileRef{Name: "000002.files"}}); !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("no file: %v", err)
	}
}

// Every flipped bit and every truncation is found.
func TestDamage(t *testing.T) {
	data, digest := encodedCatalogue(t, some())
	for bit := range 8 * len(data) {
		damaged := bytes.Clone(data)
		damaged[bit/8] ^= 1 << (bit % 8)
		if _, err := decoded(damaged, digest); err == nil {
			t.Errorf("bit %d of byte %d: no error", bit%8, bit/8)
		}
	}
	for n := range data {
		if _, err := decoded(data[:n], digest); err == nil {
			t.Errorf("%d bytes: no error", n)
		}
	}
}

// What no writer writes is refused, whatever its checksums are.
func TestRules(t *testing.T) {
	for name, spoil := range map[string]func(c *Catalogue){
		"order":          func(c *Catalogue) { c.Files[0], c.Files[1] = c.Files[1], c.Files[0] },
		"repeated path":  func(c *Catalogue) { c.Files[1].Path = c.Files[0].Path },
		"empty path":     func(c *Catalogue) { c.Files[0].Path = "" },
		"empty id":       func(c *Catalogue) { c.Files[1].IDs = segment.IDListOf("", "x") },
		"negative size":  func(c *Catalogue) { c.Files[0].Size = -1 },
		"whole with ids": func(c *Catalogue) { c.Files[1].Whole = true },
	} {
		c := some()
		spoil(c)
		data, digest := encodedCatalogue(t, c)
		if _, err := decoded(data, digest); !errors.Is(err, section.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever the bytes are, reading them gives a catalogue that can be written and read again, or an error of section.
func FuzzDecode(f *testing.F) {
	data, _ := encodedCatalogue(f, some())
	f.Add(data)
	empty, _ := encodedCatalogue(f, &Catalogue{})
	f.Add(empty)
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := section.Parse("", data)
		if err != nil {
			return
		}
		c, err := decoded(data, fmt.Sprintf("%08x", parsed.Digest()))
		if err != nil {
			if !errors.Is(err, section.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		again, digest := encodedCatalogue(t, c)
		if got, err := decoded(again, digest); err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("%+v, %v, want %+v", got, err, c)
		}
	})
}
