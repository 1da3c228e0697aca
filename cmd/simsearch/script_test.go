package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Inside scripts, simsearch is this program.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"simsearch": func() { os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/script: files, commands, expected output and status.
// go test ./cmd/simsearch -update writes the expected output anew.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update})
}
