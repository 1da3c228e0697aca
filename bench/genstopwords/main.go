// Genstopwords writes the stop words of package preprocess: those words of the lists of bbalet/stopwords that
// its function CleanString drops. The module exports neither its lists nor a question for one word.
//
// Genstopwords is run by go generate. It finds the source of the module by go list, and writes
// stopwords/CODE.txt for each language: one word a line, sorted.
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

	"github.com/bbalet/stopwords"
)

func main() {
	log.SetFlags(0)
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bbalet/stopwords").Output()
	if err != nil {
		log.Fatal("genstopwords: finding the module: ", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "stopwords_??.go"))
	if err != nil || len(files) == 0 {
		log.Fatal("genstopwords: no word lists found: ", err)
	}
	for _, file := range files {
		words, err := keys(file)
		if err != nil {
			log.Fatal("genstopwords: ", err)
		}
		code := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "stopwords_"), ".go")
		// Some keys are several words.
		words = slices.DeleteFunc(strings.Fields(strings.Join(words, " ")), func(word string) bool {
			return strings.TrimSpace(stopwords.CleanString(word, code, false)) != ""
		})
		slices.Sort(words)
		text := strings.Join(slices.Compact(words), "\n") + "\n"
		if err := os.WriteFile(filepath.Join("..", "preprocess", "stopwords", code+".txt"), []byte(text), 0o666); err != nil {
			log.Fatal("genstopwords: ", err)
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
	return words, bad
}
