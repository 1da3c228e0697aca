package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestScreen(t *testing.T) {
	var b strings.Builder
	s := Screen{Title: `a "screen"`, Lines: []string{"$ cat <a> & b", "", "  plain \x1b[1;31mbold red\x1b[0m  plain \x1b[2mfaint\x1b[22m", "\x1b]0;t\x07\x1b[2K\r中文 \x1b[9m-\x1b[m"}}
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
	}
	for _, want := range []string{
		`aria-label="a &#34;screen&#34;"`,
		`<text x="14.0" y="26.8" textLength="101.4" xml:space="preserve">$ cat &lt;a&gt; &amp; b</text>`,
		`<text x="29.6" y="60.8" textLength="39.0" xml:space="preserve">plain</text>`,
		`<text x="76.4" y="60.8" textLength="62.4" class="b c1" xml:space="preserve">bold red</text>`,
		`<text x="154.4" y="60.8" textLength="39.0" xml:space="preserve">plain</text>`,
		`<text x="201.2" y="60.8" textLength="39.0" class="d" xml:space="preserve">faint</text>`,
		` class="s" xml:space="preserve">-</text>`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	if strings.ContainsAny(b.String(), "\x1b\r\x07") {
		t.Errorf("control characters in %q", b.String())
	}
	if err := s.Write(failing{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// Whatever a program prints, the drawing is XML.
func FuzzScreen(f *testing.F) {
	f.Add("\x1b[1;31ma\x1b[0m<&>", "\x1b[\x1b[1m\xff")
	f.Fuzz(func(t *testing.T, a, c string) {
		var b strings.Builder
		if err := (&Screen{Title: a, Lines: []string{a, c, a + c}}).Write(&b); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(strings.NewReader(b.String()))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("%v: %q", err, b.String())
			}
		}
	})
}
