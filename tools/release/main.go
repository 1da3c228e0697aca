// Release makes the files of a release from a commit of this repository. It is what "make release" runs:
//
//	release VERSION DIR
//
// It builds what is committed, in a clone of its own, so that the files depend on the commit, the version and the
// version of Go, and on nothing else: not on the directory, the clock, or changes that are not committed. Go reads
// the version from the tag that the clone has, and the commit from git, and writes both into the programs, so that
// nothing else has to.
//
// MINISIGN_SECRET_KEY names a file with a key of minisign, and MINISIGN_PASSWORD is its password, which may be empty.
// Without a key, nothing is signed. RELEASE_BUILDER is the address of what builds, for the statement of provenance.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: release VERSION DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A platform is a system and a processor, as Go names them.
type platform struct{ os, arch string }

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func (p platform) String() string { return p.os + "/" + p.arch }

// program is the name that the program has on the platform.
func (p platform) program() string {
	if p.os == "windows" {
		return "simsearch.exe"
	}
	return "simsearch"
}

// A release is what is made, and where.
type release struct {
	version string    // without v
	commit  string    // 40 hexadecimal digits
	time    time.Time // of the commit: the time of every file
	tree    string    // a clone of the commit
	scratch string    // the parent of tree, which has the programs, too
	dir     string    // where the files go

	licence, notices, man []byte
	completions           map[string][]byte // by shell
}

func run(version, dir string) error {
	version = strings.TrimPrefix(version, "v")
	if v := "v" + version; semver.Canonical(v) != v {
		return fmt.Errorf("%q is no version: want one such as 1.2.3 or 1.2.3-rc.1", version)
	}
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return fmt.Errorf("a release is made from a repository of git: %w", err)
	}
	scratch, err := os.MkdirTemp("", "simsearch-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // a temporary directory
	r := &release{version: version, scratch: scratch, tree: filepath.Join(scratch, "tree")}
	if r.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := r.clone(root); err != nil {
		return err
	}
	if err := fresh(r.dir); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"programs", r.build}, {"documents", r.documents}, {"archives", r.archives}, {"packages of Linux", r.packages}, {"image", r.image},
		{"packages of npm", r.npm}, {"wheels", r.wheels}, {"lists of contents", r.contents}, {"provenance", r.provenance}, {"sums", r.sums},
	} {
		begin := time.Now()
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Printf("%-18s %5.1f s\n", step.name, time.Since(begin).Seconds())
	}
	return nil
}

// clone clones the commit that is checked out at root, and tags it in the clone.
func (r *release) clone(root string) (err error) {
	if changed, err := output(root, "git", "status", "--porcelain"); err != nil {
		return err
	} else if changed != "" {
		fmt.Fprintf(os.Stderr, "release: these changes are not committed, and will not be in the release:\n%s\n", changed)
	}
	if r.commit, err = output(root, "git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	if _, err := output(r.scratch, "git", "clone", "--quiet", "--shared", "--no-tags", "--no-checkout", root, r.tree); err != nil {
		return err
	}
	for _, arguments := range [][]string{
		{"checkout", "--quiet", "--detach", r.commit},
		{"-c", "tag.gpgSign=false", "tag", "v" + r.version},
	} {
		if _, err := output(r.tree, "git", arguments...); err != nil {
			return err
		}
	}
	seconds, err := output(r.tree, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	r.time = time.Unix(unix, 0).UTC()
	return err
}

// marker is the file that a release consists of in any case.
const marker = "SHA256SUMS"

// fresh makes dir, or empties it if it has a release.
func fresh(dir string) error {
	names, err := os.ReadDir(dir)
	if err == nil && len(names) > 0 {
		if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
			return fmt.Errorf("%s has files, and is no earlier release (it has no %s): remove it, or name another directory", dir, marker)
		}
		err = os.RemoveAll(dir)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// write writes a file of the release.
func (r *release) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(r.dir, name), content, 0o644)
}

// programFile is where the program of a platform has been built.
func (r *release) programFile(p platform) string {
	return filepath.Join(r.scratch, "programs", p.os+"-"+p.arch, p.program())
}

// build builds the programs by the Makefile of the clone.
func (r *release) build() error {
	for _, p := range platforms {
		if _, err := output(r.tree, "make", "build", "BIN="+r.programFile(p), "GOOS="+p.os, "GOARCH="+p.arch); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return r.checkBuilt()
}

// documents asks the program of this machine for its manual page and its completions, and gathers the licences.
func (r *release) documents() (err error) {
	here := r.programFile(platform{runtime.GOOS, runtime.GOARCH})
	if r.licence, err = os.ReadFile(filepath.Join(r.tree, "LICENSE")); err != nil {
		return err
	}
	if r.notices, err = r.gatherNotices(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.scratch, "NOTICES"), r.notices, 0o644); err != nil {
		return err
	}
	man, err := output(r.scratch, here, "man")
	if err != nil {
		return err
	}
	r.man, r.completions = []byte(man+"\n"), map[string][]byte{}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, err := output(r.scratch, here, "completion", shell)
		if err != nil {
			return err
		}
		r.completions[shell] = []byte(script + "\n")
	}
	return nil
}

// wheels makes the wheels by the script of the clone.
func (r *release) wheels() error {
	arguments := []string{"scripts/wheels.sh", r.version, r.dir}
	for _, p := range platforms {
		arguments = append(arguments, p.String())
	}
	_, err := output(r.tree, "env", append([]string{
		"PROGRAMS=" + filepath.Join(r.scratch, "programs"), "NOTICES=" + filepath.Join(r.scratch, "NOTICES"),
		"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.time.Unix(), 10), "sh",
	}, arguments...)...)
	return err
}

// output runs a command in dir and returns what it prints, without the end of the last line. What the environment may
// say of how Go builds is put aside.
func output(dir, name string, arguments ...string) (string, error) {
	cmd := exec.Command(name, arguments...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=true", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off",
		"MAKEFLAGS=", "LC_ALL=C")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, strings.TrimSpace(said.String()))
	}
	return strings.TrimRight(string(out), "\n"), nil
}
