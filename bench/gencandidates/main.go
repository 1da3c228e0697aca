// Gencandidates writes the candidate stop words of package preprocess: the words of the lists of
// bbalet/stopwords, which that module does not export. Package preprocess asks the module which of them
// are stop words.
//
// Gencandidates is run by go generate. It finds the source of the module by go list, and writes
// candidates/CODE.txt for each language: one word a line, sorted.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bbalet/stopwords").Output()
	if err != nil {
		log.Fatal("gencandidates: finding the module: ", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "stopwords_??.go"))
	if err != nil || len(files) == 0 {
		log.Fatal("gencandidates: no word lists found: ", err)
	}
	for _, file := range files {
		words, err := keys(file)
		if err != nil {
			log.Fatal("gencandidates: ", err)
		}
		code := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "stopwords_"), ".go")
		text := strings.Join(words, "\n") + "\n"
		if err := os.WriteFile(filepath.Join("..", "preprocess", "candidates", code+".txt"), []byte(text), 0o666); err != nil {
			log.Fatal("gencandidates: ", err)
		}
	}
}

// keys returns the string keys of the map literals in a Go file.
func keys(file string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return nil, err
	}
	var words []string
	var bad error
	ast.Inspect(f, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		lit, ok := kv.Key.(*ast.BasicLit)
		if !ok {
			return true
		}
		word, err := strconv.Unquote(lit.Value)
		if err != nil || strings.ContainsAny(word, "\r\n") {
			bad = fmt.Errorf("%s: key %s is no word", file, lit.Value)
		}
		words = append(words, word)
		return true
	})
	slices.Sort(words)
	return slices.Compact(words), bad
}
