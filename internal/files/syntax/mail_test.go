package syntax

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// crlf returns text with the line ends of mail as it is sent.
func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// textOf returns the text of a message, or "! " and what is broken.
func textOf(raw string, without Without) string {
	m, err := ParseMessage([]byte(raw))
	if err != nil {
		return "! " + err.Error()
	}
	p := MessageParser{Without: without, Most: 1 << 20}
	text, err := p.Text(m)
	if err != nil {
		return "! " + err.Error()
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// parts returns a message of several parts.
func parts(kind string, parts ...string) string {
	m := "Content-Type: multipart/" + kind + "; boundary=\"=_b\"\n\npreamble\n"
	for _, p := range parts {
		m += "--=_b\n" + p + "\n"
	}
	return m + "--=_b--\nepilogue\n"
}

func TestText(t *testing.T) {
	const html = "Content-Type: text/html\n\n<p>Page <b>one</b></p>"
	const plain = "Content-Type: text/plain\n\nplain one"
	for name, tt := range map[string]struct{ message, want string }{
		"no type":                 {"Subject: x\n\nbody\nof it\n", "body\nof it\n"},
		"an envelope":             {"From a@b Thu Jan  1 00:00:00 2026\nSubject: x\n\nbody\n", "body\n"},
		"a header alone":          {"Subject: x\n", ""},
		"no header":               {"just a text\n", "! " + errHeader.Error()},
		"nothing":                 {"", "! " + errHeader.Error()},
		"a line in the header":    {"Subject: x\nthis is no field\nbody\n", "this is no field\nbody\n"},
		"quoted-printable":        {"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: Quoted-Printable\n\ncaf=C3=A9 a=\nb =3d=3D =zz =\n=", "café ab == =zz "},
		"trailing space":          {"Content-Transfer-Encoding: quoted-printable\n\na  \nb=20\n", "a\nb \n"},
		"base64":                  {"Content-Type: text/plain; charset=ISO-8859-1\nContent-Transfer-Encoding: base64\n\nY2Fm\n6SBh*\n", "café a"},
		"base64 that is joined":   {"Content-Transfer-Encoding: base64\n\nYQ==YmM=ZA", "abcd"},
		"base64 that is cut":      {"Content-Transfer-Encoding: base64\n\nYWJjZ", "abc"},
		"latin-1":                 {"Content-Type: text/plain; charset=\"iso-8859-1\"\n\ncaf\xe9 \x80\n", "café €\n"},
		"koi8-r":                  {"Content-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9\xd7\xc5\xd4\n", "Привет\n"},
		"iso-2022-jp":             {"Content-Type: text/plain; charset=ISO-2022-JP\n\n\x1b$B$3$s\x1b(B\n", "こん\n"},
		"gb2312":                  {"Content-Type: text/plain; charset=gb2312\n\n\xc4\xe3\xba\xc3\n", "你好\n"},
		"cp932":                   {"Content-Type: text/plain; charset=cp932\n\n\x82\xb1\n", "こ\n"},
		"cp850":                   {"Content-Type: text/plain; charset=cp850\n\n\x82\n", "é\n"},
		"utf-16":                  {"Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n//5hAOkA", "aé"},
		"UTF-8 that is none":      {"Content-Type: text/plain; charset=utf-8\n\na\xe9b\n", "aéb\n"},
		"no charset, 8 bits":      {"Subject: x\n\ncaf\xe9\n", "café\n"},
		"no charset, UTF-8":       {"Subject: x\n\ncafé\n", "café\n"},
		"an unknown charset":      {"Content-Type: text/plain; charset=x-klingon\n\ncafé\n", "café\n"},
		"HTML":                    {"Subject: x\n" + html, "Page one\n"},
		"HTML in a charset":       {"Content-Type: text/html; charset=windows-1251\n\n<p>\xcf\xf0&amp;</p>", "Пр&\n"},
		"an image":                {"Content-Type: image/png\n\nabc", ""},
		"a broken type":           {"Content-Type: text/plain; charset=utf-8; charset=utf-8; x\nContent-Transfer-Encoding: 8bit\n\nbody", "body"},
		"a type of one word":      {"Content-Type: text\n\nbody", "body"},
		"mixed":                   {parts("mixed", plain, html), "plain one\nPage one\n"},
		"attachments":             {parts("mixed", plain, "Content-Disposition: ATTACHMENT; filename=a.txt\n\nattached", "Content-Type: application/pdf\n\n%PDF", "Content-Type: text/calendar\n\nBEGIN"), "plain one"},
		"a part without a header": {parts("mixed", "\nbare", "\nsecond"), "bare\nsecond"},
		"alternative":             {parts("alternative", html, plain), "plain one"},
		"an empty alternative":    {parts("alternative", "Content-Type: text/plain\n\n \n", html), "Page one\n"},
		"alternative in parts":    {parts("alternative", strings.ReplaceAll(parts("related", plain), "=_b", "=_c"), html), "plain one"},
		"alternative in mixed":    {parts("mixed", strings.ReplaceAll(parts("alternative", plain, html), "=_b", "=_bb"), "\nfooter"), "plain one\nfooter"},
		"a forwarded message":     {parts("mixed", plain, "Content-Type: message/rfc822\n\nSubject: =?utf-8?q?caf=C3=A9?=\n\nforwarded"), "plain one\ncafé\nforwarded"},
		"a digest":                {parts("digest", "\nSubject: one\n\nfirst", "\nSubject: two\n\nsecond"), "one\nfirst\ntwo\nsecond"},
		"cut short":               {strings.TrimSuffix(parts("mixed", plain, "\nsecond"), "--=_b--\nepilogue\n"), "plain one\nsecond"},
		"no boundary":             {"Content-Type: multipart/mixed\n\nx", "! it has parts, and its header names no boundary between them"},
		"a boundary elsewhere":    {"Content-Type: multipart/mixed; boundary=b\n\nx --b\n--bb\n", `! it has parts, and the boundary "b" is not in it`},
		"an encoded page":         {"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\nPGI+w6k8L2I+", "é"},
	} {
		if got := textOf(tt.message, 0); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		if strings.Contains(tt.message, "\x1b") || name == "trailing space" {
			continue
		}
		if got := textOf(crlf(tt.message), 0); got != tt.want {
			t.Errorf("%s, with CRLF: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestWithout(t *testing.T) {
	const both = Quotes | Signatures
	for name, tt := range map[string]struct {
		without    Without
		text, want string
	}{
		"nothing":               {0, "a\n> b\n-- \nc\n", "a\n> b\n-- \nc\n"},
		"quotes":                {Quotes, "a\n> b\n>c\nd\n>> e\n", "a\nd\n"},
		"signatures":            {Signatures, "a\n> b\n-- \nc\nd\n", "a\n> b\n"},
		"both":                  {both, "a\n> b\n-- \nc\nd\n", "a\n"},
		"a line of dashes":      {both, "a\n--\nb\n", "a\n--\nb\n"},
		"quote below":           {Signatures, "a\n-- \nc\n> b\n> d\n", "a\n> b\n> d\n"},
		"introduced":            {Quotes, "Hi\n\nOn Monday, Ann <a@b> wrote:\n> b\n\nYes.\n", "Hi\n\n\nYes.\n"},
		"in two lines":          {Quotes, "Hi\nOn Mon, 2 Jan 2026 at 10:00, Ann Other\n<ann@example.org> wrote:\n\n> b\n", "Hi\n"},
		"in German":             {Quotes, "Am 2.1. schrieb Ann:\n> b\nJa\n", "Ja\n"},
		"of a name":             {Quotes, "Hi\nAnn Other writes:\n> b\n", "Hi\n"},
		"no introduction":       {Quotes, "This is what matters:\n> b\n", "This is what matters:\n"},
		"of another paragraph":  {Quotes, "On and on.\n\nAnn wrote:\n> b\n", "On and on.\n\n"},
		"an original":           {Quotes, "a\n-----Original Message-----\nFrom: x\nb\n", "a\n"},
		"an original is kept":   {Signatures, "a\n-- \nb\n-----Original Message-----\nc\n", "a\n-----Original Message-----\nc\n"},
		"an introduction alone": {Quotes, "Ann wrote:\nno quote\n", "Ann wrote:\nno quote\n"},
	} {
		if got := string(tt.without.from([]byte(tt.text))); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
	page := "Content-Type: text/html\n\n<p>Yes</p><div>On Monday, Ann wrote:<br></div><blockquote type=cite>one<blockquote>two</blockquote>three</BLOCKQUOTE><p>Four</p>"
	if got := textOf(page, Quotes); got != "Yes\n\nFour\n" && got != "Yes\nFour\n" {
		t.Errorf("a page without quotes: %q", got)
	}
	if got := textOf(page, 0); !strings.Contains(got, "two") {
		t.Errorf("a page with quotes: %q", got)
	}
}

func TestParseWithout(t *testing.T) {
	for s, want := range map[string]string{"": "", "nothing": "", "quotes": "quotes", "signatures,quotes": "quotes,signatures"} {
		if w, err := ParseWithout(s); err != nil || w.String() != want {
			t.Errorf("%q: %v, %v; want %q", s, w, err, want)
		}
	}
	if _, err := ParseWithout("quotes,x"); err == nil {
		t.Error("an unknown name is read")
	}
}

func TestFields(t *testing.T) {
	h, _, err := cutHeader([]byte("Subject: =?utf-8?B?Y2Fmw6k=?= =?iso-8859-1?Q?_=E9t=E9?=\r\n and more\nFrom : Ann\n <a@b>\nX-Raw: caf\xe9\nmessage-id: <1@b> x\nEmpty:\nDate: =?x-none?q?a?= b\nSubject: second\n\nbody: x\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"subject": "café été and more", "FROM": "Ann <a@b>", "x-raw": "café", "empty": "", "date": "a b"} {
		if got, ok := h.Field(name); got != want || !ok {
			t.Errorf("%s: %q, %v; want %q", name, got, ok, want)
		}
	}
	for _, name := range []string{"body", "", "Sub", "Subjects", "ann"} {
		if got, ok := h.Field(name); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := string(h.ID()); got != "1@b" {
		t.Errorf("the id is %q", got)
	}
	for _, id := range []string{"", "<>", "<a b>", "<a\x00>", "<" + strings.Repeat("x", maxID+1) + ">"} {
		if got := (Header("Message-ID: " + id + "\n")).ID(); len(got) > 0 {
			t.Errorf("%q is an id: %q", id, got)
		}
	}
	if got := strings.Join(h.Names(), " "); got != "Subject From X-Raw message-id Empty Date" {
		t.Errorf("the names are %q", got)
	}
}

func TestDate(t *testing.T) {
	for value, want := range map[string]string{
		"Fri, 2 Jan 2026 10:00:00 -0500":    "2026-01-02T10:00:00-05:00",
		"2 Jan 26 10:00 EST (Eastern)":      "2026-01-02T10:00:00-05:00",
		"Fri, 2 Jan 26 10:00 -0500 (there)": "2026-01-02T10:00:00-05:00",
		"Fri, 2 Jan 26 10:00 PDT":           "2026-01-02T10:00:00-07:00",
		"Fri, 2 Jan 26 10:00 GMT":           "2026-01-02T10:00:00Z",
		"yesterday":                         "yesterday",
		"":                                  "",
	} {
		if got := MessageDate(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

func TestBounds(t *testing.T) {
	deep := "\nend"
	for i := range maxDepth + 2 {
		b := strings.Repeat("x", i+1)
		deep = "Content-Type: multipart/mixed; boundary=" + b + "z\n\n--" + b + "z\n" + deep
	}
	many := "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\nx\n", maxParts+1)
	alternatives := strings.Replace(many, "mixed", "alternative", 1)
	for name, message := range map[string]string{
		"inside of each other": deep, "more than 10000 parts": many, "10000 parts": alternatives,
		"header has more than": "Subject: x" + strings.Repeat("\n y", maxHeader) + "\n\n",
	} {
		if got := textOf(message, 0); !strings.HasPrefix(got, "! ") || !strings.Contains(got, name) {
			t.Errorf("%s: %.100q", name, got)
		}
	}
	m, err := ParseMessage([]byte("Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\n0123456789\n", 9)))
	if err != nil {
		t.Fatal(err)
	}
	p := MessageParser{Most: 50}
	if _, err := p.Text(m); !errors.Is(err, ErrTooLong) {
		t.Errorf("a long text: %v", err)
	}
}

// The text of a plain message is a part of it.
func TestPlainTextIsNotCopied(t *testing.T) {
	raw := []byte("From: a@b\nSubject: x\nContent-Type: text/plain; charset=us-ascii\n\n" + strings.Repeat("a line of text\n", 1000))
	p := MessageParser{Most: 1 << 20}
	allocations := testing.AllocsPerRun(10, func() {
		m, err := ParseMessage(raw)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := p.Text(m); err != nil || !bytes.HasSuffix(raw, text) || len(text) != 15000 {
			t.Fatal(err)
		}
	})
	if allocations > 8 { // of its Content-Type
		t.Errorf("%v allocations", allocations)
	}
}

// A message that only passes on another one keeps what it passes on, in the forms that programs write.
func TestForwards(t *testing.T) {
	const said = "the other message, which says something"
	for name, body := range map[string]string{
		"Gmail":             "---------- Forwarded message ---------\nFrom: Ann <a@b>\nSubject: x\n\n" + said + "\n",
		"Apple Mail":        "Begin forwarded message:\n\n> From: Ann <a@b>\n> Subject: x\n>\n> " + said + "\n",
		"Outlook":           "\n\n-----Original Message-----\nFrom: Ann\n\n" + said + "\n",
		"with a signature":  "-- \nBen\n\n-----Original Message-----\nFrom: Ann\n\n" + said + "\n",
		"quoted as a whole": "On Monday, Ann wrote:\n> one\n> " + said + "\n",
		"nothing but lines": "> " + said,
	} {
		for _, without := range []Without{Quotes, Quotes | Signatures} {
			if got := textOf("Subject: Fwd: x\n\n"+body, without); !strings.Contains(got, said) {
				t.Errorf("%s, without %s: %q", name, without, got)
			}
			if got := textOf("Subject: x\n\nmy own words\n\n"+body, without); strings.Contains(got, said) || !strings.Contains(got, "my own words") {
				t.Errorf("%s below own words, without %s: %q", name, without, got)
			}
		}
	}
	page := "Content-Type: text/html\n\n<div><br></div><blockquote>" + said + "</blockquote>"
	if got := textOf(page, Quotes); !strings.Contains(got, said) {
		t.Errorf("a page: %q", got)
	}
	two := "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n> " + said + "\n--b\n\nmy own words\n--b--\n"
	if got := textOf(two, Quotes); strings.Contains(got, said) {
		t.Errorf("own words in another part: %q", got)
	}
}
