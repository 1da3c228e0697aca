package main

import (
	"debug/elf"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

var binary = flag.String("binary", "", "test that the program in `FILE` is static; make static does it")

// The program that make build makes needs no library. If the test may do that, it runs where there is no other file
// but its input.
func TestStatic(t *testing.T) {
	if *binary == "" {
		t.Skip("no program is named: run make static")
	}
	program, err := elf.Open(*binary)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Close() }()
	if slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC }) {
		t.Errorf("%s is linked with libraries", *binary)
	}
	if os.Getuid() != 0 {
		t.Skip("only root can try it in an empty directory")
	}
	root := t.TempDir()
	data, err := os.ReadFile(*binary)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "simsearch"), data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "lines.txt"), "one two three four five\none two three four five\n")
	for _, args := range [][]string{{"version"}, {"index", "--index", "idx", "--format", "lines", "lines.txt"}, {"pairs", "--index", "idx"}, {"serve", "--index", "idx", "--stdio"}, {"dedup", "--out", "out", "--format", "lines", "lines.txt"}} {
		cmd := exec.Command("/simsearch", args...)
		cmd.Dir, cmd.Env, cmd.SysProcAttr = "/", []string{}, &syscall.SysProcAttr{Chroot: root}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%q: %v, %s", args, err, out)
		}
	}
}
