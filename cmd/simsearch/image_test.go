package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/index"
	"simsearch/internal/serve/explorer"
	"simsearch/internal/serve/service"
	"simsearch/internal/tests/testkit"
)

// writePicture writes a picture as its name says: PNG, or JPEG of a quality.
func writePicture(t *testing.T, name string, m image.Image, quality int) {
	t.Helper()
	var b bytes.Buffer
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil && strings.HasSuffix(name, ".png") {
		err = png.Encode(&b, m)
	} else if err == nil {
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: quality})
	}
	if err == nil {
		err = os.WriteFile(name, b.Bytes(), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeAlbum writes three pictures, near copies of the first, a white page twice, and a file that is no picture.
func writeAlbum(t *testing.T) {
	t.Helper()
	first := testkit.Photo(1, 320, 240)
	white := image.NewGray(image.Rect(0, 0, 60, 80))
	draw.Draw(white, white.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	writePicture(t, "album/a.jpg", first, 90)
	writePicture(t, "album/a-again.jpg", first, 40)
	writePicture(t, "album/a-cut.png", first.SubImage(image.Rect(4, 3, 317, 238)), 0)
	writePicture(t, "album/b.png", testkit.Photo(2, 200, 150), 0)
	writePicture(t, "album/c.png", testkit.Photo(3, 200, 150), 0)
	writePicture(t, "album/white1.png", white, 0)
	writePicture(t, "album/white2.jpg", white, 50)
	if err := os.WriteFile("album/notes.txt", []byte("some notes\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// commands runs commands and compares the status, what they print, and a part of what they say.
func commands(t *testing.T, tests []struct {
	args   string
	status int
	out    string
	says   string
}) {
	t.Helper()
	for _, tt := range tests {
		status, stdout, stderr := command(t, t.Context(), strings.NewReader(""), strings.Fields(tt.args)...)
		if status != tt.status || stdout != tt.out || !strings.Contains(stderr, tt.says) {
			t.Errorf("%s: status %d, %q, %q; want %d, %q, %q", tt.args, status, stdout, stderr, tt.status, tt.out, tt.says)
		}
	}
}

func TestPicturesAreSearched(t *testing.T) {
	t.Chdir(t.TempDir())
	writeAlbum(t)
	commands(t, []struct {
		args   string
		status int
		out    string
		says   string
	}{
		{"index --index idx --format image album", 0, "", "2 of them of one colour, near nothing; 1 file passed over, which are no pictures"},
		{"index --index idx album", 0, "", "7 unchanged"},
		{"near --index idx album/a-again.jpg", 0, "album/a-again.jpg\talbum/a-again.jpg\t0\t1.0000\nalbum/a-again.jpg\talbum/a.jpg\t0\t1.0000\nalbum/a-again.jpg\talbum/a-cut.png\t2\t0.9688\n", ""},
		{"near --index idx --limit 1 --nearest 1 album/b.png", 2, "", "--nearest and --limit"},
		{"near --index idx album/white1.png", 1, "", "1 query document of one colour, near nothing"},
		{"pairs --index idx --k 0", 0, "album/a-again.jpg\talbum/a.jpg\t0\t1.0000\n", ""},
		{"groups --index idx", 0, "1\t3\t2\talbum/a-again.jpg\n1\t3\t2\talbum/a-cut.png\n1\t3\t2\talbum/a.jpg\n", ""},
		{"pairs --index idx --k 0 --show", 0, "album/a-again.jpg\talbum/a.jpg\t0\t1.0000\n    - 320 × 240 pixels, JPEG, 5.02 kB\n    + 320 × 240 pixels, JPEG, 19.6 kB\n\n", ""},
		{"near --index idx --show --id album/b.png --k 0", 1, "", ""},
		{"near --index idx --show --limit 1 album/b.png", 0, "album/b.png\talbum/b.png\t0\t1.0000\n    200 × 150 pixels, PNG, 53.2 kB\n\n", ""},
		{"near --index idx --new album/c.png", 1, "", "0 of 1 record new"},
		{"near --index idx --text words", 2, "", "do not mix"},
		{"near --index idx album/notes.txt", 2, "", "no picture: it is no PNG, JPEG, GIF or WebP file"},
		{"near --index idx --format text album/notes.txt", 2, "", "do not mix"},
		{"index --index idx --preset difference album", 2, "", "in this index image hash is dct, not difference"},
		{"index --index idx --preset dct album/b.png", 0, "", "1 unchanged"},
		{"index --index difference --format image --preset difference album", 0, "", "added 7 documents"},
		{"near --index difference --limit 2 album/a.jpg", 0, "album/a.jpg\talbum/a-again.jpg\t0\t1.0000\nalbum/a.jpg\talbum/a.jpg\t0\t1.0000\n", ""},
		{"index --index texts album", 0, "", "7 binary files passed over (pictures: 7, which --format image makes hashes of)"},
		{"index --index texts --format image album", 2, "", "the index is not of pictures"},
		{"near --index texts --k 3 --format image album/a.jpg", 2, "", "the index is not of pictures"},
		{"near --index texts album/a.jpg", 2, "", "--format image makes hashes of pictures"},
		{"index --index new --preset dct album", 2, "", "--format image"},
		{"index --index new --format image --preset average album", 2, "", "text-dedup, dct, difference"},
		{"index --index new --format image --mode both album", 2, "", "--mode and --format image exclude each other"},
		{"dedup --out kept --preset dct album", 2, "", "--format image"},
		{"dedup --out hinted album", 2, "", "names each; --format image reads pictures; --skip binary says that this is right"},
		{"dedup --out skipped --skip bad,binary album", 0, "", "names each; --format image reads pictures\n"},
		{"dedup --out kept --format image --features words album", 2, "", "--features and --format image exclude each other"},
		{"dedup --out kept --format image --jaccard 0.9 album", 2, "", "exclude each other"},
	})
	_, stdout, _ := command(t, t.Context(), nil, "info", "--index", "difference")
	if want := "image hash difference"; !strings.Contains(stdout, want) {
		t.Errorf("info: %q, want %q", stdout, want)
	}
}

// What dedup keeps of pictures is the files as they are.
func TestPicturesAreDeduplicated(t *testing.T) {
	t.Chdir(t.TempDir())
	writeAlbum(t)
	for _, hash := range []string{"difference", "dct"} {
		status, _, stderr := command(t, t.Context(), nil, "dedup", "--out", hash, "--format", "image", "--preset", hash, "--skip=binary", "album")
		if status != 0 || !strings.Contains(stderr, "2 of 7 documents removed") {
			t.Fatalf("%d, %q", status, stderr)
		}
		kept, err := filepath.Glob(hash + "/kept/album/*")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, path := range kept {
			names = append(names, filepath.Base(path))
			got, err := os.ReadFile(path)
			want, err2 := os.ReadFile(filepath.Join("album", filepath.Base(path)))
			if err != nil || err2 != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not as it was: %v, %v", path, err, err2)
			}
		}
		// The largest file of each group is kept; pages of one colour are near nothing.
		if want := []string{"a-cut.png", "b.png", "c.png", "white1.png", "white2.jpg"}; !slices.Equal(names, want) {
			t.Errorf("%s: kept %q, want %q", hash, names, want)
		}
	}
}

// The report shows small copies of pictures, and needs no other file.
func TestReportShowsPictures(t *testing.T) {
	t.Chdir(t.TempDir())
	writeAlbum(t)
	if status, _, stderr := command(t, t.Context(), nil, "dedup", "--out", "clean", "--format", "image", "--skip=binary", "album"); status != 0 {
		t.Fatal(stderr)
	}
	page, err := os.ReadFile("clean/report.html")
	if err != nil {
		t.Fatal(err)
	}
	// Three of the group, and two for each of the two pairs.
	if n := bytes.Count(page, []byte(`<img src="data:image/jpeg;base64,/9j/`)); n != 7 {
		t.Errorf("%d pictures on the page, want 7", n)
	}
	for _, want := range []string{"img-src data:;", " pixels, "} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
	if err := os.WriteFile("notes.txt", []byte("some notes\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := command(t, t.Context(), nil, "dedup", "--out", "texts", "notes.txt"); status != 0 {
		t.Fatal(stderr)
	}
	if page, err = os.ReadFile("texts/report.html"); err != nil || bytes.Contains(page, []byte("img-src")) {
		t.Errorf("a page without pictures may load some, %v", err)
	}
}

// Pairs and groups have what is near in another position, and say so.
func TestTurnedPicturesArePaired(t *testing.T) {
	t.Chdir(t.TempDir())
	writePicture(t, "turned/a.jpg", testkit.Photo(1, 320, 240), 90)
	writePicture(t, "turned/b.jpg", testkit.Photo(1, 320, 240), 50)
	writePicture(t, "turned/mirrored.png", mirrored(testkit.Photo(1, 320, 240)), 0)
	writePicture(t, "turned/other.png", testkit.Photo(2, 320, 240), 0)
	framed := image.NewRGBA(image.Rect(0, 0, 400, 300))
	draw.Draw(framed, framed.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(framed, image.Rect(20, 40, 340, 280), testkit.Photo(2, 320, 240), image.Point{}, draw.Src)
	writePicture(t, "turned/framed.png", framed, 0)
	writePicture(t, "flat.png", image.NewGray(image.Rect(0, 0, 60, 80)), 0)
	if err := os.WriteFile("notes.txt", []byte("some notes"), 0o666); err != nil {
		t.Fatal(err)
	}
	commands(t, []struct {
		args   string
		status int
		out    string
		says   string
	}{
		{"pairs --json turned", 0, `{"v":1,"a":"turned/a.jpg","b":"turned/b.jpg","distance":0,"similarity":1}
{"a":"turned/a.jpg","b":"turned/mirrored.png","distance":2,"similarity":0.96875,"turned":true}
{"a":"turned/b.jpg","b":"turned/mirrored.png","distance":2,"similarity":0.96875,"turned":true}
{"a":"turned/framed.png","b":"turned/other.png","distance":0,"similarity":1,"turned":true}
`, ""},
		{"groups turned", 0, "1\t3\t2\tturned/a.jpg\n1\t3\t2\tturned/b.jpg\n1\t3\t2\tturned/mirrored.png\n" +
			"2\t2\t0\tturned/framed.png\n2\t2\t0\tturned/other.png\n", "2 groups of 5"},
		{"pairs --k 1 turned", 0, "turned/a.jpg\tturned/b.jpg\t0\t1.0000\nturned/framed.png\tturned/other.png\t0\t1.0000\n", ""},
		{"dedup --out kept --format image turned", 0, "", "1 of 5 documents removed"},
		{"dedup --out known turned", 0, "", "nearly all files are pictures, and are read as such"},
		{"dedup --out known2 turned/a.jpg turned/b.jpg", 0, "", "1 of 2 documents removed"},
		{"eval turned --truth none", 2, "", "nearly all files are pictures"},
		{"pairs --passages turned", 2, "", "pictures have no passages: without --passages"},
		{"compare --k 1 turned/framed.png turned/other.png", 0, `             A                  B
document     turned/framed.png  turned/other.png
fingerprint  ab35d0c1c4cad5cb   9029b6239adc1ff8

distance    32 of 64 bits  (differing: 0 1 4 5 9 11 14 15 17 18 20 25 26 27 28 30 33 37 38 39 41 42 45 46 50 51 52 56 57 59 60 61)
equal bits  0.5000         (share of all bits)
turned      0 of 64 bits   (in the nearest position, inside borders or not)

near: wanted is a distance of at most 1 bits
`, ""},
		{"compare --k 1 --json --format image turned/b.jpg turned/mirrored.png", 1, `{"a":{"id":"turned/b.jpg","features":0,"distinct":0,"fingerprint":"a5c6dad80df0c29e"},"b":{"id":"turned/mirrored.png","features":0,"distinct":0,"fingerprint":"f0928f8d58a595cb"},"bits":64,"differing_bits":[0,2,4,6,8,9,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,50,52,54,56,58,60,62],"distance":32,"near":false,"similarity":0.5,"turned_distance":2,"v":1}
`, ""},
		{"compare turned/a.jpg flat.png", 2, "", "flat.png is of one colour: it has no hash, and is near nothing"},
		{"compare turned/a.jpg notes.txt", 2, "", "one of the two has a text, and the other has none"},
		{"near turned/a.jpg turned/b.jpg turned/other.png", 0, "turned/a.jpg\tturned/b.jpg\t0\t1.0000\n", "the query is turned/a.jpg alone; the other 2 inputs are searched"},
		{"index --index idx --format image turned", 0, "", ""},
	})
	// Near finds of each picture, as a file of the collection, by its id, and on a server, what is paired with it.
	type row struct {
		A, B, ID string
		Distance int
		Turned   bool
	}
	rows := func(args ...string) (all []row) {
		t.Helper()
		_, out, stderr := command(t, t.Context(), nil, args...)
		for line := range strings.Lines(out) {
			var r row
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err, stderr)
			}
			if r.ID != "" || r.A != "" {
				all = append(all, r)
			}
		}
		return all
	}
	paired := map[string][]row{}
	for _, p := range rows("pairs", "--json", "turned") {
		paired[p.A] = append(paired[p.A], row{ID: p.B, Distance: p.Distance, Turned: p.Turned})
		paired[p.B] = append(paired[p.B], row{ID: p.A, Distance: p.Distance, Turned: p.Turned})
	}
	svc, err := service.Open(service.Options{Index: "idx"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	}()
	k := 10
	served := func(r service.NearRequest) (all []row) {
		t.Helper()
		r.K = &k
		a, err := svc.Near(t.Context(), "default", &r)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range a.Matches {
			all = append(all, row{ID: m.ID, Distance: *m.Distance, Turned: m.Turned})
		}
		return all
	}
	sorted := func(all []row) []row {
		return slices.SortedFunc(slices.Values(all), func(a, b row) int { return strings.Compare(a.ID, b.ID) })
	}
	for _, name := range []string{"turned/a.jpg", "turned/b.jpg", "turned/mirrored.png", "turned/other.png", "turned/framed.png"} {
		want := sorted(paired[name])
		for how, got := range map[string][]row{"a file": rows("near", "--json", name, "turned"),
			"its id": rows("near", "--json", "--index", "idx", "--id", name), "served": served(service.NearRequest{Content: service.Content{}, ID: name})} {
			if got = sorted(got); len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("near %s, as %s: %v, want %v", name, how, got, want)
			}
		}
	}
	// A picture that comes to a server is found in all positions, and inside its border.
	ix, err := index.Open("idx")
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close() // which is read
	doc, _, errFind := ix.Find([]byte("turned/framed.png"))
	fp, _, errLong := ix.Long(doc)
	inside, _, errField := ix.Field(doc, 0)
	added := service.Document{ID: "new", Content: service.Content{Fingerprint: fmt.Sprintf("%016x", fp[0])}, Fields: map[string]any{"unbordered": inside}}
	_, errAdd := svc.Put(t.Context(), "default", []service.Document{added})
	if err := errors.Join(errFind, errLong, errField, errAdd); err != nil || inside == "" {
		t.Fatal(inside, err)
	}
	want := []row{{ID: "new", Turned: true}, {ID: "turned/framed.png", Turned: true}}
	if got := served(service.NearRequest{ID: "turned/other.png"}); !slices.Equal(got, want) {
		t.Errorf("near a picture when another one has come: %v, want %v", got, want)
	}
	if got := served(service.NearRequest{ID: "new"}); len(got) != 2 || got[0].ID != "turned/framed.png" || got[0].Turned || got[1] != (row{ID: "turned/other.png", Turned: true}) {
		t.Errorf("near one that has come: %v", got)
	}
}

// The page of a folder of pictures shows small copies of its files and of no others, and finds what is mirrored.
func TestPicturesAreServed(t *testing.T) {
	t.Chdir(t.TempDir())
	writeAlbum(t)
	writePicture(t, "mirrored.png", mirrored(testkit.Photo(1, 320, 240)), 0)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if status, _, stderr := command(t, t.Context(), nil, "index", "--index", "idx", "--format", "image", "--skip", "binary", "album"); status != 0 {
		t.Fatal(stderr)
	}
	commands(t, []struct {
		args   string
		status int
		out    string
		says   string
	}{
		{"near --index idx --limit 1 --json mirrored.png", 0, `{"v":1,"query":"mirrored.png","id":"album/a-cut.png","distance":0,"similarity":1,"turned":true}` + "\n", ""},
	})
	for _, readOnly := range []bool{true, false} {
		svc, err := service.Open(service.Options{Index: "idx", ReadOnly: readOnly})
		must(err)
		page := explorer.New(svc, explorer.Options{})
		get := func(method, address string, form io.Reader, kind string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), method, "/c/default/"+address, form)
			r.Header.Set("Content-Type", kind)
			w := httptest.NewRecorder()
			page.ServeHTTP(w, r)
			return w
		}
		shown := func(id string) bool {
			w := get("GET", "picture?id="+url.QueryEscape(id), nil, "")
			m, err := jpeg.Decode(w.Body)
			return w.Code == http.StatusOK && err == nil && m.Bounds().Dx() <= 240
		}
		if !readOnly { // clients choose ids
			if shown("album/a.jpg") {
				t.Error("a collection that clients change shows a file")
			}
			must(svc.Close())
			continue
		}
		if !shown("album/a.jpg") || !shown("album/white1.png") || shown("mirrored.png") || shown("album/notes.txt") || shown("../album/a.jpg") {
			t.Error("the page shows other files than those of the collection")
		}
		w := get("GET", "groups", nil, "")
		body := w.Body.String()
		if !strings.Contains(w.Header().Get("Content-Security-Policy"), "img-src data: 'self'") || strings.Count(body, "<img ") != 3 ||
			!regexp.MustCompile(`(?s)a-cut\.png</a></code> 2 bits<p class="notes">313 × 235 pixels, PNG, \d+ kB</p>\n<p class="keep">`).MatchString(body) {
			t.Errorf("groups: %v %s", w.Header(), body)
		}
		var form bytes.Buffer
		parts := multipart.NewWriter(&form)
		for _, name := range []string{"mirrored.png", "album/white1.png", "album/notes.txt"} {
			data, err := os.ReadFile(name)
			must(err)
			to, err := parts.CreateFormFile("file", name)
			must(err)
			_, err = to.Write(data)
			must(err)
		}
		must(parts.Close())
		w = get("POST", "near", &form, parts.FormDataContentType())
		asked := get("GET", strings.TrimPrefix(w.Header().Get("Location"), "/c/default/"), nil, "").Body.String()
		for _, want := range []string{"3 documents are near", "0 bits, turned, mirrored or without a border", "data:image/jpeg", "of one colour", "no PNG, JPEG, GIF or WebP"} {
			if !strings.Contains(asked, want) {
				t.Errorf("a mirrored picture: %q is not in %s", want, asked)
			}
		}
		must(errors.Join(os.Rename("album/b.png", "b.png"), os.Symlink("../b.png", "album/b.png"), os.Rename("album/c.png", "album/a.jpg")))
		if shown("album/b.png") || shown("album/a.jpg") || shown("album/c.png") {
			t.Error("the page shows a link, or a file that has changed or is gone")
		}
		must(svc.Close())
	}
}

// mirrored returns a picture with its left side on the right.
func mirrored(m image.Image) image.Image {
	b := m.Bounds()
	out := image.NewRGBA(b)
	for x := range b.Dx() {
		for y := range b.Dy() {
			out.Set(b.Max.X-1-x, y, m.At(x, y))
		}
	}
	return out
}
