package syntax

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"mime/quotedprintable"
	"strings"
	"testing"
	"unicode/utf8"
)

// A text is in UTF-8, no longer than allowed, and the same again.
func FuzzText(f *testing.F) {
	f.Add([]byte("Subject: =?utf-8?q?a?=\n\nbody\n> b\n-- \nc"), uint8(3))
	f.Add([]byte(parts("alternative", "Content-Type: text/html\n\n<blockquote>a</blockquote>b", "\nc")), uint8(1))
	f.Add([]byte(parts("digest", "\nSubject: a\n\nb", "Content-Transfer-Encoding: base64\n\nYQ==")), uint8(0))
	f.Add([]byte("Content-Type: text/plain; charset=iso-2022-jp\nContent-Transfer-Encoding: quoted-printable\n\n=1B$B"), uint8(0))
	f.Add([]byte("Content-Type: text/plain; charset=utf-16\n\n\xff\xfea\x00"), uint8(2))
	f.Fuzz(func(t *testing.T, raw []byte, without uint8) {
		m, err := ParseMessage(raw)
		if err != nil {
			return
		}
		for _, name := range append(m.Header.Names(), "") {
			if value, ok := m.Header.Field(name); ok && (!utf8.ValidString(value) || strings.ContainsAny(string(m.Header.ID()), " \n<")) {
				t.Fatalf("the field %q has %q", name, value)
			}
		}
		before := bytes.Clone(raw)
		p := MessageParser{Without: Without(without % 4), Most: 1000}
		text, err := p.Text(m)
		if err == nil && (!utf8.Valid(text) || len(text) > 1000) {
			t.Fatalf("the text is %q", text)
		}
		if !bytes.Equal(raw, before) {
			t.Fatal("the message has changed")
		}
		again, err2 := p.Text(m)
		if !bytes.Equal(text, again) || (err == nil) != (err2 == nil) {
			t.Fatalf("%q and %v, and then %q and %v", text, err, again, err2)
		}
	})
}

// What mime/quotedprintable reads is read as it reads it.
func FuzzQuotedPrintable(f *testing.F) {
	f.Add([]byte("a=3D=\n b =20 \n=C3=A9\r\n"))
	f.Add([]byte("a=\r\n\r\n=\n="))
	f.Fuzz(func(t *testing.T, body []byte) {
		want, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(body)))
		got := decodeQuoted(nil, body)
		if len(got) > len(body) {
			t.Fatalf("%q is %q", body, got)
		}
		// It leaves a lone CR in a text, but not before a line end or at the end, and reads = at the end of a line in
		// ways of its own.
		if err != nil || bytes.ContainsRune(body, '\r') || bytes.Contains(body, []byte("= ")) || bytes.Contains(body, []byte("=\t")) {
			return
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%q is %q, want %q", body, got, want)
		}
	})
}

// What mime/multipart parts is parted as it does it.
func FuzzParts(f *testing.F) {
	f.Add([]byte("x\n--b\n\none\n--b\nA: b\n\ntwo\n--b--\n"))
	f.Add([]byte("--b\r\n\r\none\r\n--bb\r\n--b \r\n\r\n\r\n--b--"))
	f.Add([]byte("--b\n\n--b--\n--b\n\nx"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := multipart.NewReader(bytes.NewReader(body), "b")
		var want []string
		for {
			part, err := r.NextRawPart()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return // it is stricter
			}
			text, err := io.ReadAll(part)
			if err != nil {
				return
			}
			want = append(want, string(text))
		}
		if bytes.Contains(body, []byte("\r")) || bytes.Contains(body, []byte("--b \n")) || bytes.Contains(body, []byte("--b\t")) || bytes.Contains(body, []byte("--b ")) {
			return // it tells line ends by the first boundary
		}
		if last := []byte("\n--b--\n"); !bytes.Contains(body, last) || bytes.Index(body, last) < bytes.Index(body, []byte("--b\n")) {
			return // the last part is cut short, or comes first
		}
		parts, _ := partsOf(body, "--b")
		if len(parts) != len(want) {
			t.Fatalf("%q has %d parts, want %q", body, len(parts), want)
		}
		for i, raw := range parts {
			_, inner, err := cutHeader(raw)
			// What it takes for a header may be a text here.
			if err != nil || !bytes.HasSuffix(inner, []byte(want[i])) {
				t.Fatalf("part %d of %q is %q, want %q", i, body, inner, want)
			}
		}
	})
}
