package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// In scripts and for exec.Command, simsearch is this program.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"simsearch": main})
}

// TestScripts runs testdata/script: files, commands, expected output and status. Run
// go test ./cmd/simsearch -update to write the expected output anew.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update})
}
