package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	envelope = "From a@b Thu Jan  1 00:00:00 2026\n"
	message  = "Message-ID: <1@b>\nFrom: Ann <a@b>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: =?utf-8?q?=C3=BCber?=\n\nbody\n"
	second   = "Message-ID: <1@b>\nSubject: two\n\n>From two\n> one\n-- \nAnn\n"
	broken   = "Content-Type: multipart/mixed\n\nx\n"
)

func TestMail(t *testing.T) {
	box := envelope + message + "\n" + envelope + second + "\n" + envelope + broken + "\n" + envelope + "no header\n" + envelope + "Subject: last\n\nlast\n"
	const none = ": it has parts, and its header names no boundary between them"
	const noHeader = ": no header: it does not begin with a field such as Subject: of a message"
	for _, tt := range []struct {
		name   string
		files  map[string]string
		inputs []string
		o      Options
		stdin  string
		want   []string
		told   []string
	}{
		{name: "a mailbox", files: map[string]string{"a.mbox": box}, inputs: []string{"a.mbox"},
			want: []string{"1@b=body\n", "a.mbox#2=From two\n> one\n-- \nAnn\n", "! a.mbox:3" + none, "! a.mbox:4" + noHeader, "a.mbox#5=last\n"}},
		{name: "a compressed one", files: map[string]string{"a.MBX.gz": gzipped(envelope + second)}, inputs: []string{"a.MBX.gz"}, o: Options{MailWithout: "quotes,signatures"},
			want: []string{"1@b=From two\n"}},
		{name: "without signatures", files: map[string]string{"a.mbox": envelope + second}, inputs: []string{"a.mbox"}, o: Options{MailWithout: "signatures"},
			want: []string{"1@b=From two\n> one\n"}},
		{name: "a message", files: map[string]string{"d/a.eml": message, "d/b.eml": envelope + message + "\n" + envelope + message, "d/c.eml": "", "d/d.eml": broken}, inputs: []string{"d"},
			want: []string{"d/a.eml=body\n", "d/b.eml=body\n\n" + envelope + message, "! d/c.eml" + noHeader, "! d/d.eml" + none}},
		{name: "an empty mailbox", files: map[string]string{"a.mbox": "\n"}, inputs: []string{"a.mbox"}},
		{name: "a mailbox that is none", files: map[string]string{"a.mbox": "a text\n"}, inputs: []string{"a.mbox"}, want: []string{"! a.mbox" + noHeader}},
		{name: "zero bytes", files: map[string]string{"a.mbox": envelope + "Subject: x\n\na\x00b\n"}, inputs: []string{"a.mbox"}, want: []string{"a.mbox#1=a\x00b\n"}},
		{name: "by content", files: map[string]string{"d/cur/1:2,S": message, "d/inbox": envelope + second, "d/a.patch": envelope + message, "d/a.txt": message, "d/news": "From: a\n\nb"}, inputs: []string{"d"},
			want: []string{"d/a.patch=" + envelope + message, "d/a.txt=" + message, "d/cur/1:2,S=body\n", "1@b=From two\n> one\n-- \nAnn\n", "d/news=From: a\n\nb"},
			told: []string{"d/a.txt text, not mail", "d/cur/1:2,S mail", "d/inbox mail"}},
		{name: "standard input", inputs: []string{"-"}, stdin: "\n" + envelope + "Subject: x\n\na\n", o: Options{Format: Mail}, want: []string{"-#1=a\n"}},
		{name: "standard input, by content", inputs: []string{"-"}, stdin: envelope + "Subject: x\n\na\n", want: []string{"-#1=a\n"}, told: []string{"- mail"}},
		{name: "fields", files: map[string]string{"a.mbox": box}, inputs: []string{"a.mbox"}, o: Options{TextField: "from,SUBJECT,body", IDField: "Subject"},
			want: []string{"über=Ann <a@b>\nüber\nbody\n", "two=two\nFrom two\n> one\n-- \nAnn\n", "! a.mbox:3" + none, "! a.mbox:4" + noHeader, "last=last\nlast\n"}},
		{name: "a field of other inputs", files: map[string]string{"a.mbox": box}, inputs: []string{"a.mbox"}, o: Options{TextField: "title,content"},
			want: []string{"1@b=body\n", "a.mbox#2=From two\n> one\n-- \nAnn\n", "! a.mbox:3" + none, "! a.mbox:4" + noHeader, "a.mbox#5=last\n"}},
		{name: "a field of mail that one lacks", files: map[string]string{"a.mbox": box}, inputs: []string{"a.mbox"}, o: Options{TextField: "cc"},
			want: []string{`!! a.mbox:1: no field "cc"; the record has Message-ID, From, Date, Subject, body`}},
		{name: "a field that one lacks", files: map[string]string{"a.mbox": box}, inputs: []string{"a.mbox"}, o: Options{TextField: "body", IDField: "message-id"},
			want: []string{"1@b=body\n", "1@b=From two\n> one\n-- \nAnn\n", "! a.mbox:3" + none, "! a.mbox:4" + noHeader, `! a.mbox:5: no field "message-id"`}},
		{name: "too long", files: map[string]string{"a.mbox": box, "b.eml": message}, inputs: []string{"a.mbox", "b.eml"}, o: Options{MaxDocument: 100},
			want: []string{"! a.mbox:1: longer than 100 B: left out", "1@b=From two\n> one\n-- \nAnn\n", "! a.mbox:3" + none, "! a.mbox:4" + noHeader, "a.mbox#5=last\n", "! b.eml: longer than 100 B: left out"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files(t, tt.files)
			o := tt.o
			var told []string
			o.Stdin = strings.NewReader(tt.stdin)
			o.Decided = func(d Decision) {
				is := d.Path + " " + d.Format.String()
				if d.Looks != d.Format {
					is += ", not " + d.Looks.String()
				}
				told = append(told, is)
			}
			r, err := Open(tt.inputs, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, r); !slices.Equal(got, tt.want) || !slices.Equal(told, tt.told) {
				t.Errorf("got %q, told %q; want %q, %q", got, told, tt.want, tt.told)
			}
			if tt.stdin == "" {
				checkReread(t, readOrigins(t, tt.inputs, tt.o), tt.o)
			}
		})
	}
	if _, err := Open([]string{"."}, Options{MailWithout: "x"}); err == nil {
		t.Error("an unknown part of mail is left out")
	}
}

// A message that has changed is not read again.
func TestMailThatChanges(t *testing.T) {
	files(t, map[string]string{"a.mbox": envelope + message, "b.eml": message})
	all := readOrigins(t, []string{"."}, Options{})
	for _, name := range []string{"a.mbox", "b.eml"} {
		if err := os.WriteFile(name, bytes.Repeat([]byte("x\n"), 200), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := NewRereader(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, y := range all {
		if text, err := r.Text(y.from); err == nil || !strings.Contains(err.Error(), ErrChanged.Error()) {
			t.Errorf("%v: %q, %v", y.from, text, err)
		}
	}
	if len(all) != 2 {
		t.Errorf("%d texts", len(all))
	}
}

func TestRefused(t *testing.T) {
	files(t, map[string]string{"d/a.pdf": "%PDF-1.7\nwords", "d/b.xlsx": "PK\x03\x04words", "d/c": "text", "d/e": "\x00", "f.txt": "%PDF-1.4"})
	r, err := Open([]string{"d", "d/a.pdf", "d/b.xlsx", "f.txt"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"d/c=text", "! d/a.pdf: " + ErrPDF.Error(), "! d/b.xlsx: a zip archive, and no text: unpack it first, by unzip", "! f.txt: " + ErrPDF.Error()}
	if got := readAll(t, r); !slices.Equal(got, want) || leftOut(r, IsNoText) != 3 || leftOut(r, IsConvertible) != 2 {
		t.Errorf("got %q, %d binary files, %d convertible; want %q", got, leftOut(r, IsNoText), leftOut(r, IsConvertible), want)
	}
}

// pythonMail writes a mailbox of messages in many encodings, and prints what it reads in it.
const pythonMail = `
import email, email.message, email.policy, json, mailbox, random, re, sys
random.seed(7)
box = mailbox.mbox(sys.argv[1])
words = "From here one two café straße Привет 你好 = == > =3D\t".split(" ")
charsets = ["utf-8", "iso-8859-15", "koi8-r", "gb18030", "iso-2022-jp", "shift_jis", "euc-kr", "windows-1252"]
def text():
    return "".join(random.choice(["From ", ">From ", "", ""]) + " ".join(random.choice(words) for _ in range(random.randrange(30))) + "\n" for _ in range(random.randrange(1, 8)))
want = {}
for i in range(400):
    m = email.message.EmailMessage(policy=email.policy.default.clone(max_line_length=60))
    m["Subject"] = " ".join(random.choice(words) for _ in range(20)).replace("\t", "")
    m["Message-ID"] = "<%d@example.org>" % i
    charset = random.choice(charsets)
    body = text().encode(charset, "ignore").decode(charset)
    m.set_content(body, charset=charset, cte=random.choice(["base64", "quoted-printable"]))
    if i % 3 == 1:
        m.add_alternative("<p>page</p>", subtype="html")
    if i % 5 == 2:
        m.add_attachment(bytes(random.randrange(256) for _ in range(500)), maintype="application", subtype="x", filename="x")
    box.add(m)
box.flush()
box.close()
def unmarked(f):
    return email.message_from_bytes(re.sub(rb"(?m)^>(>*From )", rb"\1", f.read()), policy=email.policy.default)
for m in mailbox.mbox(sys.argv[1], factory=unmarked):
    body = m.get_body(("plain",)).get_content()
    want[m["Message-ID"].strip("<>")] = [m["Subject"], body]
json.dump(want, sys.stdout)
`

// Python's packages email and mailbox read the same.
func TestMailAsPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, which writes and reads the mailbox that is compared")
	}
	path := filepath.Join(t.TempDir(), "a.mbox")
	program := exec.CommandContext(t.Context(), python, "-c", pythonMail, path)
	program.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8")
	out, err := program.Output()
	if err != nil {
		t.Skipf("python3 cannot make the mailbox: %v", err)
	}
	var want map[string][2]string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	subjects := read(t, path, Options{TextField: "subject"})
	bodies := read(t, path, Options{})
	if len(want) != 400 || !slices.Equal(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(bodies))) {
		t.Fatalf("%d messages, %d wanted", len(bodies), len(want))
	}
	for id, is := range want {
		// Line ends around bodies and at white space in subjects are the business of each program.
		if got := strings.Fields(subjects[id]); !slices.Equal(got, strings.Fields(is[0])) {
			t.Errorf("%s: the subject is %q, want %q", id, subjects[id], is[0])
		}
		if got := strings.TrimRight(bodies[id], "\n"); got != strings.TrimRight(is[1], "\n") {
			t.Errorf("%s: the body is %q, want %q", id, got, is[1])
		}
	}
}

// read returns the texts of a file by their ids.
func read(t *testing.T, path string, o Options) map[string]string {
	t.Helper()
	r, err := Open([]string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	texts := map[string]string{}
	for doc, err := range r.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		if _, again := texts[string(doc.ID)]; again {
			t.Fatal(fmt.Errorf("%s comes twice", doc.ID))
		}
		texts[string(doc.ID)] = string(bytes.ReplaceAll(doc.Text, []byte("\r\n"), []byte("\n")))
	}
	return texts
}
