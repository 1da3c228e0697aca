package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Messages is standard error. Everything that the program says of its work and all its complaints
// pass through it. A Write is a message or a part of one. It may contain names of files, ids and
// other data from outside. Control characters in the message, including line ends, are written as
// package idtext does. The exceptions are what the progress needs: a line end at the end, and a
// carriage return at the beginning or the end.
type Messages struct{ To io.Writer }

// Write writes a message or a part of one.
func (m Messages) Write(p []byte) (int, error) {
	var out []byte
	text := p
	if after, ok := bytes.CutPrefix(text, []byte("\r")); ok {
		out, text = append(out, '\r'), after
	}
	end := len(text)
	if end > 0 && (text[end-1] == '\n' || text[end-1] == '\r') {
		end--
	}
	return write(m.To, append(appendHarmless(out, 0, text[:end]), text[end:]...), p)
}

// write writes out in place of p, and returns what a Write of p returns.
func write(to io.Writer, out, p []byte) (int, error) {
	if _, err := to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Sequences that change how a terminal writes. A Screen lets these pass, and no others. All data from
// outside passes through package idtext, which leaves none of them in it.
const (
	Red    = "\x1b[31m"
	Green  = "\x1b[32m"
	Bold   = "\x1b[1m"
	Normal = "\x1b[0m"
)

const escape = 0x1b

var sequences = []string{Red, Green, Bold, Normal}

// beginsSequence reports whether p is the beginning of such a sequence and not all of it.
func beginsSequence(p []byte) bool {
	return slices.ContainsFunc(sequences, func(s string) bool { return len(p) < len(s) && strings.HasPrefix(s, string(p)) })
}

// allowed finds what a Screen lets pass.
var allowed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\n\t]|` + strings.ReplaceAll(strings.Join(sequences, "|"), "[", `\[`))
})

// Colours reports whether a program whose output is a terminal may use colours. NO_COLOR forbids it, with
// any value that is not empty, and so does TERM=dumb. Consoles of Windows that are not the Windows
// Terminal would print the sequences.
func Colours() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
		(runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != "")
}

// Plural returns "1 document", "2 documents" and so on, as Thousands writes the number.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + noun + "s"
}

// Some returns what is told of a number, which stands in format as Thousands writes it, or "" of 0.
func Some(n int, format string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, Thousands(n))
}

// If returns what is told if something is so, with values in format, or "".
func If(so bool, format string, values ...any) string {
	if !so {
		return ""
	}
	return fmt.Sprintf(format, values...)
}

// Thousands returns n with commas between thousands.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Similarity returns a similarity in [0, 1] with four digits. Only 1 is 1.0000: what is less differs. The
// last bits do not count, since a cosine of equal texts is rounded.
func Similarity(x float64) string {
	if x < 1-1e-9 {
		x = min(x, 0.9999)
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}
