package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	wine   = "/usr/lib/wine/wine64" // as Debian's package wine64 has it
	server = "/usr/lib/wine/wineserver64"
)

// Programs of Go want a function of bcryptprimitives.dll that Wine 8 lacks. It is the same as one that Wine has by
// another name.
const randomDefinition = "LIBRARY bcryptprimitives\nEXPORTS\n  ProcessPrng = advapi32.SystemFunction036\n"

// Wine 8 does not know how Go removes files on newer versions of Windows. Go has another way for older ones, which it
// takes if it is told to.
const oldRemoval = `package %s

import _ "unsafe" // for go:linkname

//go:linkname removesAsBefore internal/syscall/windows.TestDeleteatFallback
var removesAsBefore bool

func init() { removesAsBefore = true }
`

// Wine 8 makes no symbolic links, which these tests follow, and lets a directory replace a file, which Windows refuses.
const notUnderWine = "TestDanglingLink|TestRootStaysInside|TestMoveAsideFollowsNoLink|TestBase$|TestNothingForeignIsTouched|TestFileSystems/.*OS/directories"

// testWine runs the program for Windows, compares its answers with those of the native one, and runs the tests of
// what locks, replaces and removes files there.
func (r *release) testWine(t *testing.T, root, native, want string) {
	p := newPlace(t, root)
	needs(wine, server, "x86_64-w64-mingw32-dlltool", "x86_64-w64-mingw32-ld", "windows/amd64")(t, p)
	p.environment = append(p.environment, "WINEPREFIX="+p.dir+"/wine", "WINEDEBUG=-all")
	p.run(t, wine, "wineboot", "--init")
	t.Cleanup(func() { // that of this directory alone, which may have ended
		cmd := exec.Command(server, "--kill")
		cmd.Env = p.environment
		_ = cmd.Run()
	})
	if err := os.WriteFile(p.dir+"/random.def", []byte(randomDefinition), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run(t, "x86_64-w64-mingw32-dlltool", "-d", "random.def", "-e", "random.o")
	p.run(t, "x86_64-w64-mingw32-ld", "-shared", "-e", "0", "-o", "wine/drive_c/windows/system32/bcryptprimitives.dll", "random.o")

	t.Run("sample", func(t *testing.T) {
		name := "simsearch_" + r.version + "_windows_amd64"
		p.run(t, "python3", "-m", "zipfile", "-e", filepath.Join(r.dir, name+".zip"), ".")
		begin := time.Now()
		if got := p.tries(t, wine, name+"/simsearch.exe"); got != want {
			t.Errorf("the program finds\n%s, and not\n%s", got, want)
		}
		t.Logf("found the first near duplicate after %.1f s", time.Since(begin).Seconds())
	})

	replaced := map[string]string{}
	packages := map[string]string{"disk": "ground/disk", "store": "index/store", "publish": "ground/publish"}
	replace := func(name, in string) {
		file := filepath.Join(p.dir, name+"_wine.go")
		if err := os.WriteFile(file, fmt.Appendf(nil, oldRemoval, name), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[filepath.Join(root, in)] = file
	}
	for name, dir := range packages {
		replace(name, "internal/"+dir+"/wine_test.go")
	}
	replace("main", "cmd/simsearch/wine.go")
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(p.dir+"/overlay.json", overlay, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	build := func(t *testing.T, program, what string, arguments ...string) {
		arguments = slices.Concat([]string{what, "-trimpath", "-overlay", p.dir + "/overlay.json", "-ldflags=-checklinkname=0", "-o", program}, arguments)
		cmd := exec.Command("go", arguments...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	t.Run("dedup", func(t *testing.T) {
		program := filepath.Join(p.dir, "replacing.exe")
		build(t, program, "build", "./cmd/simsearch")
		p.run(t, native, "dedup", "--quiet", "--out", "native", "sample")
		for range 2 { // the second run replaces the result of the first one
			p.run(t, wine, program, "dedup", "--quiet", "--out", "windows", "sample")
		}
		p.run(t, "diff", "-r", "native/kept", "windows/kept")
	})
	for name, dir := range packages {
		t.Run("internal/"+dir, func(t *testing.T) {
			program := filepath.Join(p.dir, name+".test.exe")
			build(t, program, "test", "-c", "./internal/"+dir)
			cmd := exec.Command(wine, program, "-test.v", "-test.timeout=5m", "-test.skip="+notUnderWine)
			cmd.Dir, cmd.Env = filepath.Join(root, "internal", filepath.FromSlash(dir)), p.environment
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			t.Logf("%d tests passed", strings.Count("\n"+string(out), "\n--- PASS"))
		})
	}
}
