package syntax

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// A counting is a Source with a small buffer.
type counting struct {
	*bufio.Reader
	from *counter
}

type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c counting) Offset() int64 { return c.from.n - int64(c.Buffered()) }

func sourceOf(from io.Reader, size int) Source {
	c := &counter{Reader: from}
	return counting{bufio.NewReaderSize(c, size), c}
}

// smallBuffer is the size of a buffer in which lines are seen in parts. It holds what Mailbox looks at.
const smallBuffer = lookahead + 64

// messages returns the messages of a mailbox, and "!" for one that is too long.
func messages(t *testing.T, box string, from io.Reader, size int, most int64) (got []string) {
	t.Helper()
	m := NewMailbox(sourceOf(from, size), most)
	end := int64(len(box) - len(strings.TrimLeft(box, "\r\n")))
	for i := 1; ; i++ {
		raw, place, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if place.Number != i || place.Start != end || place.End <= place.Start {
			t.Fatalf("message %d is number %d, from %d to %d, behind %d", i, place.Number, place.Start, place.End, end)
		}
		end = place.End
		switch {
		case errors.Is(err, ErrTooLong):
			got = append(got, "!")
		case err != nil:
			t.Fatal(err)
		case string(raw) != box[place.Start:place.End]:
			t.Fatalf("message %d is %q, and %q stands there", i, raw, box[place.Start:place.End])
		default:
			got = append(got, string(raw))
		}
	}
	if end != int64(len(box)) {
		t.Fatalf("%d bytes are left", int64(len(box))-end)
	}
	return got
}

// plainly is messages, line by line.
func plainly(box string, most int64) (got []string) {
	box = strings.TrimLeft(box, "\r\n")
	blank, start := true, 0
	for at := 0; at < len(box); {
		line := box[at:]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		rest := []byte(box[at:])
		if strings.HasPrefix(line, "From ") && at > start && (IsEnvelope(rest) || blank && beginsMessage(rest)) {
			got = append(got, box[start:at])
			start = at
		}
		blank = line == "\n" || line == "\r\n"
		at += len(line)
	}
	if start < len(box) {
		got = append(got, box[start:])
	}
	for i := range got {
		if int64(len(got[i])) > most {
			got[i] = "!"
		}
	}
	return got
}

const envelopeLine = "From ann@example.org Thu Jan  1 00:00:00 2026\n"

func TestMailbox(t *testing.T) {
	const header = "Subject: x\n\n"
	long := strings.Repeat("many words\n", 1000)
	for name, tt := range map[string]struct {
		box  string
		want int
	}{
		"nothing":                {"", 0},
		"empty lines":            {"\n\r\n", 0},
		"one":                    {envelopeLine + header + "a\n", 1},
		"two":                    {"\n" + envelopeLine + header + "a\n\n" + envelopeLine + header + "b\n", 2},
		"without an empty line":  {envelopeLine + header + "a\n" + envelopeLine + header + "b\n", 2},
		"nothing but envelopes":  {envelopeLine + envelopeLine + envelopeLine, 3},
		"a sentence":             {envelopeLine + header + "a\n\nFrom here on: words\nFrom there\n\n", 1},
		"a sentence at the end":  {envelopeLine + header + "a\n\nFrom here", 1},
		"no time":                {envelopeLine + header + "a\n\nFrom \nSubject: b\n\nb\n", 2},
		"no time, no empty line": {envelopeLine + header + "a\nFrom \nSubject: b\n\nb\n", 1},
		"no year":                {envelopeLine + header + "a\nFrom 10:30 to 11:30 we talk\nb\n", 1},
		"CRLF":                   {crlf(envelopeLine + header + "a\n\nFrom x\nSubject: b\n\nb\n"), 2},
		"escaped":                {envelopeLine + header + ">From x Thu Jan  1 00:00:00 2026\n", 1},
		"long ones":              {envelopeLine + header + long + "\nFrom here\n" + long + envelopeLine + header + long, 2},
		"a long line":            {envelopeLine + header + "From " + strings.Repeat("x", 3*lookahead) + "\n" + envelopeLine + "a", 2},
		"other beginnings":       {"Subject: x\n\n" + envelopeLine + header, 2},
	} {
		if got := messages(t, tt.box, strings.NewReader(tt.box), smallBuffer, 1<<20); len(got) != tt.want {
			t.Errorf("%s: %d messages, want %d: %.300q", name, len(got), tt.want, got)
		}
		for _, most := range []int64{1 << 20, 100} {
			got, want := messages(t, tt.box, iotest.OneByteReader(strings.NewReader(tt.box)), smallBuffer, most), plainly(tt.box, most)
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %.300q, want %.300q", name, got, want)
			}
		}
	}
	failing := NewMailbox(sourceOf(io.MultiReader(strings.NewReader(envelopeLine+"a"), iotest.ErrReader(errors.New("no disk"))), smallBuffer), 1000)
	if _, _, err := failing.Next(); err == nil || err.Error() != "inside of message 1, which begins at byte 0: no disk" {
		t.Errorf("of a failing disk: %v", err)
	}
}

func TestUnmark(t *testing.T) {
	for raw, want := range map[string]string{
		envelopeLine + "a\n>From b\n>>From c\n > From\n": "a\nFrom b\n>From c\n > From\n",
		">From a":               "From a",
		"a >From b\n>From c":    "a >From b\nFrom c",
		"a >>>From b\n>>>From ": "a >>>From b\n>>From ",
		">from\n>Fro\n":         ">from\n>Fro\n",
		">From >From >From ":    "From >From >From ",
		"From ":                 "",
		"From \na\n\n\n":        "a\n\n",
		"From \r\na\r\n\r\n":    "a\r\n",
		"From \n\n":             "",
	} {
		if got := string(Unmark([]byte(raw))); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

func TestLooksLike(t *testing.T) {
	const message = "Message-ID: <1>\nFrom: a\nDate: today\n\nbody"
	for text, want := range map[string][2]bool{
		envelopeLine + "Subject: x\n":                  {true, false},
		envelopeLine + "text\n":                        {false, false},
		"From here: on\nA: b\n":                        {false, false},
		message:                                        {false, true},
		crlf(message):                                  {false, true},
		"From: a\nDate: b\n\nbody":                     {false, false},
		strings.TrimSuffix(message, "\n\nbody"):        {false, false},
		strings.Replace(message, "\n\nbody", "\nx", 1): {false, false},
		"": {false, false},
	} {
		if got := [2]bool{LooksLikeMailbox([]byte(text)), LooksLikeMessage([]byte(text))}; got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func FuzzMailbox(f *testing.F) {
	f.Add([]byte(envelopeLine+"Subject: x\n\na\n\nFrom \nTo: b\n\n>From c"), uint16(1000))
	f.Add([]byte("\n"+crlf(envelopeLine)+"From x\n\r\nFrom y 10:00 2026"), uint16(30))
	f.Add([]byte("a\n\r"), uint16(30))
	f.Add([]byte(envelopeLine+strings.Repeat("x", lookahead)+"\n\n"+envelopeLine), uint16(100))
	f.Fuzz(func(t *testing.T, box []byte, most uint16) {
		got := messages(t, string(box), iotest.HalfReader(bytes.NewReader(box)), smallBuffer, int64(most))
		if want := plainly(string(box), int64(most)); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		for _, raw := range got {
			unmarked := string(Unmark([]byte(raw)))
			if want := unmarkPlainly(raw); unmarked != want {
				t.Fatalf("%q unmarked is %q, want %q", raw, unmarked, want)
			}
		}
	})
}

// unmarkPlainly is Unmark, line by line.
func unmarkPlainly(raw string) string {
	for _, end := range []string{"\r\n", "\n"} {
		if rest, ok := strings.CutSuffix(raw, "\n"+end); ok {
			raw = rest + "\n"
			break
		}
	}
	if strings.HasPrefix(raw, "From ") {
		_, raw, _ = strings.Cut(raw, "\n")
	}
	var b strings.Builder
	for line := range strings.Lines(raw) {
		if strings.HasPrefix(strings.TrimLeft(line, ">"), "From ") {
			line = strings.TrimPrefix(line, ">")
		}
		fmt.Fprint(&b, line)
	}
	return b.String()
}
