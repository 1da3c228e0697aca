package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"simsearch/internal/cli"
)

// In scripts and for exec.Command, simsearch is this program.
func TestMain(m *testing.M) {
	testscript.Main(hermetic{m}, map[string]func(){"simsearch": main})
}

// hermetic runs tests that know nothing of the user's environment and configuration. The program
// inside scripts is not run by it, and sees what the scripts give it.
type hermetic struct{ *testing.M }

func (m hermetic) Run() int {
	betweenLooks = 20 * time.Millisecond
	absent := filepath.Join(os.TempDir(), "no-configuration-of-simsearch")
	if err := errors.Join(os.Unsetenv(cli.IndexVariable), os.Setenv("XDG_CONFIG_HOME", absent)); err != nil {
		panic(err)
	}
	return m.M.Run()
}

// TestScripts runs testdata/script: files, commands, expected output and status. Run
// go test ./cmd/simsearch -update to write the expected output anew.
func TestScripts(t *testing.T) {
	fixtures, err := filepath.Abs("../../internal")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update, Setup: func(env *testscript.Env) error {
		env.Setenv("INTERNAL", fixtures) // with files that are not text
		return nil
	}})
}
