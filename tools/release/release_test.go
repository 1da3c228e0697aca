package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
)

const testVersion = "0.98.7"

// TestMain makes a release if it is told to: the tests run the program as it is run by make. RELEASE_PLATFORMS may
// name fewer platforms than there are, to try something out.
func TestMain(m *testing.M) {
	if only := os.Getenv("RELEASE_PLATFORMS"); only != "" {
		platforms = slices.DeleteFunc(platforms, func(p platform) bool { return !strings.Contains(only, p.String()) })
	}
	if os.Getenv("RELEASE_TEST_RUNS_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestRelease makes a release twice, and compares the two. Then it looks at what is in the files, and installs the
// program from them in every way.
func TestRelease(t *testing.T) {
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	commit, err := output("", "git", "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	python := pythonWithHatchling(t)
	key, keyFile := throwAwayKey(t)
	makeRelease := func(tree, scratch, dir string, environment ...string) {
		t.Helper()
		begin := time.Now()
		cmd := exec.Command("sh", "-c", `umask "$UMASK"; exec "$0" "$@"`, os.Args[0], testVersion, dir)
		cmd.Dir = tree
		cmd.Env = append(os.Environ(), "RELEASE_TEST_RUNS_MAIN=1", "TMPDIR="+scratch, "PYTHON="+python, "MINISIGN_SECRET_KEY="+keyFile, "MINISIGN_PASSWORD=secret")
		cmd.Env = append(cmd.Env, environment...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		t.Logf("%.0f s, %.0f s of processors\n%s", time.Since(begin).Seconds(), used.Seconds(), out)
	}
	r := &release{version: testVersion, commit: commit, dir: filepath.Join(t.TempDir(), "dist")}
	makeRelease(root, t.TempDir(), r.dir, "UMASK=022", "TZ=UTC")
	again := &release{dir: filepath.Join(t.TempDir(), "elsewhere", "dist")}
	elsewhere := filepath.Join(t.TempDir(), "another", "name")
	if _, err := output("", "git", "clone", "--quiet", "--shared", root, elsewhere); err != nil {
		t.Fatal(err)
	}
	makeRelease(elsewhere, t.TempDir(), again.dir, "UMASK=077", "TZ=Asia/Kathmandu", "GOFLAGS=-ldflags=-X=main.x=y", "GOAMD64=v3")

	t.Run("same bytes", func(t *testing.T) {
		names, sums, err := r.files()
		if err != nil {
			t.Fatal(err)
		}
		_, others, err := again.files()
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(sums, others) {
			for _, n := range names {
				if sums[n] != others[n] {
					t.Errorf("%s differs", n)
				}
			}
			t.Fatalf("%d files, and %d when made again", len(sums), len(others))
		}
		for _, n := range names {
			info, err := os.Stat(filepath.Join(r.dir, n))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%10d %s", info.Size(), n)
		}
		if want := 4*len(platforms) + 4; len(names) < want { // archive, npm, wheel, list of contents; npm, image, provenance, sums
			t.Errorf("%d files, want at least %d", len(names), want)
		}
	})
	t.Run("evidence", func(t *testing.T) { r.testEvidence(t, key) })
	t.Run("packages of Linux", r.testPackages)
	r.testInstalls(t, root, python)
}

// pythonWithHatchling returns a Python that can build wheels.
func pythonWithHatchling(t *testing.T) string {
	venv := t.TempDir()
	for _, command := range [][]string{
		{"python3", "-m", "venv", venv},
		{venv + "/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "hatchling==1.33.0"},
	} {
		if _, err := output("", command[0], command[1:]...); err != nil {
			t.Skipf("hatchling cannot be installed, so that no wheels can be made: %v", err)
		}
	}
	return venv + "/bin/python"
}

// throwAwayKey makes a key for one test.
func throwAwayKey(t *testing.T) (minisign.PublicKey, string) {
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	encrypted, err := minisign.EncryptKey("secret", private)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, encrypted, 0o600); err != nil {
		t.Fatal(err)
	}
	return public, name
}

// testEvidence compares the sums, the signature, the statement and the lists of contents with the files.
func (r *release) testEvidence(t *testing.T, key minisign.PublicKey) {
	list, err := os.ReadFile(filepath.Join(r.dir, marker))
	if err != nil {
		t.Fatal(err)
	}
	if said, err := output(r.dir, "sha256sum", "--check", "--strict", "--quiet", marker); err != nil {
		t.Error(said, err)
	}
	signature, err := os.ReadFile(filepath.Join(r.dir, marker+".minisig"))
	if err != nil {
		t.Fatal(err)
	}
	if !minisign.Verify(key, list, signature) || minisign.Verify(key, append(slices.Clone(list), '\n'), signature) {
		t.Error("the signature is not that of the list")
	}
	if _, err := exec.LookPath("minisign"); err == nil {
		if said, err := output(r.dir, "minisign", "-V", "-P", key.String(), "-m", marker); err != nil || !strings.Contains(said, r.commit) {
			t.Error(said, err)
		}
	} else {
		t.Log("minisign is not installed: its library alone has verified the signature")
	}

	var statement struct {
		Subject []struct {
			Name   string
			Digest struct{ SHA256 string }
		}
		Predicate struct {
			BuildDefinition struct {
				ExternalParameters struct{ Commit, Version string }
			}
		}
	}
	readJSON(t, filepath.Join(r.dir, "simsearch_"+r.version+".intoto.json"), &statement)
	if got := statement.Predicate.BuildDefinition.ExternalParameters; got.Commit != r.commit || got.Version != r.version {
		t.Errorf("the statement is of %v", got)
	}
	lines := strings.Count(string(list), "\n")
	if len(statement.Subject) != lines-1 { // all but itself
		t.Errorf("the statement has %d files, the list %d", len(statement.Subject), lines)
	}
	for _, s := range statement.Subject {
		if line := s.Digest.SHA256 + "  " + s.Name + "\n"; !bytes.Contains(list, []byte(line)) {
			t.Errorf("the list has no %q", line)
		}
	}

	for _, p := range platforms {
		var contents struct {
			BOMFormat  string
			Metadata   struct{ Component struct{ Version string } }
			Components []struct{ Name, Version, PURL string }
		}
		readJSON(t, filepath.Join(r.dir, fmt.Sprintf("simsearch_%s_%s_%s.cdx.json", r.version, p.os, p.arch)), &contents)
		if contents.BOMFormat != "CycloneDX" || contents.Metadata.Component.Version != r.version {
			t.Errorf("%s: the list of contents is of %q", p, contents.Metadata.Component.Version)
		}
		has := map[string]bool{}
		for _, c := range contents.Components {
			has[c.Name] = c.Version != "" && c.PURL != ""
		}
		for _, name := range []string{"std", "github.com/spaolacci/murmur3", "github.com/parquet-go/parquet-go"} {
			if !has[name] {
				t.Errorf("%s: the list of contents has no %s", p, name)
			}
		}
	}
}

// testPackages looks at what packages of Linux have.
func (r *release) testPackages(t *testing.T) {
	common := []string{
		"usr/bin/simsearch", "usr/share/man/man1/simsearch.1.gz", "usr/share/bash-completion/completions/simsearch",
		"usr/share/fish/vendor_completions.d/simsearch.fish",
	}
	service := "usr/lib/systemd/system/simsearch.service"
	licences := []string{"usr/share/licenses/simsearch/LICENSE", "usr/share/licenses/simsearch/NOTICES", "usr/share/zsh/site-functions/_simsearch"}
	for _, kind := range []struct {
		pattern, command string
		want             []string
	}{
		{"*.deb", `dpkg-deb --fsys-tarfile "$0" | tar -x -C "$1"`, append(slices.Clone(common), service,
			"usr/share/doc/simsearch/copyright", "usr/share/doc/simsearch/NOTICES.gz", "usr/share/zsh/vendor-completions/_simsearch")},
		{"*.rpm", `rpm -K --nosignature "$0" && rpm2cpio "$0" | (cd "$1" && cpio -id --quiet --no-absolute-filenames)`, append(append(slices.Clone(common), licences...), service)},
		{"*.apk", `tar -xz --warning=no-unknown-keyword --exclude=.PKGINFO -f "$0" -C "$1"`, append(slices.Clone(common), licences...)},
	} {
		t.Run(kind.pattern, func(t *testing.T) {
			if tool, _, _ := strings.Cut(kind.command, " "); !installed(tool) {
				t.Skipf("%s is not installed", tool)
			}
			packages, err := filepath.Glob(filepath.Join(r.dir, kind.pattern))
			if err != nil || len(packages) == 0 {
				t.Fatal(packages, err)
			}
			for _, file := range packages {
				dir := t.TempDir()
				if said, err := output("", "sh", "-ec", kind.command, file, dir); err != nil {
					t.Fatalf("%s: %s %v", file, said, err)
				}
				var has []string
				err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
					if err == nil && !e.IsDir() {
						has = append(has, strings.TrimPrefix(name, dir+"/"))
					}
					return err
				})
				slices.Sort(kind.want)
				if err != nil || !slices.Equal(has, kind.want) {
					t.Errorf("%s has %v, want %v (%v)", file, has, kind.want, err)
				}
				if slices.Contains(kind.want, service) {
					unit, err := os.ReadFile(filepath.Join(dir, service))
					if err != nil || !bytes.Contains(unit, []byte("\nExecStart=/usr/bin/simsearch serve ")) {
						t.Errorf("%s does not start what is installed (%v)", service, err)
					}
				}
			}
		})
	}
}

func installed(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// What is no version is refused, and so is a directory with other files.
func TestRefused(t *testing.T) {
	for _, version := range []string{"", "1.2", "latest", "01.2.3", "1.2.3+x"} {
		if err := run(version, t.TempDir()); err == nil || !strings.Contains(err.Error(), "1.2.3-rc.1") {
			t.Errorf("version %q: %v", version, err)
		}
	}
	dir := t.TempDir()
	precious := filepath.Join(dir, "thesis.tex")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := fresh(dir); err == nil {
		t.Error("a directory with other files was taken")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}
