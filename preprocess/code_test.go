package preprocess

import (
	"fmt"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// told returns tokens as words: those of the language as they are, I, N and S for what is folded, and < and > around
// blocks by indents.
func told(c *Code, source string) string {
	var list []string
	for _, t := range c.AppendTokens(nil, []byte(source)) {
		switch fold := string(t.Folded([]byte(source))); fold {
		case indent:
			list = append(list, "<<")
		case dedent:
			list = append(list, ">>")
		case folded[named]:
			list = append(list, "I")
		case folded[number]:
			list = append(list, "N")
		case folded[literal]:
			list = append(list, "S")
		default:
			list = append(list, fold)
		}
	}
	return strings.Join(list, " ")
}

func TestTokensOfLanguages(t *testing.T) {
	for _, tt := range []struct{ file, source, want string }{
		{"A.java", "package a.b;\nimport java.util.*;\n// x\nint[] a = {1, 0x1F}; /* y */ s += \"a\\\"b\" + 'c';", "int [ ] I = { N , N } ; I += S + S ;"},
		{"a.py", "import os\ndef f(x):\n    '''a\n    b'''\n    if x:\n        return 1e-5  # why\n\n    return (x +\n  2)\n\nf(1)\n",
			"def I ( I ) : << S if I : << return N >> return ( I + N ) >> I ( N )"},
		{"a.py", "from a import (b,\n    c)\nx = 1\n", "I = N"},
		{"a.go", "package a\nimport (\n\t\"fmt\"\n)\nfunc f() { x := `a\nb` }", "func I ( ) { I := S }"},
		{"a.rs", "use std::io;\nfn f<'a>(x: &'a str) -> char { 'x' }", "fn I < ' I > ( I : & ' I I ) -> I { S }"},
		{"a.c", "#include <stdio.h>\n#define N 10\nint main(void) { return 'a' >> 2; }", "# define I N int I ( void ) { return S >> N ; }"},
		{"a.sql", "SELECT a FROM t -- all\nWHERE x = 'it';", "select I from I where I = S ;"},
		{"a.php", "<?php # a\n$x = [1 => \"b\"];", "< ? I I = [ N => S ] ;"},
		{"a.kt", "val x = 0..9", "val I = N .. N"},
		{"a.lua", "--[[ a\nb ]] local x = 'y' -- z", "local I = S"},
		{"a.hs", "f x = case x of -- why\n  1 -> {- no -} 2", "I I = case I of << N -> N >>"},
		{"a.js", "const f = (a) => a?.b ?? `x\n${y}`;", "const I = ( I ) => I ?. I ?? S ;"},
	} {
		if got := told(CodeOf(tt.file), tt.source); got != tt.want {
			t.Errorf("%s: %q is\n%s, want\n%s", tt.file, tt.source, got, tt.want)
		}
	}
	if CodeOf("a.txt") != nil || CodeOf("dir.go/README") != nil || CodeOf("A.JAVA") == nil {
		t.Error("languages by names of files")
	}
}

// The tokens of sources of Go are those of its own scanner. Signs behind one another are compared together.
func TestTokensAsGoScansThem(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(goRoot(t), "src", "*", "*.go"))
	if err != nil || len(files) < 500 {
		t.Skip("the sources of Go are not here")
	}
	language := CodeOf("a.go")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tok := range language.AppendTokens(nil, source) {
			got = appendToken(got, tok.kind, string(source[tok.From:tok.To]))
		}
		want := scanned(source)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("%s: tokens are\n%q, want\n%q", file, got[min(i, len(got)):min(i+4, len(got))], want[min(i, len(want)):min(i+4, len(want))])
			}
		}
	}
}

// appendToken appends a token, or adds it to the last one if both are signs.
func appendToken(list []string, of kind, text string) []string {
	sign := of == fixed && !isNameByte(text[0])
	if last := len(list) - 1; sign && last >= 0 && strings.HasPrefix(list[last], "sign ") {
		list[last] += text
		return list
	}
	if sign {
		return append(list, "sign "+text)
	}
	return append(list, fmt.Sprint(of, " ", text))
}

// scanned returns the tokens of a source of Go without its package and imports.
func scanned(source []byte) (list []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), source, nil, 0)
	skip, open := false, 0
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return list
		case tok == token.PACKAGE || tok == token.IMPORT:
			skip = true
		case tok == token.LPAREN && skip:
			open++
		case tok == token.RPAREN && skip:
			open--
		case tok == token.SEMICOLON && skip && open == 0:
			skip = false
		case skip, tok == token.SEMICOLON && text == "\n":
		case tok == token.IDENT && !CodeOf("a.go").words[text]:
			list = appendToken(list, named, text)
		case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
			list = appendToken(list, number, text)
		case tok == token.STRING || tok == token.CHAR:
			list = appendToken(list, literal, text)
		case tok.IsOperator():
			list = appendToken(list, fixed, tok.String())
		default:
			list = appendToken(list, fixed, text)
		}
	}
}

// Features of sources are the same whatever names, numbers, layout and comments are, and those of the reference.
func TestFeaturesOfSources(t *testing.T) {
	a, err := New(Options{Features: FeatureSpec{Kind: CodeN, N: 3}, Language: AutoLanguage})
	if err != nil {
		t.Fatal(err)
	}
	features := func(source string) (list []string) {
		var d Document
		a.Analyze(&d, []byte(source))
		for i := range d.Len() {
			list = append(list, string(d.Feature(i)))
		}
		if want := a.Reference([]byte(source)); !slices.Equal(list, want) {
			t.Errorf("%q has %q, want %q", source, list, want)
		}
		return list
	}
	one := features("for (int i = 0; i < 10; i++) { sum += a[i]; } // adds up")
	if other := features("for (int at = 1; at < count; at++)\n{\n\t/* all */ total += list[at]; }"); len(one) != 23-2 || slices.Equal(one, other) || len(other) != len(one) {
		t.Errorf("%q and %q", one, other) // a number is no name
	}
	if other := features("for (int at = 1; at < 2; at++)\n{\n\t/* all */ total += list[at]; }"); !slices.Equal(one, other) {
		t.Errorf("%q, want %q", other, one)
	}
	if few := features("x = 1"); len(few) != 1 || len(features("/* nothing */")) != 0 || len(features("a b")) != 1 {
		t.Errorf("a short source has %q", few)
	}
}

// Tokens are in order and within the source, whatever the bytes are.
func FuzzTokens(f *testing.F) {
	f.Add("a.py", []byte("if x:\n\ty = '''z"))
	f.Add("a.php", []byte("/* \"'`\\"))
	f.Fuzz(func(t *testing.T, file string, source []byte) {
		if c := CodeOf(file); c != nil {
			checkTokens(t, c, source)
		}
	})
}

func checkTokens(t *testing.T, c *Code, source []byte) {
	t.Helper()
	last, blocks := 0, 0
	for _, tok := range c.AppendTokens(nil, source) {
		if tok.From < last || tok.To < tok.From || tok.To > len(source) || tok.To == tok.From && tok.fold != indent && tok.fold != dedent {
			t.Fatalf("%s: %q: token %v behind %d", c.Name, source, tok, last)
		}
		switch last = tok.To; tok.fold {
		case indent:
			blocks++
		case dedent:
			blocks--
		}
	}
	if blocks != 0 {
		t.Fatalf("%s: %q: %d blocks are open", c.Name, source, blocks)
	}
}

func TestTokensOfAnyBytes(t *testing.T) {
	parts := []string{"\"", "'", "`", "'''", `"""`, "/*", "*/", "//", "#", "--", "{-", "=begin", "\\", "\n", "\n    ", "\n\t", "(", ")", "import ", "x", "0x1e+", "1.", "..", "\xff", "é", "if "}
	r := rand.New(rand.NewPCG(5, 9))
	all := slices.Collect(func(yield func(*Code) bool) {
		for _, c := range codeOf() {
			if !yield(c) {
				return
			}
		}
	})
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		checkTokens(t, all[r.IntN(len(all))], []byte(b.String()))
	}
}

// goRoot returns where the sources of Go are.
func goRoot(t *testing.T) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("the command go is not here")
	}
	return strings.TrimSpace(string(root))
}
