// Typecheck checks the types of all packages of a module with their tests, and of what they import, as they are on
// other platforms. It compiles nothing:
//
//	typecheck DIR GOOS/GOARCH...
//
// Each error stands in a line of its own. The bodies of functions of other modules are not looked at.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: typecheck DIR GOOS/GOARCH...")
		os.Exit(2)
	}
	failed := false
	for _, platform := range os.Args[2:] {
		found, err := check(os.Args[1], platform)
		for _, line := range found {
			fmt.Println(line)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "typecheck:", err)
		}
		failed = failed || err != nil || len(found) > 0
	}
	if failed {
		os.Exit(1)
	}
}

// check returns the errors of the packages of a module on a platform.
func check(dir, platform string) (found []string, err error) {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, fmt.Errorf("%s: want GOOS/GOARCH", platform)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	load := &packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedFiles | packages.NeedCompiledGoFiles |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedModule,
		Dir: dir, Tests: true,
		Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		ParseFile: func(set *token.FileSet, name string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, dir+string(filepath.Separator)) {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}
	all, err := packages.Load(load, "./...")
	if err != nil {
		return nil, err
	}
	mine := 0
	packages.Visit(all, nil, func(p *packages.Package) {
		if p.Module == nil || !p.Module.Main || strings.HasSuffix(p.ID, ".test") {
			return // without their bodies, packages of others, and generated ones, import what they do not use
		}
		mine++
		for _, e := range p.Errors {
			found = append(found, fmt.Sprintf("%s: %s", platform, strings.TrimPrefix(e.Error(), dir+string(filepath.Separator))))
		}
	})
	if mine == 0 {
		return nil, errors.New("there are no packages")
	}
	slices.SortFunc(found, cmp.Compare[string])
	return slices.Compact(found), nil
}
