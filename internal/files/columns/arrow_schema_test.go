package columns

import (
	"encoding/base64"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"
)

// arrowFields returns the names and types of the columns that a description has.
func arrowFields(t *testing.T, value string) (all []string) {
	t.Helper()
	message, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		t.Fatal(err)
	}
	if n := binary.LittleEndian.Uint32(message[4:]); n%8 != 0 || int(n) != len(message)-8 {
		t.Errorf("%d bytes in a message of %d", n, len(message))
	}
	root := flat{flatbuffers.Table{Bytes: message[8:], Pos: flatbuffers.GetUOffsetT(message[8:])}}
	fields := root.at(messageHeader).at(schemaFields)
	for i := range fields.GetUint32(fields.Pos) {
		field := flat{flatbuffers.Table{Bytes: fields.Bytes, Pos: fields.Indirect(fields.Pos + 4 + 4*flatbuffers.UOffsetT(i))}}
		name := field.String(field.Pos + flatbuffers.UOffsetT(field.Offset(slot(fieldName))))
		all = append(all, name+" "+string('0'+rune(field.GetByteSlot(slot(fieldTypeOf), 0))))
	}
	return all
}

// descriptions returns Arrow's descriptions of the columns of Parquet files of another program, which their footers
// have in base64.
func descriptions(t testing.TB) (all []string) {
	t.Helper()
	paths, err := filepath.Glob("testdata/parquet/*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	value := regexp.MustCompile("/////[A-Za-z0-9+/]+=*")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, value.FindAllString(string(data), -1)...)
	}
	if len(all) < 4 {
		t.Fatalf("%d descriptions", len(all))
	}
	return all
}

// New columns stand behind the others, in place of those with their names, however often they are added.
func TestDescribedWith(t *testing.T) {
	added := []NewColumn{{"cluster", Int}, {"near", Float}, {"kept", Bool}, {"by", String}}
	for _, value := range descriptions(t) {
		had := arrowFields(t, value)
		changed, err := describedWith(value, added)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Concat(had, []string{"cluster 2", "near 3", "kept 6", "by 5"})
		if got := arrowFields(t, changed); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		again, err := describedWith(changed, []NewColumn{{"kept", String}, {strings.Fields(had[0])[0], Bool}})
		if err != nil {
			t.Fatal(err)
		}
		want = slices.Concat(had[1:], []string{"cluster 2", "near 3", "by 5", "kept 5", strings.Fields(had[0])[0] + " 6"})
		if got := arrowFields(t, again); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, bad := range []string{"", "x", "////", "AAAA", "//////////8="} {
		if changed, err := describedWith(bad, added); err == nil {
			t.Errorf("%q becomes %q", bad, changed)
		}
	}
}

// Whatever a description is, it is changed or an error.
func FuzzDescribedWith(f *testing.F) {
	for _, value := range descriptions(f) {
		message, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(message)
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		changed, err := describedWith(base64.StdEncoding.EncodeToString(message), []NewColumn{{"a", Int}, {"text", String}})
		if err == nil && len(changed) > 20*len(message)+1000 {
			t.Errorf("%d bytes become %d", len(message), len(changed))
		}
	})
}
