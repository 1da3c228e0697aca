package syntax

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHTMLText(t *testing.T) {
	for _, tt := range []struct{ name, html, want string }{
		{"plain", "just text", "just text"},
		{"blocks part words", "<p>one</p><p>two</p><ul><li>three<li>four</ul>", "one two three four"},
		{"inline elements do not", "un<b>believ</b>able <span>w</span>ord<wbr>s", "unbelievable words"},
		{"breaks and cells", "one<br>two<br/>three<table><tr><td>4<td>5</table>", "one two three 4 5"},
		{"scripts and styles", "a<script>if (a<b) x('</p>')</script>b<style>p{color:red}</style>c", "a b c"},
		{"an empty script hides nothing", "<script src=x></script>seen", "seen"},
		{"comments", "a<!-- <p>not this --> b", "a b"},
		{"entities", "fish &amp; chips &lt;b&gt; &#x41;&eacute;&nbsp;x &notanentity;", "fish & chips <b> Aé\u00a0x ¬anentity;"},
		{"title and attributes", `<title>A &amp; B</title><body class="no"><img alt="neither" src=y>text`, "A & B text"},
		{"noscript and iframe", "<noscript>no</noscript>yes<iframe>no</iframe>", "yes"},
		{"unclosed", "<p>one <b>two <a href='x>three", "one two"},
		{"stray", "1 < 2 > 0 </nothing> & done", "1 < 2 > 0 & done"},
		{"capitals", "A<SCRIPT>x</SCRIPT>B<P>C", "A B C"},
		{"textarea", "<textarea>kept &amp; decoded</textarea>", "kept & decoded"},
		{"doctype", "<!DOCTYPE html><html><head></head><body>b</body></html>", "b"},
	} {
		got := strings.Join(strings.FieldsFunc(string(AppendText(nil, []byte(tt.html))), func(r rune) bool { return r == ' ' || r == '\n' }), " ")
		if got != tt.want {
			t.Errorf("%s: %q gives %q, want %q", tt.name, tt.html, got, tt.want)
		}
	}
}

// Whatever the bytes are, the text is at most a few times as long as the input, and it has no text
// of scripts. Neither the input nor dst changes.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{"<p>a</p>", "<script>x</script>", "&#1114112;&amp", "<!--", "<a b='", "</", "<plaintext>x</plaintext>", "\x00<\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		text := AppendText([]byte("kept"), src)
		if !bytes.Equal(src, before) || !bytes.HasPrefix(text, []byte("kept")) {
			t.Fatal("input or dst changed")
		}
		if len(text) > 4+8*len(src)+8 {
			t.Fatalf("%d bytes of text from %d", len(text), len(src))
		}
		if utf8.Valid(src) && !utf8.Valid(text) {
			t.Fatalf("%q: text %q is not UTF-8", src, text)
		}
		inside := append(append([]byte("<p>a</p><script>"), bytes.ReplaceAll(src, []byte("<"), nil)...), "</script><p>z</p>"...)
		if got := string(bytes.TrimSpace(AppendText(nil, inside))); got != "a\nz" {
			t.Fatalf("a script shows: %q", got)
		}
	})
}

func BenchmarkHTML(b *testing.B) {
	page := []byte("<html><head><title>T</title><style>p{}</style></head><body>" + strings.Repeat("<p>Some <b>words</b> of a paragraph &amp; more of them, <a href=\"https://example.org/x\">linked</a>.</p>\n", 200))
	var dst []byte
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		dst = AppendText(dst[:0], page)
	}
}
