package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// A place is a directory with the sample collection and nothing else, where programs see nothing of this machine's
// settings.
type place struct {
	dir         string
	environment []string
	attributes  *syscall.SysProcAttr
	cwd         string
}

func newPlace(t *testing.T, root string) *place {
	p := &place{dir: t.TempDir()}
	p.cwd = p.dir
	for _, d := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(p.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(p.dir, "sample"), os.DirFS(filepath.Join(root, "testdata", "sample"))); err != nil {
		t.Fatal(err)
	}
	p.environment = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir + "/home", "TMPDIR=" + p.dir + "/tmp", "LC_ALL=C.UTF-8"}
	return p
}

// run runs a command and returns what it prints.
func (p *place) run(t *testing.T, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = p.cwd, p.environment, p.attributes
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, out, said.String())
	}
	return string(out)
}

// tries has the program index the sample and find what is near one of its documents. It returns what it prints.
func (p *place) tries(t *testing.T, program ...string) string {
	t.Helper()
	ask := func(arguments ...string) string {
		return p.run(t, append(program[:len(program):len(program)], arguments...)...)
	}
	if said := ask("version"); !strings.HasPrefix(said, "simsearch v"+testVersion+" (commit ") {
		t.Errorf("the program says %q", said)
	}
	ask("index", "--index", "idx", "sample")
	return ask("near", "--index", "idx", "sample/en/library-hours.txt")
}

// testInstalls installs the program in every way, and compares what it answers.
func (r *release) testInstalls(t *testing.T, root, python string) {
	file := func(format string, arguments ...any) string {
		return filepath.Join(r.dir, fmt.Sprintf(format, arguments...))
	}
	archive := newPlace(t, root)
	archive.run(t, "tar", "-xzf", file("simsearch_%s_linux_%s.tar.gz", r.version, runtime.GOARCH), "--strip-components=1")
	want := archive.tries(t, "./simsearch")
	if !strings.HasPrefix(want, "sample/en/library-hours.txt\tsample/en/library-hours-shouted.txt\t1.0000\t0\n") {
		t.Fatalf("the program of the archive finds %q", want)
	}
	t.Run("windows", func(t *testing.T) { r.testWine(t, root, archive.dir+"/simsearch", want) })
	for _, way := range []struct {
		name string
		// prepare gets what users have before they install anything, and skips the test if it cannot be had.
		prepare func(t *testing.T, p *place)
		install func(t *testing.T, p *place) (program []string)
	}{
		{"pip", nil, func(t *testing.T, p *place) []string {
			p.run(t, python, "-m", "venv", "venv")
			p.run(t, "venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--find-links", r.dir, "simsearch")
			return []string{"venv/bin/simsearch"}
		}},
		{"uvx", func(t *testing.T, p *place) {
			p.run(t, python, "-m", "venv", "uv")
			cmd := exec.Command(p.dir+"/uv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv==0.13.8")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Skipf("uv cannot be installed: %s", out)
			}
		}, func(_ *testing.T, p *place) []string {
			return []string{"uv/bin/uvx", "--offline", "--no-index", "--find-links", r.dir, "--python", python, "simsearch"}
		}},
		{"npm", needs("npm"), func(t *testing.T, p *place) []string {
			server := httptest.NewServer(registry(t, r.dir))
			t.Cleanup(server.Close)
			p.run(t, "npm", "install", "--silent", "--no-audit", "--no-fund", "--registry", server.URL, "simsearch")
			if beside, err := os.ReadDir(p.dir + "/node_modules/@simsearch"); err != nil || len(beside) != 1 {
				t.Errorf("npm installed %v (%v), want the package of this platform alone", beside, err)
			}
			return []string{"node_modules/.bin/simsearch"}
		}},
		{"go install", nil, func(t *testing.T, p *place) []string {
			const path = "example.com/Acme/installed"
			environment := p.environment
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOTOOLCHAIN"} {
				value, err := exec.Command("go", "env", name).Output()
				if err != nil {
					t.Fatal(err)
				}
				v := strings.TrimSpace(string(value))
				switch name {
				case "GOMODCACHE":
					name, v = "GOMODCACHE", p.dir+"/modules"
				case "GOPROXY": // what this machine has, it need not get
					cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
					if err != nil {
						t.Fatal(err)
					}
					v = "file://" + p.dir + "/proxy,file://" + strings.TrimSpace(string(cache)) + "/cache/download," + v
				}
				environment = append(environment, name+"="+v)
			}
			if _, err := output(root, "scripts/publish-as", path, "v"+r.version, p.dir+"/proxy"); err != nil {
				t.Fatal(err)
			}
			p.environment = append(environment, "GOBIN="+p.dir+"/bin", "GONOSUMDB="+path, "GOFLAGS=-modcacherw")
			p.run(t, "go", "install", path+"/cmd/simsearch@v"+r.version)
			return []string{"bin/simsearch"}
		}},
		{"apt", needs("apt-get", "dpkg-scanpackages", "root"), func(t *testing.T, p *place) []string {
			p.run(t, "sh", "-ec", `mkdir -p repository tree/var/lib/dpkg tree/etc/apt/preferences.d tree/etc/apt/apt.conf.d tree/var/cache/apt/archives/partial tree/var/lib/apt/lists/partial tree/var/log/apt
				: > tree/var/lib/dpkg/status
				cp "$0"/*.deb repository
				(cd repository && dpkg-scanpackages --multiversion . > Packages 2>/dev/null)
				echo "deb [trusted=yes] file:$PWD/repository ./" > tree/etc/apt/sources.list
				apt() { apt-get -qq -y -o Dir="$PWD/tree/" -o Dir::State::status="$PWD/tree/var/lib/dpkg/status" -o APT::Sandbox::User=root -o DPkg::Options::=--root="$PWD/tree" -o DPkg::Options::=--force-not-root "$@"; }
				apt update
				apt install simsearch`, r.dir)
			p.confine(t, "tree", 0)
			return []string{"/usr/bin/simsearch"}
		}},
		{"image", needs("root"), func(t *testing.T, p *place) []string {
			config := unpackImage(t, file("simsearch_%s_oci.tar", r.version), filepath.Join(p.dir, "root"))
			if config.User != "65532:65532" {
				t.Fatalf("the image runs as %q", config.User)
			}
			p.confine(t, "root/data", imageUser)
			return config.Entrypoint
		}},
		{"skopeo", needs("skopeo"), func(t *testing.T, p *place) []string {
			// What reads images that is not ours takes the archive, and the image of each processor.
			p.run(t, "skopeo", "--insecure-policy", "copy", "--quiet", "--all", "oci-archive:"+file("simsearch_%s_oci.tar", r.version), "oci:copied:x")
			return nil
		}},
		{"arm64", needs("qemu-aarch64-static", "linux/arm64"), func(t *testing.T, p *place) []string {
			p.run(t, "tar", "-xzf", file("simsearch_%s_linux_arm64.tar.gz", r.version), "--strip-components=1")
			return []string{"qemu-aarch64-static", "./simsearch"}
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			p := newPlace(t, root)
			if way.prepare != nil {
				way.prepare(t, p)
			}
			begin := time.Now()
			program := way.install(t, p)
			if program == nil {
				return
			}
			installed := time.Since(begin)
			got := p.tries(t, program...)
			took := time.Since(begin)
			t.Logf("installed in %.1f s, found the first near duplicate after %.1f s", installed.Seconds(), took.Seconds())
			if got != want {
				t.Errorf("the program finds\n%s, and not\n%s", got, want)
			}
			if took > time.Minute {
				t.Errorf("a user has waited for %.0f s, want less than 60", took.Seconds())
			}
		})
	}
}

// needs returns a function that skips the test unless all tools are installed, and the test is run by root if that is
// one of them.
func needs(tools ...string) func(*testing.T, *place) {
	return func(t *testing.T, _ *place) {
		for _, tool := range tools {
			if tool == "root" {
				if os.Getuid() != 0 {
					t.Skip("only root can do this")
				}
			} else if strings.Contains(tool, "/") && tool[0] != '/' {
				if !slices.ContainsFunc(platforms, func(p platform) bool { return p.String() == tool }) {
					t.Skipf("nothing was built for %s", tool)
				}
			} else if !installed(tool) {
				t.Skipf("%s is not installed", tool)
			}
		}
	}
}

// confine makes the directory below p.dir whose first part is a root file system the place where programs run: they
// see nothing else. They run as a user.
func (p *place) confine(t *testing.T, dir string, user int) {
	root, below, _ := strings.Cut(dir, "/")
	sample := filepath.Join(p.dir, dir, "sample")
	if err := os.Rename(filepath.Join(p.dir, "sample"), sample); err != nil {
		t.Fatal(err)
	}
	for d := p.dir; d != "/" && user != 0; d = filepath.Dir(d) { // the user has to come by
		if info, err := os.Stat(d); err != nil || os.Chmod(d, info.Mode().Perm()|0o111) != nil {
			t.Fatal(d, err)
		}
	}
	p.attributes = &syscall.SysProcAttr{Chroot: filepath.Join(p.dir, root), Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	p.cwd, p.environment = "/"+below, nil
}

// unpackImage unpacks the image of this processor out of an archive, as what runs containers does, and returns how it
// is run. It verifies the sums and sizes of all blobs.
func unpackImage(t *testing.T, archive, into string) v1.ImageConfig {
	layout := t.TempDir()
	if _, err := output("", "tar", "-xf", archive, "-C", layout); err != nil {
		t.Fatal(err)
	}
	blob := func(d v1.Descriptor) []byte {
		content, err := os.ReadFile(filepath.Join(layout, "blobs", d.Digest.Algorithm().String(), d.Digest.Encoded()))
		if err != nil || int64(len(content)) != d.Size || digest.FromBytes(content) != d.Digest {
			t.Fatalf("%v is not what it should be: %v", d, err)
		}
		return content
	}
	decode := func(content []byte, into any) {
		if err := json.Unmarshal(content, into); err != nil {
			t.Fatal(err)
		}
	}
	top, err := os.ReadFile(filepath.Join(layout, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index, images v1.Index
	decode(top, &index)
	decode(blob(index.Manifests[0]), &images)
	var mine v1.Image
	for _, m := range images.Manifests {
		var manifest v1.Manifest
		decode(blob(m), &manifest)
		var image v1.Image
		decode(blob(manifest.Config), &image)
		if image.Architecture != m.Platform.Architecture || len(manifest.Layers) != len(image.RootFS.DiffIDs) {
			t.Errorf("the image %v is of %s", m, image.Architecture)
		}
		for i, l := range manifest.Layers {
			r, err := gzip.NewReader(bytes.NewReader(blob(l)))
			if err != nil {
				t.Fatal(err)
			}
			layer, err := io.ReadAll(r)
			if err != nil || digest.FromBytes(layer) != image.RootFS.DiffIDs[i] {
				t.Errorf("the layer %v is not what it should be: %v", l, err)
			}
			if image.Architecture == runtime.GOARCH {
				mine = image
				unpackLayer(t, layer, into)
			}
		}
	}
	return mine.Config
}

func unpackLayer(t *testing.T, layer []byte, into string) {
	cmd := exec.Command("tar", "-xp", "--numeric-owner", "-C", into)
	cmd.Stdin = bytes.NewReader(layer)
	if err := os.MkdirAll(into, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
}

// registry is a registry of npm with the packages of a directory.
func registry(t *testing.T, dir string) http.Handler {
	files, err := filepath.Glob(filepath.Join(dir, "npm-*.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]map[string]any{} // what package.json says, by name
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		archive := tar.NewReader(r)
		about := map[string]any{}
		if first, err := archive.Next(); err != nil || first.Name != "package/package.json" || json.NewDecoder(archive).Decode(&about) != nil {
			t.Fatalf("%s begins with %v: %v", file, first, err)
		}
		if about["scripts"] != nil {
			t.Errorf("%s has scripts", file)
		}
		sum := sha512.Sum512(content)
		about["dist"] = map[string]string{"tarball": filepath.Base(file), "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		packages[about["name"].(string)] = about
	}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		about, is := packages[strings.TrimPrefix(q.URL.Path, "/")]
		if !is {
			http.ServeFile(w, q, filepath.Join(dir, filepath.Base(q.URL.Path)))
			return
		}
		dist := about["dist"].(map[string]string)
		version := map[string]any{}
		for k, v := range about {
			version[k] = v
		}
		version["dist"] = map[string]string{"tarball": "http://" + q.Host + "/-/" + dist["tarball"], "integrity": dist["integrity"]}
		v := about["version"].(string)
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{
			"name": about["name"], "dist-tags": map[string]string{"latest": v}, "versions": map[string]any{v: version},
		}); err != nil {
			t.Error(err)
		}
	})
}
