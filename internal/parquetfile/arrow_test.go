package parquetfile

import (
	"encoding/base64"
	"encoding/binary"
	"path/filepath"
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

// descriptions returns Arrow's descriptions of the files of another program.
func descriptions(t testing.TB) (all []string) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, kv := range f.p.Metadata().KeyValueMetadata {
			if kv.Key == arrowSchema {
				all = append(all, kv.Value)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 4 {
		t.Fatalf("%d descriptions", len(all))
	}
	return all
}

// New columns stand behind the others, in place of those with their names, however often they are added.
func TestArrowWithColumns(t *testing.T) {
	added := []NewColumn{{"cluster", Int}, {"near", Float}, {"kept", Bool}, {"by", String}}
	for _, value := range descriptions(t) {
		had := arrowFields(t, value)
		changed, err := withColumns(value, added)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Concat(had, []string{"cluster 2", "near 3", "kept 6", "by 5"})
		if got := arrowFields(t, changed); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		again, err := withColumns(changed, []NewColumn{{"kept", String}, {strings.Fields(had[0])[0], Bool}})
		if err != nil {
			t.Fatal(err)
		}
		want = slices.Concat(had[1:], []string{"cluster 2", "near 3", "by 5", "kept 5", strings.Fields(had[0])[0] + " 6"})
		if got := arrowFields(t, again); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, bad := range []string{"", "x", "////", "AAAA", "//////////8="} {
		if changed, err := withColumns(bad, added); err == nil {
			t.Errorf("%q becomes %q", bad, changed)
		}
	}
}

// Whatever a description is, it is changed or an error.
func FuzzArrowWithColumns(f *testing.F) {
	for _, value := range descriptions(f) {
		message, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(message)
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		changed, err := withColumns(base64.StdEncoding.EncodeToString(message), []NewColumn{{"a", Int}, {"text", String}})
		if err == nil && len(changed) > 20*len(message)+1000 {
			t.Errorf("%d bytes become %d", len(message), len(changed))
		}
	})
}
