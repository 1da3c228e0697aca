package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"simsearch/internal/files/syntax"
	"simsearch/internal/tests/testkit"
)

// schemaOf returns the schema of a type, resolved.
func schemaOf(t reflect.Type) *jsonschema.Resolved {
	named := Object{}
	of := SchemaOf(t, named)
	text, err := json.Marshal(Object{"allOf": []any{of}, "$defs": named})
	if err != nil {
		panic(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/")), &s); err != nil {
		panic(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return resolved
}

var resolved sync.Map // by type

// reference reads a request as encoding/json and a validation by its schema do together.
func reference[T any](text []byte) (one T, err error) {
	if syntax.ValidateJSON(text) != nil { // which refuses what encoding/json refuses, and what is nested too deeply
		return one, errors.New("not JSON")
	}
	var free any
	if err := json.Unmarshal(text, &free); err != nil {
		return one, err
	}
	schema, ok := resolved.Load(reflect.TypeFor[T]())
	if !ok {
		schema, _ = resolved.LoadOrStore(reflect.TypeFor[T](), schemaOf(reflect.TypeFor[T]()))
	}
	if err := schema.(*jsonschema.Resolved).Validate(free); err != nil {
		return one, err
	}
	if hasNull(free) {
		return one, errors.New("a member is null")
	}
	// Package json reads no integer from 3.0.
	text = regexp.MustCompile(`"(k|limit|nearest|members|bits)":(-?[0-9.]+(e[0-9]+)?)`).ReplaceAllFunc(text, func(member []byte) []byte {
		name, number, _ := bytes.Cut(member, []byte(":"))
		if x, err := strconv.ParseFloat(string(number), 64); err == nil && x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
			number = strconv.AppendInt(nil, int64(x), 10)
		}
		return append(append(bytes.Clone(name), ':'), number...)
	})
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return one, d.Decode(&one)
}

// hasNull reports whether a member of a request is null. What is kept with documents may be.
func hasNull(v any) bool {
	members, _ := v.(map[string]any)
	for name, v := range members {
		if _, free := v.(map[string]any); v == nil || (name != "fields" || !free) && hasNull(v) {
			return true
		}
	}
	return false
}

// same compares what is read with the reference.
func same[T any](t interface{ Errorf(string, ...any) }, text string) {
	want, wantErr := reference[T]([]byte(text))
	got, gotErr := Decode[T]([]byte(text), false)
	switch {
	case (gotErr == nil) != (wantErr == nil):
		t.Errorf("%T of %q: error %v, the reference says %v", want, text, gotErr, wantErr)
	case gotErr == nil && !reflect.DeepEqual(got[0], want):
		t.Errorf("%T of %q: %+v, want %+v", want, text, got[0], want)
	}
}

func sameAll(t interface{ Errorf(string, ...any) }, text string) {
	same[NearRequest](t, text)
	same[CheckRequest](t, text)
	same[Document](t, text)
	same[CompareRequest](t, text)
	same[Settings](t, text)
	same[GroupsRequest](t, text)
	same[DeleteRequest](t, text)
}

var requests = []string{
	`{}`, ` { } `, `null`, `[]`, `"a"`, `1`, `{"text":"a"}`, `{"text":null}`, `{"text":1}`, `{"text":""}`, `{"text":"é\n\u00e9\ud83d\ude00"}`,
	`{"k":3}`, `{"k":3.0}`, `{"k":-1}`, `{"k":1e1}`, `{"k":99999999999999999999}`, `{"k":"3"}`, `{"k":null}`, `{"k":-0}`, `{"k":9007199254740993.0}`, `{"k":0.3e1}`,
	`{"jaccard":0.8}`, `{"jaccard":1.5}`, `{"jaccard":-0.1}`, `{"jaccard":1e999}`, `{"jaccard":1}`, `{"jaccard":"1"}`, `{"jaccard":true}`,
	`{"passages":true}`, `{"passages":1}`, `{"set":["a","b"]}`, `{"set":[]}`, `{"set":["a",1]}`, `{"set":[null]}`, `{"set":{}}`, `{"set":null}`,
	`{"fields":{"a":1.0,"b":"x","c":[true,null,{"d":2e3}]}}`, `{"fields":[]}`, `{"fields":{}}`, `{"fields":null}`,
	`{"id":"a","text":"b","if_near":"link"}`, `{"if_near":"perhaps"}`, `{"if_near":""}`, `{"if_near":null}`,
	`{"a":{"id":"x"},"b":{"text":"y"}}`, `{"a":{"id":"x"}}`, `{"a":{},"b":null}`, `{"a":{"idd":"x"},"b":{}}`, `{"a":[],"b":{}}`,
	`{"holds":"texts","keep":"nothing","fields":["a"],"bits":64}`, `{"holds":"what"}`, `{"cursor":"x","limit":1001}`, `{"limit":1000,"members":2}`,
	`{"Text":"a"}`, `{"texte":"a"}`, `{"text":"a","text":"b"}`, `{"\u0074ext":"a"}`, `{"text":"a"} x`, `{"text":"a"`, `{"text":"a",}`, `{'text':1}`,
	`{"fields":` + strings.Repeat("[", 301) + strings.Repeat("]", 301) + `}`, strings.Repeat(`{"fields":`, 400), `{"a":` + strings.Repeat("[", 100_000),
	"{\"text\":\"a\x00\"}", "", "  ", `{"id":1}`, `{"nearest":1001}`, `{"with_texts":false,"where":["a=b"]}`,
}

func TestRequestsAreReadAsTheReferenceReadsThem(t *testing.T) {
	for _, text := range requests {
		if len(syntax.SkipSpace([]byte(text))) > 0 { // nothing stands for {}
			sameAll(t, text)
		}
	}
	if _, err := Decode[Document]([]byte("{\"text\":\"a\xff\"}"), false); err == nil {
		t.Error("what is no UTF-8 is read")
	}
	for _, text := range []string{"", "  "} {
		if got, err := Decode[Settings]([]byte(text), false); err != nil || !reflect.DeepEqual(got, []Settings{{}}) {
			t.Errorf("%v, %v of nothing", got, err)
		}
	}
}

// Parts of requests, put together at random, are read as the reference reads them.
func TestRandomRequests(t *testing.T) {
	names := []string{"id", "text", "fingerprint", "set", "fields", "jaccard", "k", "contained", "passages", "nearest", "limit", "where", "with_texts", "if_near", "a", "b", "cursor", "members", "holds", "bits", "x"}
	values := []string{`"a"`, `""`, `null`, `true`, `false`, `0`, `1`, `-1`, `0.5`, `1e3`, `2.0`, `[]`, `["a"]`, `[1]`, `{}`, `{"id":"a"}`, `{"text":"b"}`, `{"a":1}`, `"link"`, `"texts"`, `64`}
	r := rand.New(rand.NewPCG(1, 2))
	for range testkit.Of(5_000, 100_000) {
		var members []string // each once: of two with one name, both are checked here, and the last one alone by the reference
		for _, name := range r.Perm(len(names))[:r.IntN(6)] {
			members = append(members, `"`+names[name]+`":`+values[r.IntN(len(values))])
		}
		sameAll(t, "{"+strings.Join(members, ",")+"}")
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range requests {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(syntax.SkipSpace([]byte(text))) == 0 || strings.Contains(text, `\u`) || bytes.ContainsRune([]byte(text), '�') {
			return // halves of surrogate pairs stay as they are written here
		}
		if strings.ToValidUTF8(text, "") == text {
			sameAll(t, text)
		}
	})
}

func TestBatches(t *testing.T) {
	text := "{\"text\":\"a\"}\n\n  {\"text\":\"b\"}\r\n{\"text\":\"c\"}"
	got, err := Decode[Document]([]byte(text), true)
	if err != nil || len(got) != 3 || *got[1].Text != "b" || *got[2].Text != "c" {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string]Error{
		strings.Repeat("{}\n", mostInBatch) + "{}": {Code: TooLarge, Where: "line 10001"},
		"{}\n\n{\"k\":1}":                          {Code: BadRequest, Where: "line 3: k"},
		"{}\nx":                                    {Code: BadRequest, Where: "line 2"},
		"{}\n[]":                                   {Code: BadRequest, Where: "line 2"},
		"{\"fields\":{}}\n{\"id\":":                {Code: BadRequest, Where: "line 2"},
	} {
		_, err := Decode[Document]([]byte(text), true)
		if e := (*Error)(nil); !errors.As(err, &e) || e.Code != want.Code || e.Where != want.Where {
			t.Errorf("%.100q: %v, want %v", text, err, want)
		}
	}
}

func TestQueriesOfURLs(t *testing.T) {
	for query, want := range map[string]string{
		"":                                      `{}`,
		"cursor=1&limit=5":                      `{"cursor":"1","limit":5}`,
		"where=a%3Db&where=c%3Dd":               `{"where":["a=b","c=d"]}`,
		"jaccard=0.8&passages=true":             `{"jaccard":0.8,"passages":true}`,
		"limit=0x10":                            `{"limit":"0x10"}`, // which is refused
		"limit=":                                `{"limit":""}`,
		"x=%22&limit=%7B%7D":                    `{"limit":"{}","x":"\""}`,
		"limit=1&limit=2":                       "",
		"limit=%5B1%5D":                         `{"limit":"[1]"}`,
		"jaccard=" + strings.Repeat("%5B", 999): `{"jaccard":"` + strings.Repeat("[", 999) + `"}`,
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Named("groups").FromQuery(values)
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%q: %s, %v, want %s", query, got, err, want)
		}
	}
}

// filling fills values of any type at random, so that a field that is added to an answer is filled, too.
type filling struct{ *rand.Rand }

var (
	fillTexts  = []string{"", "a", "articles/1.txt", "<&>", "\u2028", "\"\\\n\x00\x7f", "é", "\xff"}
	fillShares = []float64{0, 1, .5, 1e-7, 1e21, -1, 2.0 / 3}
)

// fill fills v, which is a pointer to deep levels of values.
func (f filling) fill(t *testing.T, v reflect.Value, deep int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(t, v.Field(i), deep)
		}
	case reflect.Pointer:
		if deep > 0 && f.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(t, v.Elem(), deep-1)
		}
	case reflect.Slice: // which is null in no answer
		v.Set(reflect.MakeSlice(v.Type(), f.IntN(4), 4))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			f.fill(t, v.Index(i), deep-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(t, key, deep-1)
			f.fill(t, value, deep-1)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(fillTexts[f.IntN(len(fillTexts))])
	case reflect.Float64:
		v.SetFloat(fillShares[f.IntN(len(fillShares))])
	case reflect.Int:
		v.SetInt(int64(f.IntN(100) - 1))
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	default:
		t.Fatalf("answers have a %v: fill it here", v.Type())
	}
}

// Answers are written as package json writes them, with every field that they have.
func TestAnswersAreWrittenAsTheReferenceWritesThem(t *testing.T) {
	f := filling{rand.New(rand.NewPCG(3, 4))}
	for range 5_000 {
		var a NearAnswer
		f.fill(t, reflect.ValueOf(&a).Elem(), 4)
		want, err := Append([]byte("x"), a)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := Append([]byte("x"), &a); string(got) != string(want) {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

func BenchmarkDecodeFingerprints(b *testing.B) {
	body := []byte(strings.Repeat("{\"fingerprint\":\"5abf969df17af7dd\",\"k\":3}\n", 100))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode[NearRequest](body, true); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendNear(b *testing.B) {
	distance := 2
	a := NearAnswer{Matches: []Match{{ID: "articles/17.txt", Distance: &distance}}, Total: 1}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = Append(dst[:0], &a)
	}
}
