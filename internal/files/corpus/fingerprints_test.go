package corpus

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
	"simsearch/internal/index/segment"
)

func TestReadFingerprints(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"a\t0x12\nb,0x12\nc 0x12\nd, 0x12\ne  0x12 \n 0x12\n", []string{"a=12", "b=12", "c=12", "d=12", "e=12", "f#6=12"}},
		{"a b,0x12\na,b\t0x12\n\"a, \"\"b\"\"\",0x12\n\"q\" 0x12\n", []string{"a b=12", "a,b=12", `a, "b"=12`, `"q"=12`}},
		{",0x12\n\t0x12\n", []string{"! f:1: no id before the comma", "! f:2: no id before the tab"}},
		{"-1\n18446744073709551615\n+3\n", []string{"f#1=ffffffffffffffff", "f#2=ffffffffffffffff", "f#3=3"}},
		// In a file of decimals, sixteen digits are not taken for hexadecimal.
		{"12345678901234567890\n1234567890123456\n+1234567890123456\n", []string{"f#1=ab54a98ceb1f0ad2",
			`! f:2: "1234567890123456" may be decimal, as line 1 is, or hexadecimal: want 0x or a sign before it`, "f#3=462d53c8abac0"}},
		{"1234567890123456\n12345678901234567890\n", []string{"f#1=1234567890123456",
			"!! f: line 2 is decimal, and line 1 was taken for hexadecimal: want a sign before decimal numbers, or 0x before others"}},
		{"00000000000000ff\n1234567890123456\n-1\n", []string{"f#1=ff", "f#2=1234567890123456", "f#3=ffffffffffffffff"}},
	} {
		files(t, map[string]string{"f": tt.text})
		r, err := Open([]string{"f"}, Options{Format: Fingerprints})
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !slices.Equal(got, tt.want) {
			t.Errorf("%q\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

func TestFingerprintsOfRecords(t *testing.T) {
	files(t, map[string]string{"a.jsonl": strings.Join([]string{
		`{"id":"a","fp":"0x12"}`, `{"id":"b","fp":1234567890123456}`, `{"id":"c","fp":-1}`, `{"id":"d","fp":7,"text":"D"}`,
		`{"text":null,"fp":"70f26225f4a2a2a9"}`, `{"fp":null}`, `{"fp":1.5}`, `{"fp":1e3}`, `{"fp":"12"}`, `{}`}, "\n"),
		"b.jsonl": `{"hash":"0x1"}`})
	r, err := Open([]string{"a.jsonl"}, Options{FingerprintField: "fp"})
	if err != nil {
		t.Fatal(err)
	}
	const not = " is not a fingerprint: want 16 hexadecimal digits, or a decimal number of at most 64 bits"
	want := []string{
		"a=12", "b=462d53c8abac0", "c=ffffffffffffffff", "d=D", "a.jsonl#5=70f26225f4a2a2a9",
		`! a.jsonl:6: field "fp" is null, want a string or a number`, `! a.jsonl:7: "+1.5"` + not, `! a.jsonl:8: "+1e3"` + not,
		`! a.jsonl:9: "12" may be hexadecimal or decimal: want 16 hexadecimal digits, or 0x or a sign before it`, `! a.jsonl:10: no field "text" or "fp"`,
	}
	if got := readAll(t, r); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	r, err = Open([]string{"b.jsonl"}, Options{FingerprintField: "fp"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := readAll(t, r), []string{`!! b.jsonl:1: no field "text" or "fp"; the record has hash`}; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestTablesOfFingerprints(t *testing.T) {
	files(t, map[string]string{
		"a.csv": "id,hash\na,0x12\nb,70f26225f4a2a2a9\n", "b.csv": "0x12", "c.csv": "id,text\na,b\n", "d.csv": "", "e.csv": "id,hash\n",
		"f.tsv.gz": gzipped("a\t-1\n"),
	})
	r, err := Open([]string{"a.csv", "b.csv", "c.csv", "d.csv", "e.csv", "f.tsv.gz"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const table, hashes = `: no column "text"; the table has `, ": its lines are fingerprints"
	want := []string{"! a.csv" + table + "id, hash" + hashes, "! b.csv" + table + "0x12" + hashes, "a=b", "! e.csv" + table + "id, hash", "! f.tsv.gz" + table + "a, -1" + hashes}
	if got := readAll(t, r); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// raw returns numbers as they lie in a .u64 file.
func raw(numbers ...uint64) string {
	var b []byte
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return string(b)
}

// array returns the beginning of an array of NumPy.
func array(major byte, header string) string {
	b := []byte(prints.NPYMagic)
	b = append(b, major, 0)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return string(b) + header
}

func TestRawFingerprints(t *testing.T) {
	const header = "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }     \n"
	two := raw(0x70f26225f4a2a2a9, 0)
	rows := func(descr, shape string) string {
		return strings.Replace(strings.Replace(header, "<u8", descr, 1), "2,", shape, 1)
	}
	const long = "70f26225f4a2a2a9000000000000000070f26225f4a2a2a90000000000000000"
	other := func(header string) string {
		reason := ""
		for kind, is := range map[string]string{"True": "it lies column by column, which np.ascontiguousarray changes; ", "f4'": "floating-point numbers are no fingerprints; ", "'>": "it is big-endian, which astype('<u8') changes; ", "i4'": "its numbers have 32 bits, which astype('<u8') changes; "} {
			if strings.Contains(header, kind) {
				reason = is
			}
		}
		return fmt.Sprintf("! a.npy: an array of NumPy with %q: %swant one dimension of <u8 or <i8, numbers of 64 bits, "+
			"or rows of 2 or 4 of them, or of 8, 16 or 32 of |u1, bytes", strings.TrimSpace(header), reason)
	}
	for _, tt := range []struct {
		name, text string
		bits       int
		want       []string
	}{
		{"a.u64", two, 64, []string{"a.u64#1=70f26225f4a2a2a9", "a.u64#2=0"}},
		{"a.u64.gz", gzipped(two), 64, []string{"a.u64.gz#1=70f26225f4a2a2a9", "a.u64.gz#2=0"}},
		{"a.u64", "", 64, nil},
		{"a.u64", two + "abc", 64, []string{"a.u64#1=70f26225f4a2a2a9", "a.u64#2=0", "! a.u64: it ends with 3 bytes of a fingerprint, which has 8"}},
		{"a.u64", two[:9], 64, []string{"a.u64#1=70f26225f4a2a2a9", "! a.u64: it ends with 1 byte of a fingerprint, which has 8"}},
		{"a.u64", two, 32, []string{"! a.u64:1: 0x70f26225f4a2a2a9 is not a fingerprint: want at most 32 bits", "a.u64#2=0"}},
		{"a.npy", array(1, header) + two, 64, []string{"a.npy#1=70f26225f4a2a2a9", "a.npy#2=0"}},
		{"a.npy", array(2, strings.ReplaceAll(header, "'", `"`)) + two, 64, []string{"a.npy#1=70f26225f4a2a2a9", "a.npy#2=0"}},
		{"a.npy", array(1, strings.Replace(header, "<u8", "<i8", 1)) + two, 64, []string{"a.npy#1=70f26225f4a2a2a9", "a.npy#2=0"}},
		{"a.npy", array(1, header) + two[:8], 64, []string{"a.npy#1=70f26225f4a2a2a9", "! a.npy: 1 of its fingerprints are missing"}},
		{"a.npy", array(1, header) + two + two, 64, []string{"a.npy#1=70f26225f4a2a2a9", "a.npy#2=0", "! a.npy: there is more behind the array"}},
		{"a.npy", array(1, strings.Replace(header, "<u8", "<f4", 1)), 64, []string{other(strings.Replace(header, "<u8", "<f4", 1))}},
		{"a.npy", array(1, strings.Replace(header, "<u8", "<i4", 1)), 64, []string{other(strings.Replace(header, "<u8", "<i4", 1))}},
		{"a.npy", array(1, strings.Replace(header, "<u8", ">u8", 1)), 64, []string{other(strings.Replace(header, "<u8", ">u8", 1))}},
		{"a.npy", array(1, strings.Replace(header, "'<u8'", "[('a', '<u8')]", 1)), 64, []string{other(strings.Replace(header, "'<u8'", "[('a', '<u8')]", 1))}},
		{"a.npy", array(1, strings.Replace(header, "(2,)", "(2, 3)", 1)), 64, []string{other(strings.Replace(header, "(2,)", "(2, 3)", 1))}},
		{"a.npy", array(1, strings.Replace(header, "(2,)", "()", 1)), 64, []string{other(strings.Replace(header, "(2,)", "()", 1))}},
		{"a.npy", array(1, strings.Replace(header, "(2,)", "(99999999999999999999,)", 1)), 64, []string{other(strings.Replace(header, "(2,)", "(99999999999999999999,)", 1))}},
		{"a.npy", array(1, rows("|u1", "2, 8")) + two, 64, []string{"a.npy#1=a9a2a2f42562f270", "a.npy#2=0"}},
		{"a.npy", array(1, rows("<u8", "2, 1")) + two, 64, []string{"a.npy#1=70f26225f4a2a2a9", "a.npy#2=0"}},
		{"a.npy", array(1, rows("<u8", "1, 2")) + two, 128, []string{"a.npy#1=70f26225f4a2a2a90000000000000000"}},
		{"a.npy", array(1, rows("<u8", "1, 4")) + two + two, 256, []string{"a.npy#1=" + long}},
		{"a.npy", array(1, rows("|u1", "1,16")) + two, 128, []string{"a.npy#1=a9a2a2f42562f2700000000000000000"}},
		{"a.npy", array(1, rows("<u8", "2, 4")) + two + two, 256, []string{"a.npy#1=" + long, "! a.npy: 1 of its fingerprints are missing"}},
		{"a.npy", array(1, rows("<u8", "1, 4")) + two + two, 64, []string{"! a.npy: it has fingerprints of 256 bits, and 64 are wanted: give --bits 256"}},
		{"a.npy", array(1, header) + two, 256, []string{"! a.npy: it has fingerprints of 64 bits, and 256 are wanted: give --bits 64"}},
		{"a.npy", array(1, strings.Replace(rows("|u1", "1, 16"), "False", "True", 1)) + two, 128,
			[]string{other(strings.Replace(rows("|u1", "1, 16"), "False", "True", 1))}},
		{"a.u128", two, 128, []string{"a.u128#1=a9a2a2f42562f2700000000000000000"}},
		{"a.u256", two + two, 256, []string{"a.u256#1=a9a2a2f42562f2700000000000000000a9a2a2f42562f2700000000000000000"}},
		{"a.u256", two, 256, []string{"! a.u256: it ends with 16 bytes of a fingerprint, which has 32"}},
		{"a.u256", two, 64, []string{"! a.u256: it has fingerprints of 256 bits, and 64 are wanted: give --bits 256"}},
		{"a.npy", array(3, header), 64, []string{"! a.npy: an array of NumPy in version 3 of its format: want 1 or 2"}},
		{"a.npy", array(1, "{}"), 64, []string{other("{}")}},
		{"a.npy", array(1, header)[:20], 64, []string{"! a.npy: an array of NumPy that ends inside of its description"}},
		{"a.npy", array(1, "")[:9], 64, []string{"! a.npy: an array of NumPy that ends inside of its description"}},
		{"a.npy", prints.NPYMagic + "\x02\x00\xff\xff\xff\xff", 64, []string{"! a.npy: an array of NumPy with a description of 4294967295 bytes: want at most 65536"}},
		{"a.npy", "text", 64, []string{`! a.npy: not an array of NumPy, which begins with \x93NUMPY`}},
	} {
		files(t, map[string]string{tt.name: tt.text})
		for _, format := range []Format{Auto, Fingerprints} {
			r, err := Open([]string{tt.name}, Options{FingerprintBits: tt.bits, Format: format})
			if err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, r); !slices.Equal(got, tt.want) {
				t.Errorf("%q\n got %q\nwant %q", tt.text, got, tt.want)
			}
		}
	}
}

// In a directory of texts, arrays are binary files like others.
func TestRawFingerprintsInDirectories(t *testing.T) {
	files(t, map[string]string{"d/a": "A", "d/b.u64": raw(0x6162636465666768)})
	for format, want := range map[Format][]string{
		Auto:         {"d/a=A"},
		Fingerprints: {`! d/a:1: "A" is not a fingerprint: want 16 hexadecimal digits, or a decimal number of at most 64 bits`, "d/b.u64#1=6162636465666768"},
	} {
		r, err := Open([]string{"d"}, Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !slices.Equal(got, want) || leftOut(r, IsNoText) != 2-len(want) {
			t.Errorf("%s: got %q, %d binary files; want %q", format, got, leftOut(r, IsNoText), want)
		}
	}
}

// Fingerprints that are read several at a time are those that are read one by one, with the same ids, lines and
// places, and so are errors.
func TestTogether(t *testing.T) {
	const header = "{'descr': '<u8', 'fortran_order': False, 'shape': (%d,), }\n"
	var numbers []uint64
	for i := range uint64(3*rowsTogether + 5) {
		numbers = append(numbers, i*i*0x9e3779b97f4a7c15)
	}
	long := strings.Repeat(strings.Repeat("n", 200)+"/", 6) + "p.u64" // each is read by itself
	npy := func(says int) string { return array(1, fmt.Sprintf(header, says)) }
	for name, text := range map[string]string{
		"a.u64": raw(numbers...), "b.u64": raw(numbers[:rowsTogether]...), "c.u64": raw(numbers[:rowsTogether+1]...), "d.u64": raw(numbers[:1]...), "e.u64": "",
		"f.u64": raw(numbers[:700]...) + "abc", "g.u64.gz": gzipped(raw(numbers...)), "h.npy": npy(len(numbers)) + raw(numbers...),
		"i.npy": npy(len(numbers)+9) + raw(numbers...), "j.npy": npy(len(numbers)-600) + raw(numbers...), "k.u64": "abc", "l.npy": npy(1) + raw(1),
		"m.txt": "70f26225f4a2a2a9\n70f26225f4a2a2a8\n", "n.u64": raw(numbers[:rowsTogether+1]...) + "abc",
		"o.u64.gz": gzipped(raw(numbers...))[:3000], long: raw(numbers[:600]...),
	} {
		files(t, map[string]string{name: text})
		rows := func(together func() int) (all []string) {
			r, err := Open([]string{name}, Options{Format: Fingerprints})
			if err != nil {
				t.Fatal(err)
			}
			r.Together(together)
			end := int64(-1)
			for doc, err := range r.Documents() {
				if err != nil {
					all = append(all, err.Error())
					continue
				}
				if at := r.Extent(); end >= 0 && at.Start != end || at.End <= at.Start {
					t.Errorf("%s: from %d to %d, behind %d", name, at.Start, at.End, end)
				} else {
					end = at.End
				}
				if n := len(doc.Rows); n == 1 || n > 0 && name == long || n > 0 && doc.Rows[0] != doc.Fingerprint {
					t.Errorf("%s: %d rows of %x", name, n, doc.Fingerprint)
				}
				for doc, err := range segment.Singly(func(yield func(*document.Document, error) bool) { yield(doc, nil) }) {
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, fmt.Sprintf("%s %d %x %v %s", doc.ID, doc.Line, doc.Fingerprint, doc.HasFingerprint, doc.Source))
				}
			}
			return append(all, fmt.Sprint(end))
		}
		want, n := rows(nil), 0
		if strings.Contains(fmt.Sprint(want), " 0 bytes") {
			t.Errorf("%s: %q", name, want[len(want)-2:])
		}
		for _, together := range []func() int{NoLimit, func() int { n++; return n%7 - 1 }} {
			if got := rows(together); !slices.Equal(got, want) {
				t.Errorf("%s:\n got %q\nwant %q", name, got, want)
			}
		}
	}
}
