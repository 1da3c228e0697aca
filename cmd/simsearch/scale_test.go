package main

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scale says how large the program may be. A change that makes something smaller lowers its number; none raises one
// without a reason that stands in its commit. Splitting, moving and longer lines are no savings.
var scale = map[string]int{
	"lines of code":    85761, // that have a token, without tests
	"packages":         59,
	"flags":            85,   // names, of all commands
	"exported names":   2998, // functions, methods, types, constants and variables
	"format versions":  10,   // constants whose names end with version, and that are numbers
	"lines of a width": 1389, // over 120 columns
}

// sources calls do with each Go file of the module but tests and what they are made of. Other modules, such as bench
// and tools, are left out.
func sources(t *testing.T, do func(path string, text []byte)) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, noModule := os.Stat(filepath.Join(path, "go.mod"))
			if path != root && (noModule == nil || strings.HasPrefix(d.Name(), "test") || strings.HasSuffix(d.Name(), "test") || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		do(path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// linesWithTokens returns how many lines of a Go file have more than a comment.
func linesWithTokens(text []byte) (n int) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for last := 0; ; {
		at, tok, is := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && is == "\n" { // it is not written
			continue
		}
		from := file.Line(at)
		to := from + strings.Count(is, "\n") // of a string in backquotes
		n += to - max(from, last+1) + 1
		last = to
	}
}

// declared counts the exported names of a file, and its versions of formats.
func declared(t *testing.T, path string, text []byte, found map[string]int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	name := func(id *ast.Ident) {
		if id.IsExported() && file.Name.Name != "main" {
			found["exported names"]++
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			name(f.Name)
		}
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				name(spec.Name)
			case *ast.ValueSpec:
				for i, id := range spec.Names {
					name(id)
					if i < len(spec.Values) && g.Tok == token.CONST && strings.HasSuffix(strings.ToLower(id.Name), "version") {
						if is, ok := spec.Values[i].(*ast.BasicLit); ok && is.Kind == token.INT {
							found["format versions"]++
						}
					}
				}
			}
		}
	}
}

// The program does not grow.
func TestScale(t *testing.T) {
	found, packages, flags := map[string]int{}, map[string]bool{}, map[string]bool{}
	sources(t, func(path string, text []byte) {
		if filepath.Base(path) != "doc.go" { // a folder may have nothing else
			packages[filepath.Dir(path)] = true
		}
		found["lines of code"] += linesWithTokens(text)
		for line := range strings.Lines(string(text)) {
			if len(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")) > 120 {
				found["lines of a width"]++
			}
		}
		declared(t, path, text, found)
	})
	program := newProgram(&environment{stderr: io.Discard}, "")
	for _, command := range program.Commands {
		for _, f := range command.Flags {
			flags[f.Names()[0]] = true
		}
	}
	found["packages"], found["flags"] = len(packages), len(flags)
	for what, most := range scale {
		switch n := found[what]; {
		case n > most:
			t.Errorf("%d %s, and there shall be no more than %d", n, what, most)
		case n < most:
			t.Errorf("%d %s: lower %d to it", n, what, most)
		}
	}
}
