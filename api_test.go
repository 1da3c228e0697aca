package simsearch_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files of the directory api anew")

// The public packages, which the promise of compatibility is about.
var public = []string{".", "eval", "fingerprint", "hamming", "minhash", "preprocess", "tables"}

// TestAPI compares what the public packages export with the files of the directory api, which have a line for each
// name.
func TestAPI(t *testing.T) {
	for _, dir := range public {
		path := filepath.Join("api", strings.ReplaceAll(dir, ".", "simsearch")+".txt")
		is := exported(t, dir)
		if *update {
			if err := os.WriteFile(path, []byte(strings.Join(is, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		was := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		for _, line := range was {
			if !slices.Contains(is, line) {
				t.Errorf("package %s had %q, which programs may use: keep it, or, if the promise in the comment of package simsearch allows the change, "+
					"say in CHANGELOG.md what to write instead, and run go test . -run TestAPI -update", dir, line)
			}
		}
		for _, line := range is {
			if !slices.Contains(was, line) {
				t.Errorf("package %s has %q, which is not in %s: run go test . -run TestAPI -update, and look at whether it is to stay", dir, line, path)
			}
		}
	}
}

// The front door is small, and what it mentions is its own or the standard library's.
func TestTheFrontDoor(t *testing.T) {
	const most = 150
	names := exported(t, ".")
	if len(names) > most {
		t.Errorf("the front door has %d exported names: want %d at most", len(names), most)
	}
	for _, line := range names {
		for _, imported := range []string{"index.", "document.", "gate.", "analysis.", "dedup.", "explain.", "quotes.", "service."} {
			if is := strings.Index(line, imported); is >= 0 && !strings.HasPrefix(line, "var ") {
				t.Errorf("%q mentions an internal package", line)
			}
		}
	}
	t.Logf("%d exported names", len(names))
}

// Each exported name of the front door has a comment, and each operation an example.
func TestTheFrontDoorIsDocumented(t *testing.T) {
	pkg := parsed(t, ".")
	for _, f := range slices.Concat(pkg.Funcs, functions(pkg)) {
		if f.Doc == "" {
			t.Errorf("%s has no comment", f.Name)
		}
	}
	for _, kind := range pkg.Types {
		if kind.Doc == "" {
			t.Errorf("%s has no comment", kind.Name)
		}
	}
	source, err := os.ReadFile("example_test.go")
	require(t, err)
	for _, operation := range []string{"Open", "Index.AddAll", "Index.Near", "Index.NearID", "Index.CheckAndAdd", "Index.Pairs", "Index.Groups", "Index.Passages", "Index.Delete", "Dedup", "Compare", "Settings", "Contained"} {
		if name := "func Example" + strings.ReplaceAll(operation, ".", "_") + "("; !bytes.Contains(source, []byte(name)) {
			t.Errorf("there is no example of %s", operation)
		}
	}
}

// functions returns the functions and methods of types.
func functions(pkg *doc.Package) (all []*doc.Func) {
	for _, kind := range pkg.Types {
		all = slices.Concat(all, kind.Funcs, kind.Methods)
	}
	return all
}

// parsed returns the documentation of the package in a directory.
func parsed(t *testing.T, dir string) *doc.Package {
	t.Helper()
	set := token.NewFileSet()
	paths, err := fs.Glob(os.DirFS(dir), "*.go")
	require(t, err)
	var files []*ast.File
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			file, err := parser.ParseFile(set, filepath.Join(dir, path), nil, parser.ParseComments)
			require(t, err)
			files = append(files, file)
		}
	}
	pkg, err := doc.NewFromFiles(set, files, dir)
	require(t, err)
	return pkg
}

// exported returns a line for each exported name of a package, as declared: functions, methods, types, their fields,
// constants and variables. The names of parameters are left out, since no program depends on them.
func exported(t *testing.T, dir string) (lines []string) {
	t.Helper()
	pkg := parsed(t, dir)
	for _, v := range slices.Concat(pkg.Consts, pkg.Vars) {
		lines = append(lines, values(v)...)
	}
	for _, f := range slices.Concat(pkg.Funcs, functions(pkg)) {
		receiver := ""
		if f.Recv != "" {
			receiver = "(" + f.Recv + ") "
		}
		lines = append(lines, "func "+receiver+f.Name+strings.TrimPrefix(text(nameless(f.Decl.Type)), "func"))
	}
	for _, kind := range pkg.Types {
		for _, v := range slices.Concat(kind.Consts, kind.Vars) {
			lines = append(lines, values(v)...)
		}
		for _, spec := range kind.Decl.Specs {
			lines = append(lines, members(spec.(*ast.TypeSpec))...)
		}
	}
	slices.Sort(lines)
	return lines
}

// members returns the lines of a type.
func members(spec *ast.TypeSpec) (lines []string) {
	is := ""
	switch of := spec.Type.(type) {
	case *ast.StructType:
		is = "struct"
		for _, field := range of.Fields.List {
			for _, name := range field.Names {
				if name.IsExported() {
					lines = append(lines, fmt.Sprintf("field %s.%s %s", spec.Name, name, text(nameless(field.Type))))
				}
			}
			if len(field.Names) == 0 {
				lines = append(lines, fmt.Sprintf("field %s embeds %s", spec.Name, text(field.Type)))
			}
		}
	case *ast.InterfaceType:
		is = "interface"
		for _, method := range of.Methods.List { // to have one more breaks those who implement it, and so does one less
			is += "; " + fmt.Sprint(method.Names) + text(nameless(method.Type))
		}
	default:
		if is = text(of); spec.Assign.IsValid() {
			is = "= " + is
		}
	}
	return append(lines, fmt.Sprintf("type %s %s", spec.Name, is))
}

// values returns the lines of constants or variables. What is computed has no type in the source: it is known by its
// name.
func values(v *doc.Value) (lines []string) {
	for _, spec := range v.Decl.Specs {
		spec := spec.(*ast.ValueSpec)
		for _, name := range spec.Names {
			if name.IsExported() {
				line := v.Decl.Tok.String() + " " + name.Name
				if spec.Type != nil {
					line += " " + text(spec.Type)
				}
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// nameless returns the type of a function without the names of its parameters. It returns another type as it is.
func nameless(kind ast.Expr) ast.Expr {
	f, ok := kind.(*ast.FuncType)
	if !ok {
		return kind
	}
	bare := func(list *ast.FieldList) *ast.FieldList {
		if list == nil {
			return nil
		}
		out := &ast.FieldList{}
		for _, field := range list.List {
			for range max(1, len(field.Names)) {
				out.List = append(out.List, &ast.Field{Type: nameless(field.Type)})
			}
		}
		return out
	}
	return &ast.FuncType{TypeParams: f.TypeParams, Params: bare(f.Params), Results: bare(f.Results)}
}

// text returns an expression in one line.
func text(node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func require(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
